"""Decisions have one page each, numbered without a gap, and the index says what they say."""

import re
from pathlib import Path

import pytest

from jobs.documentation.decisions import (
    FOLDER,
    INDEX,
    decision_index,
    parse_decision,
    read_decisions,
    write_index,
)
from tests.house.source import REPOSITORY

PAGES = REPOSITORY / FOLDER
TEXTS = {file.name: file.read_text(encoding="utf-8") for file in sorted(PAGES.glob("*.md"))}
PAGE = "# 0001. A lock\n\nStatus: accepted\n\nTopic: Storage\n\nIt is a file.\n"


def kebab(title: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))


def test_numbers_have_no_gap_and_files_are_named_by_their_titles() -> None:
    pages = read_decisions(PAGES)
    assert [one.number for one in pages] == [f"{number:04d}" for number in range(1, len(pages) + 1)]
    assert [one.file for one in pages] == [f"{one.number}-{kebab(one.title)}.md" for one in pages]


def test_links_are_named_by_the_numbers_of_their_pages() -> None:
    linked = re.findall(r"\[(\d{4})\]\((\d{4})-", "\n".join(TEXTS.values()))
    assert linked and all(told == number for told, number in linked)


def test_a_superseded_page_leads_to_one_that_holds() -> None:
    by_file = {one.file: one for one in read_decisions(PAGES)}
    superseded = [one for one in by_file.values() if one.by is not None]
    assert superseded and all(by_file[one.by].status == "accepted" for one in superseded if one.by)


def test_the_index_is_fresh() -> None:
    assert (REPOSITORY / INDEX).read_text(encoding="utf-8") == decision_index(PAGES), (
        "DECISIONS.md is stale: run make docs"
    )


def test_the_index_is_made_of_pages(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    (folder / "0001-a-lock.md").write_text(PAGE.replace("accepted", "superseded by [0002](0002-no-lock.md)"))
    (folder / "0002-no-lock.md").write_text(PAGE.replace("0001. A", "0002. No"))
    write_index(tmp_path)
    assert (tmp_path / INDEX).read_text().split("\n\n", 3)[3] == (
        "## Storage\n\n|  | decision | status |\n| --- | --- | --- |\n"
        "| [0001](docs/decisions/0001-a-lock.md) | A lock | superseded by [0002](docs/decisions/0002-no-lock.md) |\n"
        "| [0002](docs/decisions/0002-no-lock.md) | No lock | accepted |\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PAGE.replace("Status: accepted\n\n", ""), "does not begin"),
        (PAGE.replace("accepted", "maybe"), "does not begin"),
        (PAGE.replace("Storage", "Magic"), "has the topic 'Magic'"),
    ],
)
def test_a_page_without_status_or_topic_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_decision("0001-a-lock.md", text)
