"""Documentation that is made from declarations is fresh, and names nothing that is not there."""

import json
import re

import pytest

from jobs.cli import COMMANDS
from jobs.docs import refreshed
from pipeline.catalog.docs import filled, settings_table
from pipeline.catalog.tables import SPECS
from schemas.ops import run
from schemas.spec import listing
from tests.house.source import REPOSITORY

README = REPOSITORY / "README.md"
NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))


def test_the_readme_is_fresh() -> None:
    text = README.read_text(encoding="utf-8")
    assert refreshed(text) == text, "README.md is stale: run make docs"


def test_the_readme_names_targets_and_files_that_are_there() -> None:
    text = README.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"`make ([a-z]+)", text)) <= targets
    named = re.findall(r"(?:conf|jobs|notebooks)/[\w.-]+\.(?:py|yaml|conf|ipynb)", text)
    missing = [one for one in set(named) if not (REPOSITORY / one).is_file()]
    assert not missing, missing


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "DECISIONS.md"])
def test_documents_name_files_that_are_there(document: str) -> None:
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:conf|jobs|pipeline|schemas|tests)/[\w./-]+\.\w+)`", text))
    assert named and not [one for one in sorted(named) if not (REPOSITORY / one).is_file()]


def test_the_readme_names_commands_that_are_there() -> None:
    text = README.read_text(encoding="utf-8")
    assert set(re.findall(r"`kafka-controller-audit (\w+)", text)) <= set(COMMANDS)


def test_a_block_is_put_between_its_markers() -> None:
    text = "a\n<!-- x:start -->\nold\n<!-- x:end -->\nz\n"
    fresh = filled(text, {"x": "new"})
    assert fresh == "a\n<!-- x:start -->\nnew\n<!-- x:end -->\nz\n" == filled(fresh, {"x": "new"})
    with pytest.raises(ValueError, match="no markers <!-- y:start -->"):
        filled(text, {"y": "new"})


def test_settings_are_told_with_their_comments() -> None:
    said = settings_table(
        "# About all.\n\n# A name | no number.\nname: x\n\nlimits:\n  # How many.\n  rows: 5\n"
    )
    assert said.splitlines()[2:] == [
        "| `name` | `x` | A name \\| no number. |",
        "| `limits.rows` | `5` | How many. |",
    ]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.name)
def test_notebooks_are_kept_without_outputs(file: object) -> None:
    notebook = json.loads((REPOSITORY / "notebooks" / str(file)).read_text(encoding="utf-8"))
    cells = [one for one in notebook["cells"] if one["cell_type"] == "code"]
    assert not [one["id"] for one in cells if one["outputs"] or one["execution_count"] is not None]
    assert any("parameters" in one["metadata"].get("tags", []) for one in cells)
    assert set(notebook["metadata"]["kernelspec"]) == {"display_name", "language", "name"}


def test_comments_of_columns_name_the_values_that_may_stand() -> None:
    columns = [one for spec in (*SPECS, run.SPEC) for one in spec.fields if one.accepted]
    assert len(columns) > 50
    assert [one.name for one in columns if not all(value in one.comment for value in one.accepted)] == []
    assert listing("How much it matters.", ("info",)) == "How much it matters. One of: info."
    assert listing("a: so; b: so.", ("a", "b")) == "a: so; b: so."
