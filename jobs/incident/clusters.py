"""The clusters of an incident in turn: each is told as soon as it is known; of several the worst is told again."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from jobs.engine.intake.discovery import Candidate, Listing
from jobs.engine.run.looking import LogLookResult
from jobs.engine.run.outcome import report_problem, worst_exit_code
from jobs.engine.run.request import RunRequest
from jobs.engine.run.results import require_calm_run, require_whole_result
from jobs.incident.in_memory import AnalyzedLogs, analyze_logs
from jobs.incident.progress import ProgressLine
from jobs.incident.screen import ClusterScreen, render_cluster_screen
from jobs.incident.size import require_planned
from jobs.incident.tables_out import write_tables
from jobs.metadata.document import recorded_document
from jobs.metadata.files import read_metadata_copies
from jobs.metadata.recorded import RecordedCluster
from jobs.metadata.screen import recorded_screen
from jobs.metadata.tables_of_copies import load_of_copies
from jobs.moments import Moment
from jobs.questions.asking import answer_to, as_document
from jobs.questions.named.answer import answer_lines, answer_row
from jobs.questions.window import asked_window
from jobs.report.command import write_page
from jobs.report.inputs import masking_text
from jobs.report.page import Section, cluster_section
from jobs.report.told import cluster_report
from jobs.screen.summary import FAILED, verdict_summary
from jobs.settings.model import Settings
from jobs.terminal import print_lines, show_lines
from jobs.text import printable_line
from pipeline.core.errors import FindingsReached, NothingToRead, PartialInput, PipelineError
from pipeline.views.reading.answers import Answers
from schemas.gold.finding import SEVERITIES

JOB = "incident"
TOLD = "what is told is by all others; mend the files and ask again"


@dataclass(frozen=True)
class IncidentOptions:
    """How it is to be told. format: text, json or jsonl; tables: the folder for all tables; fail_on: a severity;
    questions: what is answered instead of the screen; finding: one that is told alone; report: the HTML file of all
    clusters; is_detailed: the screen tells all, not at a glance."""

    format: str
    since: Moment
    until: Moment
    tables: Path | None
    fail_on: str | None
    questions: tuple[Namespace, ...] = ()
    finding: str | None = None
    report: Path | None = None
    is_detailed: bool = False


Analyze = Callable[[RunRequest, ProgressLine, Callable[[LogLookResult], None]], AnalyzedLogs]
NEEDS_LINES = NothingToRead(
    expected="text logs beside the metadata log, for --ask, --show, --tables and --report",
    found="none",
    todo="ask without them, or 'metadata PATH --topic TOPIC' for records",
)


def unsound_records(fail_on: str) -> FindingsReached:
    return FindingsReached(
        expected=f"no finding of severity {fail_on} or above",
        found="a metadata log that is damaged, or that no release of Kafka writes so",
        todo="compare it with the copy of another node",
    )


@dataclass
class Clusters:
    """analyze: what gives the answer of one of them."""

    asked: IncidentOptions
    settings: Settings
    paths: Sequence[str]
    progress: ProgressLine
    metadata: Mapping[str, Sequence[Candidate]] = field(default_factory=dict)
    told: list[ClusterScreen] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    count: int = 1
    analyze: Analyze = analyze_logs

    def run(self, found: Mapping[str, Sequence[Candidate]]) -> int:
        """The exit code: of the worst."""
        foreign: list[NothingToRead] = []
        self.count = len(found)
        for cluster_id, candidates in found.items():
            self.progress.label = f"{cluster_id} " if len(found) > 1 else ""
            recorded = self.read_records(cluster_id)
            try:
                self.answer(cluster_id, Listing(candidates, self.paths), recorded)
            except NothingToRead as problem:
                if recorded is None:
                    foreign.append(problem)
                else:
                    self.answer_by_records(recorded)
            except PipelineError as problem:
                self.say(problem)
                self.told.append(ClusterScreen(cluster_id, "", FAILED.format(problem), {}, {}, problem=True))
        for nothing in foreign if self.codes else foreign[1:]:
            report_problem(JOB, nothing)
        if foreign and not self.codes:
            self.say(foreign[0])
        self.finish()
        return worst_exit_code(self.codes)

    def read_records(self, cluster_id: str) -> RecordedCluster | None:
        """The metadata log of a cluster; None: none of its copies was given, or none can be read."""
        candidates = self.metadata.get(cluster_id, ())
        if not candidates:
            return None
        self.progress.stage("metadata log", f"{len(candidates)} files")
        copies = read_metadata_copies(candidates, self.settings)
        for path, why in copies.refused:
            print(f"{JOB}: {printable_line(path)}: {why}", file=sys.stderr)
        return RecordedCluster(cluster_id, copies) if copies.files else None

    def answer_by_records(self, recorded: RecordedCluster) -> None:
        """Of a cluster without text logs."""
        asked = self.asked
        if asked.questions or asked.finding or asked.report is not None or asked.tables is not None:
            self.say(NEEDS_LINES)
            return
        self.progress.clear()
        lines, document = recorded_screen(recorded), recorded_document(recorded)
        if asked.since is not None or asked.until is not None:
            lines.append("NOTE    all of it is told: --since and --until of 'metadata' choose among records")
        counts = dict.fromkeys(SEVERITIES, 0) | ({} if recorded.is_sound() else {"critical": 1})
        one = ClusterScreen(recorded.cluster_id, "\n".join(lines), document["verdict"], counts, document)
        self.told.append(one)
        if asked.format == "text":
            print_lines(lines)
        if asked.fail_on is None or recorded.is_sound():
            self.codes.append(0)
        else:
            self.say(unsound_records(asked.fail_on))

    def answer(self, cluster_id: str, listing: Listing, recorded: RecordedCluster | None = None) -> None:
        load = None if recorded is None else load_of_copies(cluster_id, recorded.copies, recorded.joined)
        request = RunRequest(JOB, "", cluster_id, lambda: listing, self.settings, metadata=load)
        answer = self.analyze(request, self.progress, partial(require_planned, self.settings))
        asked, is_json = self.asked, self.asked.format != "text"
        window = asked_window(asked.since, asked.until, Answers(cluster_id, answer.tables))
        one = render_cluster_screen(
            request,
            answer,
            window,
            asked.finding,
            is_json=is_json,
            is_detailed=asked.is_detailed,
            recorded=recorded,
        )
        if asked.questions:
            one = self.replied(one, Answers(cluster_id, answer.tables))
        self.progress.clear()
        self.told.append(one)
        if self.asked.format == "text":
            show = print_lines if self.count > 1 else partial(show_lines, last=f"VERDICT  {one.verdict}")
            show(one.text.split("\n"))
        if self.asked.tables is not None:
            write_tables(self.asked.tables / cluster_id, answer.tables)
        if self.asked.report is not None:
            masking = masking_text(self.settings.masking.stated())
            found = Answers(cluster_id, answer.tables)
            built = [*answer.result.watermarks]
            page = cluster_report(found, window, masking, is_stored=False, built=built)
            self.sections.append(cluster_section(page, len(self.sections) + 1, self.count))
        self.judge(answer, one)

    def replied(self, one: ClusterScreen, answers: Answers) -> ClusterScreen:
        """Of all of the logs: the window is for the screen."""
        is_json = self.asked.format != "text"
        found = [answer_to(as_document(each) if is_json else each, answers) for each in self.asked.questions]
        answered = ["\n".join(answer_lines(each)) for each in found]
        text = "\n\n".join([one.text, *answered] if self.asked.finding else answered)
        shown = one.document if self.asked.finding else {"cluster_id": one.cluster_id}
        document = {**shown, "answers": [answer_row(each) for each in found]}
        return replace(one, text=text, document=document)

    def judge(self, answer: AnalyzedLogs, one: ClusterScreen) -> None:
        severities = [name for name, count in one.counts.items() if count]
        try:
            require_whole_result(answer.result, TOLD)
            require_calm_run(self.asked.fail_on, answer.result, severities, "look at them with --show F1")
            self.codes.append(0)
        except (PartialInput, FindingsReached) as problem:
            self.say(problem)

    def say(self, problem: PipelineError) -> None:
        self.progress.clear()
        self.codes.append(report_problem(JOB, problem))

    def finish(self) -> None:
        """The worst first."""
        if self.asked.report is not None and self.sections:
            needs = {one.cluster_id: one.summed.need for one in self.told}
            write_page(
                self.asked.report, sorted(self.sections, key=lambda one: needs[one.cluster_id]), "--report"
            )
        if self.asked.format != "text":
            documents = [
                one.document for one in sorted(self.told, key=lambda one: one.summed.need) if one.document
            ]
            whole = json.dumps({"clusters": documents}, indent=2)
            lines = [json.dumps(one) for one in documents] if self.asked.format == "jsonl" else [whole]
            print("\n".join(lines), flush=True)
        elif lines := verdict_summary(one.summed for one in self.told):
            print_lines(lines)
