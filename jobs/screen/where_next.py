"""The end of the first screen: where the tables lie, and the next questions as commands to paste."""

from shlex import quote

from jobs.engine.run.request import RunRequest
from jobs.layout import command_lines, installed_command, wrap_text
from jobs.playbook.pages import playbook_page
from jobs.questions.finding_lines import unsuppressed_findings
from jobs.screen.facts import Facts
from pipeline.core.clocks import day_clock


def where_next(request: RunRequest, folder: str, facts: Facts, *, is_detailed: bool = True) -> list[str]:
    """is_detailed: not the first question and the first playbook alone."""
    read, findings = facts.read, unsuppressed_findings(facts.findings)
    at = day_clock(read["last_at"]).replace(" ", "T") if read["last_at"] else "TIME"
    asked_of = [f"--warehouse {quote(request.warehouse)}", f"--cluster {quote(request.cluster_id)}"]
    questions = [
        ["show F1" if findings else "terms", *asked_of],
        *([f"playbook {one['rule']}"] for one in findings[:1] if playbook_page(one["rule"])),
        ["partition TOPIC-N", *asked_of],
        [f"brokers --at {at}", *asked_of],
    ]
    return [
        *wrap_text(f"TABLES {folder}/<layer>/<table> (Delta)", 7),
        *(
            line
            for place, words in enumerate(questions if is_detailed else questions[:2])
            for line in command_lines([installed_command(), *words], " " * 7 if place else "NEXT   ", 9)
        ),
    ]
