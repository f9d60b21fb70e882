"""What to do about a finding on a page: the first thing, and the steps of its playbook once a rule."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from jobs.playbook.blocks import Block, spans
from jobs.playbook.pages import COMMAND, Page, page
from jobs.questions.rows import Row
from jobs.report.elements import Markup, element, joined, lines_joined

SHOWN = ("What to do", "What not to do")
STEPS = "Steps, and what not to do"


def to_do_part(finding: Row, steps_at: str | None) -> Markup:
    """steps_at: the anchor of the finding beside which the steps stand already."""
    found = page(finding["rule"])
    first = found.first_thing(is_open=finding["valid_until_at"] is None) if found else None
    if found is None or first is None:
        return joined([])
    steps = steps_part(found) if steps_at is None else linked(steps_at)
    return element("section", element("h4", SHOWN[0]), element("p", first), steps)


def linked(anchor: str) -> Markup:
    shown = anchor.rpartition("-")[2]
    return element("p", f"{STEPS}: as for ", element("a", shown, href=f"#{anchor}"), class_="note")


def steps_part(found: Page) -> Markup:
    to_do, not_to_do = map(found.part, SHOWN)
    return element(
        "details",
        element("summary", STEPS),
        *parts_of(to_do),
        element("h4", SHOWN[1]),
        *parts_of(not_to_do),
        element("p", f"More of it, and how sure it is: {COMMAND} {found.rule}", class_="note"),
        class_="steps",
    )


def parts_of(found: Sequence[Block]) -> Iterator[Markup]:
    """Items next to each other are one list."""
    for name, those in groupby(nested(found), lambda one: list_of(one[0])):
        if name:
            yield element(name, *(item(one, below) for one, below in those))
        else:
            yield from (leaf(one) for one, _ in those)


def nested(found: Sequence[Block]) -> Iterator[tuple[Block, list[Block]]]:
    """Each block that stands below none, with those that stand below it: an item has what is set in behind it."""
    below: list[Block] = []
    last: Block | None = None
    for one in found:
        if last is not None and last.kind == "item" and (one.indent > last.indent or one.kind == "code"):
            below.append(one)
            continue
        if last is not None:
            yield last, below
        last, below = one, []
    if last is not None:
        yield last, below


def list_of(one: Block) -> str:
    if one.kind != "item":
        return ""
    return "ol" if one.mark[0].isdigit() else "ul"


def item(one: Block, below: Sequence[Block]) -> Markup:
    number = one.mark.rstrip(".)")
    return element("li", *words(one.text), *parts_of(below), value=number if number.isdigit() else None)


def leaf(one: Block) -> Markup:
    if one.kind == "code":
        return element("pre", lines_joined(one.text.split("\n")))
    return element("p", *words(one.text))


def words(text: str) -> Iterator[str]:
    for kind, part in spans(text):
        if kind in ("code", "strong"):
            yield element(kind, *((part,) if kind == "code" else words(part)))
        else:
            yield part if kind == "plain" else joined(words(part))
