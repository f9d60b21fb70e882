"""Documentation that is made from declarations is fresh, and names nothing that is not there."""

import json
import re
from pathlib import Path

import pytest

from jobs.cli import COMMANDS
from jobs.docs import documentation_files, generated_parts
from jobs.documentation.settings import CONF_FILE, commented_setting, meaning_cell, settings_file
from jobs.settings.defaults import DeclaredSetting
from pipeline.catalog.docs import fill_blocks
from pipeline.catalog.tables import SPECS
from schemas.ops import run
from schemas.spec import comment_with_values
from tests.house.source import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))


DOCUMENTS = [
    *documentation_files(REPOSITORY),
    *(REPOSITORY / f"{one}.md" for one in ("CONTRIBUTING", "DECISIONS")),
]
NAMED = {str(one.relative_to(REPOSITORY)): one.read_text(encoding="utf-8") for one in DOCUMENTS}
# [words](docs/file.md#place), but not of the web.
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return generated_parts(REPOSITORY)


def test_generated_parts_are_fresh_and_stand_once(made: dict[str, str]) -> None:
    stale = [name for name, text in NAMED.items() if fill_blocks(text, made) != text]
    assert not stale, f"{stale} are stale: run make docs"
    whole = "".join(NAMED.values())
    assert [one for one in made if whole.count(f"<!-- {one}:start -->") != 1] == []


@pytest.mark.parametrize("document", NAMED)
def test_a_document_names_what_is_there(document: str) -> None:
    text = NAMED[document]
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"^make ([a-z]+)|`make ([a-z]+)", text, re.M)) <= {
        pair for one in targets for pair in ((one, ""), ("", one))
    }
    commands = re.findall(r"(?:^|`|bin/)kafka-controller-audit ([a-z]+)", text, re.M)
    assert set(commands) <= {*COMMANDS, "help"}
    rooms = r"(?:conf|deploy|jobs|notebooks|pipeline|schemas|tests)/[\w./-]+\.[a-z]+\b"
    assert not [one for one in set(re.findall(f"`({rooms})`", text)) if not (REPOSITORY / one).is_file()]


@pytest.mark.parametrize("document", NAMED)
def test_links_lead_to_places_that_are_there(document: str) -> None:
    broken = [
        f"{file}#{place}"
        for file, place in LINK.findall(NAMED[document])
        if not leads(REPOSITORY / document, file, place)
    ]
    assert not broken, broken


def leads(document: Path, file: str, place: str) -> bool:
    target = (document.parent / file).resolve() if file else document
    return target.exists() and (not place or place in places(target.read_text(encoding="utf-8")))


def places(text: str) -> set[str]:
    """As hosts of repositories name headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    slugs = {re.sub(r"[^\w -]", "", one.lower()).strip().replace(" ", "-") for one in headings}
    return slugs | set(re.findall(r'<a name="([^"]+)">', text))


def test_every_document_is_reached_from_the_readme() -> None:
    reached, ahead = set[Path](), [REPOSITORY / "README.md"]
    while ahead:
        document = ahead.pop().resolve()
        if document in reached or document.suffix != ".md" or not document.is_file():
            continue
        reached.add(document)
        links = LINK.findall(document.read_text(encoding="utf-8"))
        ahead += [document.parent / file for file, _ in links if file]
    assert [one for one in DOCUMENTS if one.resolve() not in reached] == []


def test_the_front_page_is_short() -> None:
    assert len(NAMED["README.md"].splitlines()) <= 300


def test_a_block_is_put_between_its_markers() -> None:
    text = "a\n<!-- x:start -->\nold\n<!-- x:end -->\nz\n"
    fresh = fill_blocks(text, {"x": "new"})
    assert fresh == "a\n<!-- x:start -->\nnew\n<!-- x:end -->\nz\n" == fill_blocks(fresh, {"x": "new"})
    assert fill_blocks(text, {"y": "new"}) == text
    with pytest.raises(ValueError, match="no markers <!-- y:start -->"):
        fill_blocks(f"{text}<!-- y:start -->", {"y": "new"})


def test_the_settings_of_conf_are_as_declared() -> None:
    assert (REPOSITORY / CONF_FILE).read_text(encoding="utf-8") == settings_file()
    told = [
        DeclaredSetting("name", "x", "A name."),
        DeclaredSetting("limits", "", ""),
        DeclaredSetting("limits.rows", "5", "How many:\nrows: 7"),
    ]
    assert "".join(map(commented_setting, told)) == (
        "\n# A name.\n# name: x\n\n# limits:\n#   # How many:\n#   #   rows: 7\n#   rows: 5\n"
    )
    assert meaning_cell("How <many>:\nrows: 7") == f"How &lt;many>: see `{CONF_FILE}`"


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
    assert comment_with_values("How much it matters.", ("info",)) == "How much it matters. One of: info."
    assert comment_with_values("a: so; b: so.", ("a", "b")) == "a: so; b: so."
