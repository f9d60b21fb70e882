"""What `incident` says of one cluster, and one line of each where there are several."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from jobs.engine.run.request import RunRequest
from jobs.incident.document import finding_alone_document, incident_document
from jobs.incident.in_memory import AnalyzedLogs
from jobs.layout import command_lines, installed_command, wrap_lines
from jobs.metadata.recorded import RecordedCluster
from jobs.metadata.witness import check_witnesses, witness_lines
from jobs.playbook.pages import playbook_page
from jobs.questions.ask import show_finding
from jobs.questions.finding_lines import standing_findings
from jobs.questions.finding_lines import unsuppressed_findings as told_findings
from jobs.questions.window import TablesWithin, Window
from jobs.screen.facts import Facts, gather_facts
from jobs.screen.first_screen import screen_of
from jobs.screen.summary import Verdict
from pipeline.views.reading.answers import Answers
from schemas.gold.finding import SEVERITIES

HANG = 8


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
    is_detailed: bool = False,
    recorded: RecordedCluster | None = None,
) -> ClusterScreen:
    """finding: its number, to tell of it alone with all of its lines; recorded: what the metadata log says of the
    cluster, where it was given. InputProblem: there is none of that number."""
    tables = TablesWithin(answer.tables, window)
    answers, result = Answers(request.cluster_id, tables), answer.result
    facts = gather_facts(answers, result.watermarks, 0, window.since, window.until)
    shown = window.said(answer.tables, tables)
    check = None if recorded is None else check_witnesses(recorded, answer.tables)
    if recorded is not None and check is not None:
        is_of_it = len(recorded.joined.marks) and not check.is_other_cluster
        judged = recorded.move_text() if is_detailed else recorded.short_move_text()
        moves = judged if is_of_it else ""
        facts = replace(
            facts, witness=witness_lines(recorded, check, is_detailed=is_detailed), recorded_moves=moves
        )
    screen = screen_of(facts, request, result, what_next(facts), shown, is_detailed=is_detailed)
    rows = standing_findings(facts.findings)
    counts = {one: sum(row["severity"] == one for row in rows) for one in SEVERITIES}
    if finding is not None:
        text = "\n".join(show_finding(finding, answers))
        document = finding_alone_document(answers, finding) if is_json else {}
    else:
        text = screen.text
        document = incident_document(answers, result, screen.verdict, facts) if is_json else {}
    if is_json and check is not None:
        document["witness"] = asdict(check)
    return ClusterScreen(request.cluster_id, text, screen.verdict, counts, document)


def what_next(facts: Facts) -> list[str]:
    """Playbooks, and what else this command answers, on the same logs."""
    told = told_findings(facts.findings)
    rule = next((one["rule"] for one in told if playbook_page(one["rule"])), None)
    show = "--show F1 (all of its lines), " if told else ""
    said = f"{show}--details, --ask 'why-leaderless TOPIC-N', --report FILE"
    lines = wrap_lines([f"NEXT    the same command with {said}"], HANG)
    if rule is None:
        return lines
    return [*lines, *command_lines([installed_command(), "playbook", rule], HANG * " ", HANG)]
