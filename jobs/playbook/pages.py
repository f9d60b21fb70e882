"""The playbooks: for each rule of the audit a page beside it, which says what to do about its findings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import dropwhile, islice, takewhile
from typing import TYPE_CHECKING

from jobs.playbook.markdown import parse_markdown, plain_markdown, quote_code
from pipeline.rules.order import RULE_NAMES
from schemas.namespace import full_module_name

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode as Node

GOES_ON, OVER = "While it goes on", "Once it is over"
# What stands below each finding: one line of prose, in which code alone is marked.
LABELLED = re.compile(rf"^\*\*({GOES_ON}|{OVER}):\*\* +(.+?) *$", re.MULTILINE)
SENTENCE = re.compile(r"^(?!#|\*\*)\S.*?(?= *$)", re.MULTILINE)
CODE = re.compile(r"`(.+?)`")
COMMAND = "kafka-controller-audit playbook"


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
        return parse_markdown(self.text)

    def first_thing(self, *, is_open: bool) -> str | None:
        wanted = (GOES_ON, OVER) if is_open else (OVER, GOES_ON)
        return next((self.to_do[one] for one in wanted if one in self.to_do), None)

    def part(self, title: str) -> list["Node"]:
        """What stands below a heading."""
        after = dropwhile(
            lambda one: one.type != "heading" or plain_markdown(one) != title, self.tree.children
        )
        return list(takewhile(lambda one: one.type != "heading", islice(after, 1, None)))


def page_of(text: str, rule: str) -> Page:
    sentence = SENTENCE.search(text)
    to_do = {one[1]: unmark_code(one[2]) for one in LABELLED.finditer(text)}
    return Page(rule, unmark_code(sentence[0]) if sentence else "", to_do, text)


def unmark_code(line: str) -> str:
    return CODE.sub(lambda one: quote_code(one[1]), line)


@lru_cache(maxsize=len(RULE_NAMES))
def playbook_page(rule: str) -> Page | None:
    """None: this release has none of that rule."""
    if rule not in RULE_NAMES:
        return None
    source = files(full_module_name(f"pipeline.rules.{rule}")).joinpath("playbook.md")
    return page_of(source.read_text(encoding="utf-8"), rule)


def what_to_do(rule: str, *, is_open: bool) -> str | None:
    """The first thing to do about a finding, in one sentence; None: its rule has no page that says it."""
    found = playbook_page(rule)
    return found.first_thing(is_open=is_open) if found else None
