"""What `incident` says of one cluster, and one line of each where there are several."""

from dataclasses import dataclass
from typing import Any

from jobs.engine.run.request import RunRequest, RunResult
from jobs.incident.in_memory import AnalyzedLogs
from jobs.layout import installed_command
from jobs.playbook.pages import playbook_page
from jobs.questions.ask import show_finding
from jobs.questions.changes import out as changes_out
from jobs.questions.finding_lines import standing_findings
from jobs.questions.finding_lines import unsuppressed_findings as told_findings
from jobs.questions.findings_out import ClusterFindings as ToldFindings
from jobs.questions.findings_out import finding_documents, iso_or_value
from jobs.questions.window import TablesWithin, Window
from jobs.screen.facts import Facts, gather_facts
from jobs.screen.first_screen import Screen, fit_lines, screen_of
from jobs.screen.summary import Verdict
from pipeline.views.reading.answers import Answers
from schemas.gold.finding import SEVERITIES


@dataclass(frozen=True)
class ClusterScreen:
    """One cluster: what is printed of it, and by severity how many findings are shown. document: where it is asked for;
    problem: there is no answer."""

    cluster_id: str
    text: str
    verdict: str
    counts: dict[str, int]
    document: dict[str, Any]
    problem: bool = False

    @property
    def summed(self) -> Verdict:
        return Verdict(self.cluster_id, self.verdict, self.counts, self.problem)


def render_cluster_screen(
    request: RunRequest,
    answer: AnalyzedLogs,
    window: Window,
    finding: str | None = None,
    *,
    is_json: bool = False,
) -> ClusterScreen:
    """finding: its number, to tell of it alone with all of its lines. InputProblem: there is none of that number."""
    tables = TablesWithin(answer.tables, window)
    answers, result = Answers(request.cluster_id, tables), answer.result
    facts = gather_facts(answers, result.watermarks, 0, window.since, window.until)
    screen = screen_of(facts, request, result, what_next(request, facts), window.said(answer.tables, tables))
    rows = standing_findings(facts.findings)
    counts = {one: sum(row["severity"] == one for row in rows) for one in SEVERITIES}
    document = incident_document(answers, result, screen, facts) if is_json else {}
    text = screen.text if finding is None else "\n".join(show_finding(finding, answers))
    return ClusterScreen(request.cluster_id, text, screen.verdict, counts, document)


def what_next(request: RunRequest, facts: Facts) -> list[str]:
    """Playbooks, and what else this command answers; nothing is stored, so the rest is asked of a warehouse."""
    first: dict[str, int] = {}
    for number, one in enumerate(told_findings(facts.findings), 1):
        if (one["severity"] != "info" or number == 1) and playbook_page(one["rule"]):
            first.setdefault(one["rule"], number)
    rules = [f"{rule} (F{number})" for rule, number in first.items()]
    lines = [f"       {installed_command()} playbook {rule}" for rule in [*first][:1]]
    said = [
        *([f"or playbook {', '.join(rules[1:])}"] if rules[1:] else []),
        "the same command with --show F1: a finding with all of its lines; --ask 'why-leaderless TOPIC-N': a question; "
        "--report FILE: a page with all of it; --format json: findings and changes; --tables DIR: the tables",
        f"to ask more of {request.cluster_id}: nightly --logs ..., then show, partition, brokers, outages, term",
    ]
    lines += fit_lines([f"       {one}" for one in said], 9)
    return [f"NEXT{lines[0][4:]}", *lines[1:]]


def incident_document(answers: Answers, result: RunResult, screen: Screen, facts: Facts) -> dict[str, Any]:
    """verdict, figures of what was read, findings and changes as `findings` and `changes` give them as JSON."""
    findings, changes = facts.findings, facts.changes or []
    lines_of = answers.lines([place for one in findings for place in one["evidence"]], shown=())
    listed = ToldFindings(answers.cluster_id, findings, lines_of, answers.last_at())
    read = {name: iso_or_value(value) for name, value in answers.read().items() if name != "new_from_at"}
    return {
        "cluster_id": answers.cluster_id,
        "verdict": screen.verdict,
        "read": read,
        "files": dict(result.states),
        "not_read": [{"path": path, "sentence": said} for path, said in result.unread],
        "left_out": list(result.left_out),
        "findings": finding_documents(listed),
        "changes": changes_out.change_documents(changes, changes_out.places_of(answers, changes)),
    }
