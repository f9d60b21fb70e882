"""What to do about a finding on a page: the first thing, and the steps of its playbook once a rule."""

from typing import TYPE_CHECKING

from jobs.playbook.markdown import code_lines, link_target
from jobs.playbook.pages import COMMAND, Page, playbook_page
from jobs.report.elements import Markup, html_element, join_markup, lines_joined
from pipeline.views.reading.rows import Row

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode as Node

SHOWN = ("What to do", "What not to do")
STEPS = "Steps, and what not to do"


def to_do_part(finding: Row, steps_at: str | None) -> Markup:
    """steps_at: the anchor of the finding beside which the steps stand already."""
    found = playbook_page(finding["rule"])
    first = found.first_thing(is_open=finding["valid_until_at"] is None) if found else None
    if found is None or first is None:
        return join_markup([])
    steps = steps_part(found) if steps_at is None else steps_link(steps_at)
    return html_element("section", html_element("h4", SHOWN[0]), html_element("p", first), steps)


def steps_link(anchor: str) -> Markup:
    shown = anchor.rpartition("-")[2]
    return html_element("p", f"{STEPS}: as for ", html_element("a", shown, href=f"#{anchor}"), class_="note")


def steps_part(found: Page) -> Markup:
    to_do, not_to_do = map(found.part, SHOWN)
    return html_element(
        "details",
        html_element("summary", STEPS),
        *map(part_of, to_do),
        html_element("h4", SHOWN[1]),
        *map(part_of, not_to_do),
        html_element("p", f"More of it, and how sure it is: {COMMAND} {found.rule}", class_="note"),
        class_="steps",
    )


def part_of(node: "Node") -> str:
    """Markup, or text."""
    if not node.children:
        return leaf_of(node)
    inside = [*map(part_of, node.children), link_target(node)]
    if node.hidden or node.type in ("inline", "link"):
        return join_markup(inside)
    return html_element(node.tag, *inside, value=node.info or None)


def leaf_of(node: "Node") -> str:
    if node.type == "fence":
        return html_element("pre", lines_joined(code_lines(node)))
    if node.type == "softbreak":
        return html_element("br")
    return html_element("code", node.content) if node.type == "code_inline" else node.content
