"""The notebook runs from top to bottom against a warehouse, in a kernel of its own."""

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import REPOSITORY

NOTEBOOK = REPOSITORY / "notebooks" / "overview.ipynb"


@pytest.mark.spark
def test_the_overview_runs(sample_warehouse: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAREHOUSE", sample_warehouse)
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]  # it ships no types
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(REPOSITORY)}})
    ran = client.execute()
    shown = {cell["id"]: str(cell["outputs"]) for cell in ran.cells if cell["cell_type"] == "code"}
    assert "gold_finding" in shown["session"]
    assert "controller_outlived" in shown["findings"] or "resigned" in shown["findings"]
    assert all(term in shown["terms"] for term in ("1-1", "1-8"))
    assert "0.923" in shown["brokers"]
    assert "refused" in shown["moves"] and "same_state" in shown["moves"]
    assert "successfully elected as the controller" in shown["lines"]
