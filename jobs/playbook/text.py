"""How a playbook, and the list of them, stands on a terminal."""

from collections.abc import Iterator

from jobs.layout import own_command, wrapped
from jobs.playbook.blocks import Block, plain
from jobs.playbook.pages import GROUPS, Page, page
from schemas.gold.finding import RULES

CODE = 4  # blanks before it


def page_lines(found: Page) -> list[str]:
    """Prose wraps; what is to be pasted stays whole."""
    lines: list[str] = []
    for one in found.blocks:
        if one.is_apart and lines:
            lines.append("")
        lines += block_lines(one)
    return lines


def block_lines(one: Block) -> list[str]:
    if one.kind == "heading":
        is_title = one.text in RULES
        return wrapped(one.text if is_title else plain(one.text).upper())
    if one.kind == "code":
        indent = " " * max(CODE, one.indent + 2)
        return [f"{indent}{line}".rstrip() for line in one.text.split("\n")]
    before = f"{' ' * one.indent}{one.mark} " if one.kind == "item" else " " * one.indent
    return wrapped(f"{before}{plain(one.text)}", len(before))


def rule_lines() -> Iterator[str]:
    """All rules, each with its sentence, in the order of the harm."""
    for rule in RULES:
        if rule in GROUPS:
            yield from ("", GROUPS[rule].upper()) if rule != RULES[0] else (GROUPS[rule].upper(),)
        found = page(rule)
        yield f"  {rule}"
        yield from wrapped(f"{' ' * 6}{found.sentence if found else 'no page yet'}", 6)
    yield ""
    yield from wrapped(f"What to do about one: {own_command()} playbook RULE, or F1 for that of a finding")
