"""What to do about a finding on a page: the first thing, and the steps of its playbook once a rule."""

from typing import TYPE_CHECKING

from jobs.playbook.markdown import code_lines, target
from jobs.playbook.pages import COMMAND, Page, page
from jobs.questions.rows import Row
from jobs.report.elements import Markup, element, joined, lines_joined

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode as Node

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
        *map(part_of, to_do),
        element("h4", SHOWN[1]),
        *map(part_of, not_to_do),
        element("p", f"More of it, and how sure it is: {COMMAND} {found.rule}", class_="note"),
        class_="steps",
    )


def part_of(node: "Node") -> str:
    """Markup, or text."""
    if not node.children:
        return leaf_of(node)
    inside = [*map(part_of, node.children), target(node)]
    if node.hidden or node.type in ("inline", "link"):
        return joined(inside)
    return element(node.tag, *inside, value=node.info or None)


def leaf_of(node: "Node") -> str:
    if node.type == "fence":
        return element("pre", lines_joined(code_lines(node)))
    if node.type == "softbreak":
        return element("br")
    return element("code", node.content) if node.type == "code_inline" else node.content
