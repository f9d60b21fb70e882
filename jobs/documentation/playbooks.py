"""The list of the playbooks, each with what a finding of its rule says has happened."""

from jobs.playbook.pages import playbook_page
from pipeline.rules.order import GROUPS


def playbooks_part() -> str:
    """In the order of the harm, below what each group of rules is about."""
    lines: list[str] = []
    for about, rules in GROUPS.items():
        lines += ["", f"## {about[:1].upper()}{about[1:]}", ""]
        pages = [found for found in map(playbook_page, rules) if found]
        lines += [
            f"- [{one.rule}](../pipeline/rules/{one.rule}/playbook.md): {one.sentence}" for one in pages
        ]
    return "\n".join(lines).strip("\n")
