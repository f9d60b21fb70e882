"""The list of the playbooks in docs/playbooks/README.md: made from the pages, never written by hand."""

from jobs.playbook.pages import COMMAND, GROUPS, page
from schemas.gold.finding import RULES

HEAD = f"""\
# Playbooks

For each rule of the audit: what a finding of it means, what to do, what not to do, and how sure it is.
`{COMMAND} RULE` prints the page, and needs no warehouse; `{COMMAND} F1` prints that of a finding."""


def index() -> str:
    lines = [HEAD]
    for rule in RULES:
        if rule in GROUPS:
            lines += ["", f"## {GROUPS[rule][:1].upper()}{GROUPS[rule][1:]}", ""]
        found = page(rule)
        if found:
            lines.append(f"- [{rule}]({rule}.md): {found.sentence}")
    return "\n".join(lines) + "\n"
