"""How a playbook, and the list of them, stands on a terminal."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from jobs.layout import installed_command, wrap_text
from jobs.playbook.markdown import code_lines, plain_markdown
from jobs.playbook.pages import Page, playbook_page
from pipeline.rules.order import GROUPS

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode as Node

CODE = 4  # blanks before it


def page_lines(found: Page) -> list[str]:
    """Prose wraps; what is to be pasted stays whole."""
    return [*node_lines(found.tree.children, found.text.splitlines())]


def node_lines(nodes: Iterable["Node"], source: Sequence[str], before: str = "") -> Iterator[str]:
    """Lines of nodes below each other, with the blank lines of the source. before: what stands before the first line;
    the others are indented by as much."""
    for one in nodes:
        indent = " " * len(before)
        if one.type == "list_item":
            yield from node_lines(one.children, source, f"{indent}{one.info}{one.markup} ")
        elif one.type in ("bullet_list", "ordered_list"):
            yield from node_lines(one.children, source, indent)
        else:
            if one.map and one.map[0] and not source[one.map[0] - 1].strip():
                yield ""
            yield from leaf_lines(one, before)
            before = indent


def leaf_lines(node: "Node", before: str) -> list[str]:
    indent = len(before)
    if node.type == "fence":
        return [f"{' ' * max(CODE, indent + 2)}{line}".rstrip() for line in code_lines(node)]
    if node.type == "heading":
        return wrap_text(plain_markdown(node) if node.tag == "h1" else plain_markdown(node).upper())
    lines = f"{before}{plain_markdown(node)}".replace("\n", f"\n{' ' * indent}").split("\n")
    return [part for line in lines for part in wrap_text(line, indent)]


def rule_lines() -> Iterator[str]:
    """All rules, each with its sentence, in the order of the harm."""
    for place, (about, rules) in enumerate(GROUPS.items()):
        yield from ("", about.upper()) if place else (about.upper(),)
        for rule in rules:
            found = playbook_page(rule)
            yield f"  {rule}"
            yield from wrap_text(f"{' ' * 6}{found.sentence if found else 'no page yet'}", 6)
    yield ""
    yield from wrap_text(
        f"What to do about one: {installed_command()} playbook RULE, or F1 for that of a finding"
    )
