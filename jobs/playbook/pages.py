"""The playbooks: for each rule of the audit a page of docs/playbooks, which says what to do about its findings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile
from pathlib import Path

from jobs.playbook.blocks import Block, blocks, plain
from schemas.gold.finding import RULES
from schemas.namespace import named

FOLDER, COPY = "docs/playbooks", "pages"
GOES_ON, OVER = "While it goes on", "Once it is over"
LABELLED = re.compile(rf"\*\*({GOES_ON}|{OVER}):\*\* *(.+)")
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
    over; where it can be one of these alone, the other is not there."""

    rule: str
    sentence: str
    to_do: Mapping[str, str]
    blocks: tuple[Block, ...]

    def first_thing(self, *, is_open: bool) -> str | None:
        """In plain words."""
        wanted = (GOES_ON, OVER) if is_open else (OVER, GOES_ON)
        return next((plain(self.to_do[one]) for one in wanted if one in self.to_do), None)

    def part(self, title: str) -> list[Block]:
        """What stands below a heading."""
        headings = [place for place, one in enumerate(self.blocks) if one == heading_like(one, title)]
        below = self.blocks[headings[0] + 1 :] if headings else ()
        return list(takewhile(lambda one: one.kind != "heading", below))


def heading_like(one: Block, title: str) -> Block:
    return Block("heading", title, is_apart=one.is_apart)


def page_of(text: str, rule: str) -> Page:
    found = tuple(blocks(text))
    labelled = [LABELLED.fullmatch(one.text) for one in found if one.kind == "text"]
    to_do = {one[1]: one[2] for one in labelled if one}
    said = (one.text for one in found if one.kind == "text" and not LABELLED.fullmatch(one.text))
    return Page(rule, plain(next(said, "")), to_do, found)


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
