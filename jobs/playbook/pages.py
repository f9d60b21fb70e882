"""The playbooks: for each rule of the audit a page of docs/playbooks, which says what to do about its findings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import dropwhile, islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.playbook.markdown import parsed, plain, quoted
from schemas.gold.finding import RULES
from schemas.namespace import named

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode as Node

FOLDER, COPY = "docs/playbooks", "pages"
GOES_ON, OVER = "While it goes on", "Once it is over"
# What stands below each finding: one line of prose, in which code alone is marked.
LABELLED = re.compile(rf"^\*\*({GOES_ON}|{OVER}):\*\* +(.+?) *$", re.MULTILINE)
SENTENCE = re.compile(r"^(?!#|\*\*)\S.*?(?= *$)", re.MULTILINE)
CODE = re.compile(r"`(.+?)`")
COMMAND = "kafka-controller-audit playbook"
# Where each group of the rules begins, which stand in the order of the harm.
GROUPS = {
    "unclean_election": "what users feel",
    "broker_flapping": "what threatens",
    "illegal_move": "what is odd",
    "missing_logs": "what is missing to know more",
}


@dataclass(frozen=True)
class Page:
    """sentence: what a finding of the rule says has happened. to_do: what to do first, while it goes on and once it is
    over, in plain words; where it can be one of these alone, the other is not there."""

    rule: str
    sentence: str
    to_do: Mapping[str, str]
    text: str

    @cached_property
    def tree(self) -> "Node":
        return parsed(self.text)

    def first_thing(self, *, is_open: bool) -> str | None:
        wanted = (GOES_ON, OVER) if is_open else (OVER, GOES_ON)
        return next((self.to_do[one] for one in wanted if one in self.to_do), None)

    def part(self, title: str) -> list["Node"]:
        """What stands below a heading."""
        after = dropwhile(lambda one: one.type != "heading" or plain(one) != title, self.tree.children)
        return list(takewhile(lambda one: one.type != "heading", islice(after, 1, None)))


def page_of(text: str, rule: str) -> Page:
    sentence = SENTENCE.search(text)
    to_do = {one[1]: unmarked(one[2]) for one in LABELLED.finditer(text)}
    return Page(rule, unmarked(sentence[0]) if sentence else "", to_do, text)


def unmarked(line: str) -> str:
    return CODE.sub(lambda one: quoted(one[1]), line)


@lru_cache(maxsize=len(RULES))
def page(rule: str) -> Page | None:
    """None: this release has none of that rule."""
    if rule not in RULES:
        return None
    source = folder().joinpath(f"{rule}.md")
    return page_of(source.read_text(encoding="utf-8"), rule) if source.is_file() else None


def folder() -> Traversable:
    """In a checkout where they are written, else the copy that the wheel has, also from inside an archive."""
    checkout = Path(__file__).resolve().parents[2] / FOLDER
    return checkout if checkout.is_dir() else files(named("jobs.playbook")).joinpath(COPY)


def what_to_do(rule: str, *, is_open: bool) -> str | None:
    """The first thing to do about a finding, in one sentence; None: its rule has no page that says it."""
    found = page(rule)
    return found.first_thing(is_open=is_open) if found else None
