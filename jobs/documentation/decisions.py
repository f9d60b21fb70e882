"""The index of the decisions, made from the pages in docs/decisions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.catalog.docs import markdown_table

FOLDER = "docs/decisions"
INDEX = "DECISIONS.md"
TOPICS = (
    "The compute layer",
    "Nights",
    "Storage",
    "Reading logs",
    "Judging",
    "KRaft",
    "Screens and commands",
    "Building and testing",
)
PAGE = re.compile(
    r"# (?P<number>\d{4})\. (?P<title>[^\n]+)\n\n"
    r"Status: (?P<status>accepted|superseded by \[\d{4}\]\((?P<by>[\w-]+\.md)\))\n\n"
    r"Topic: (?P<topic>[^\n]+)\n\n\S"
)
INTRO = f"""\
# Decisions

Why things are as they are, and what each costs. One decision has one page of about ten lines in `{FOLDER}`: what is
decided, why, the figures with the command that prints them, and the price. This index is generated: `make docs`.

Where a page says no more, figures are of the sample (6.4 MB, 23,694 records) on 2 cores; where it has none, none was
taken. A page that a later one replaces stays, marked as superseded: it says what was tried."""


@dataclass(frozen=True)
class Decision:
    """file: its name in the folder. by: the name of the page that supersedes it, if one does."""

    file: str
    number: str
    title: str
    status: str
    topic: str
    by: str | None


def parse_decision(file: str, text: str) -> Decision:
    """What the first lines of a page say. ValueError: they are not as those of a page have to be."""
    found = PAGE.match(text)
    if found is None:
        raise ValueError(f"{file} does not begin with '# NNNN. Title', 'Status: ...' and 'Topic: ...'")
    if found["topic"] not in TOPICS:
        raise ValueError(f"{file} has the topic '{found['topic']}', which is none of {', '.join(TOPICS)}")
    return Decision(file, found["number"], found["title"], found["status"], found["topic"], found["by"])


def read_decisions(folder: Path) -> list[Decision]:
    """All pages by their numbers."""
    return [parse_decision(one.name, one.read_text(encoding="utf-8")) for one in sorted(folder.glob("*.md"))]


def decision_index(folder: Path) -> str:
    """The text of the index: a table for each topic that has a page."""
    pages = read_decisions(folder)
    by_topic = {name: [one for one in pages if one.topic == name] for name in TOPICS}
    parts = [f"## {name}\n\n{table_of(those)}" for name, those in by_topic.items() if those]
    return "\n\n".join([INTRO, *parts]) + "\n"


def table_of(pages: Sequence[Decision]) -> str:
    rows = [(f"[{one.number}]({FOLDER}/{one.file})", one.title, decision_status(one)) for one in pages]
    return markdown_table(("", "decision", "status"), rows)


def decision_status(page: Decision) -> str:
    """Links of a page lead on from its own folder, those of the index from the root."""
    return page.status.replace("](", f"]({FOLDER}/")


def write_index(repository: Path) -> None:
    """Writes the index, if it is stale."""
    file, fresh = repository / INDEX, decision_index(repository / FOLDER)
    if not file.is_file() or file.read_text(encoding="utf-8") != fresh:
        file.write_text(fresh, encoding="utf-8")
