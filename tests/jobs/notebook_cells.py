"""The cells of a notebook and what they show: by a shell in this process, or by a kernel of their own."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbclient import NotebookClient
from traitlets.config import Config

from tests.conftest import REPOSITORY

# What each cell shows, by its id: as a notebook keeps it.
Shown = dict[str, list[dict[str, Any]]]
Cell = tuple[str, str]  # its id and its source


def cells_of(name: str) -> list[Cell]:
    """The cells of code of one of the notebooks."""
    cells = json.loads((REPOSITORY / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [(one["id"], "".join(one["source"])) for one in cells if one["cell_type"] == "code"]


def shown_in_shell(cells: Sequence[Cell], folder: Path) -> Shown:
    """By IPython in this process, with the Spark session that runs here. folder: for what it would keep in a home."""
    shell = InteractiveShell.instance(
        ipython_dir=str(folder), config=Config(HistoryManager={"enabled": False})
    )
    try:
        return {name: shown_by_cell(shell, source) for name, source in cells}
    finally:
        # It puts a module of its own in place of __main__, by which processes are started.
        shell.restore_sys_module_state()  # type: ignore[no-untyped-call]  # it tells no types
        InteractiveShell.clear_instance()


def shown_by_cell(shell: InteractiveShell, source: str) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    shell.display_trap.hook = CapturingDisplayHook(shell, results)  # type: ignore[no-untyped-call]  # it tells no types
    with capture_output() as captured:
        done = shell.run_cell(source)  # type: ignore[no-untyped-call]  # it tells no types
    done.raise_error()
    printed = [{"text": captured.stdout}] if captured.stdout else []
    return printed + [{"data": one.data} for one in captured.outputs] + results


def shown_in_kernel(cells: Sequence[Cell]) -> Shown:
    """By a process as Jupyter starts it, with a Spark session of its own."""
    notebook = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]  # it ships no types
    notebook.cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in cells]  # type: ignore[no-untyped-call]
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(REPOSITORY)}})
    return {one["id"]: one["outputs"] for one in client.execute().cells}
