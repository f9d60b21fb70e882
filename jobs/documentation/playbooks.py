"""The list of the playbooks, each with what a finding of its rule says has happened."""

from jobs.playbook.pages import GROUPS, page
from schemas.gold.finding import RULES


def playbooks_part() -> str:
    """In the order of the harm, below what each group of rules is about."""
    lines: list[str] = []
    for rule in RULES:
        if rule in GROUPS:
            lines += ["", f"## {GROUPS[rule][:1].upper()}{GROUPS[rule][1:]}", ""]
        found = page(rule)
        if found:
            lines.append(f"- [{rule}]({rule}.md): {found.sentence}")
    return "\n".join(lines).strip("\n")
