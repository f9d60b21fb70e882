"""The follow-up commands: each asks the published tables one question, starts no run and writes nothing."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from jobs.engine.run.chosen_clusters import chosen_clusters
from jobs.engine.run.late_warehouse import open_warehouse
from jobs.engine.run.outcome import report_problem
from jobs.engine.run.request import PARTS_LEFT
from jobs.layout import WIDTH_HELP, wrap_text
from jobs.moments import Moment, asked_moment
from jobs.parser import Parser
from jobs.questions.ask_text import evidence_lines, finding_heading, run_table, term_table, timeline_table
from jobs.questions.finding_lines import to_do_lines
from jobs.questions.given_names import (
    TopicPartition,
    unknown_partition,
)
from jobs.questions.several_clusters import (
    ClusterQuestion,
    ask_clusters,
    cluster_answer_lines,
    cluster_answers_json,
    cluster_answers_jsonl,
)
from jobs.questions.unpublished import TODO, WatchedTables, missing_table_notes, table_names_text
from jobs.terminal import show_lines
from jobs.text import printable_line, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.errors import InputProblem, PipelineError
from pipeline.core.frames import frame_of
from pipeline.store.runs.published import LAST_RUN
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.log_folder import folder_of
from pipeline.views.reading.rows import Row
from schemas.ops import run

SHOWN_RUNS = 60
MEND_RUNS = "that run is what is answered from; 'repair' mends ops.run"
OF_SEVERAL = ("text", "json", "jsonl")
WRITERS = {"json": cluster_answers_json, "jsonl": cluster_answers_jsonl}
OF_RUN = ("run_id", "run_seq", "job", "ended_at", "outcome", "counts", "sentence")


def question_parser(command: str, description: str) -> Parser:
    arguments = Parser(prog=f"kafka-controller-audit {command}", description=description, epilog=WIDTH_HELP)
    arguments.add_argument(
        "--warehouse", default="warehouse", metavar="URI", help="folder of the Delta tables (warehouse)"
    )
    arguments.add_argument("--cluster", metavar="NAME", help="one cluster (all that the warehouse holds)")
    arguments.add_argument("--run-id", metavar="RUN", help="as an older run published it ('runs' lists them)")
    return arguments


def print_answer(command: str, given: argparse.Namespace, question: ClusterQuestion) -> int:
    """Prints the answer of the cluster that is named, else of all, from the published versions; one sentence on stderr
    if there is none. CSV and the like tell of one cluster."""
    form = getattr(given, "format", "text")
    ask_of = all_answers if form in OF_SEVERAL else only_answers
    try:
        answers = ask_of(given.warehouse, given.cluster, given.run_id)
        found = ask_clusters(answers, question)
        show_lines(WRITERS.get(form, cluster_answer_lines)(found))
    except PipelineError as problem:
        return report_problem(command, problem)
    for unanswered in found.problems.values() if form in WRITERS else ():
        report_problem(command, unanswered)
    for one in answers:
        for line in missing_table_notes(one.tables):
            print(
                printable_line(f"{command}: not told of cluster {one.cluster_id} is {line}"), file=sys.stderr
            )
    return 0


def only_answers(warehouse: str, cluster: str | None, run_id: str | None) -> list[Answers]:
    return [published_answers(warehouse, cluster, run_id)]


def published_answers(warehouse: str, cluster: str | None, run_id: str | None) -> Answers:
    """InputProblem: no such cluster in the warehouse, or several and none is named; no such run, or it is gone."""
    found = all_answers(warehouse, cluster, run_id)
    if len(found) > 1:
        said = ", ".join(one.cluster_id for one in found)
        raise InputProblem(
            expected=f"--cluster, as {warehouse} holds several clusters",
            found=f"no --cluster and the clusters {said}",
            todo="name one of them",
        )
    return found[0]


def all_answers(warehouse: str, cluster: str | None, run_id: str | None) -> list[Answers]:
    """Of the cluster that is named, else of all. InputProblem: there is none; no such run, or it is gone."""
    at = open_warehouse(warehouse)
    names = chosen_clusters(at.clusters(), warehouse, cluster)
    seen = {name: at.published(name, run_id) for name in names}
    found = [name for name, one in seen.items() if run_id is None or one.run_id is not None]
    if not found:
        raise InputProblem(
            expected=f"run {run_id} in {warehouse}",
            found=f"no run of that name in the clusters {', '.join(names)}",
            todo="take a run_id from ops.run; 'runs' lists them",
        )
    for name in found:
        if seen[name].lost is not None:
            print(
                printable_line(f"cluster {name}: {seen[name].lost}, as {LAST_RUN} tells; {MEND_RUNS}"),
                file=sys.stderr,
            )
    return [
        Answers(name, WatchedTables(at.tables(name, seen[name]), seen[name].counts.get(PARTS_LEFT, 0)))
        for name in found
    ]


def show_finding(finding: str, answers: Answers) -> list[str]:
    require_tables(answers, "gold.finding")
    number, row = choose_finding(finding, answers.findings())
    lines_of = answers.lines(row["evidence"])
    folder = folder_of(answers.segments["path"])
    return [
        *finding_heading(number, row, folder),
        *evidence_lines(row["evidence"], lines_of),
        *to_do_lines(row),
    ]


def choose_finding(name: str, findings: Sequence[Row]) -> tuple[int, Row]:
    """A finding and its number, by 'F1', '1' or its finding_id. InputProblem: there is no such finding."""
    for number, finding in enumerate(findings, 1):
        if name.upper() in (f"F{number}", str(number)) or name == finding["finding_id"]:
            return number, finding
    known = f"F1 to F{len(findings)}" if len(findings) > 1 else "F1 only" if findings else "no finding at all"
    raise InputProblem(
        expected=f"a finding {shorten_line(name, 40)}",
        found=known,
        todo="take its number from the first screen of the last run, or its finding_id from gold.finding",
    )


def partition_timeline(partition: TopicPartition, answers: Answers) -> list[str]:
    require_tables(answers, "gold.partition_timeline")
    rows = answers.timeline(partition.topic, partition.partition)
    if not rows:
        raise unknown_partition(partition, answers.partition_counts())
    last = answers.last_at()
    day = f", of {last.astimezone(UTC):%Y-%m-%d} where no day is told" if last else ""
    told = (
        f"times are UTC{day}; ? = no line said it yet; behind a value: it may have changed unseen",
        "state = the controller's partition state machine; leader = as the controller holds it, a dead one too; "
        "served = whether it is there to serve",
    )
    explained = [line for one in told for line in wrap_text(f"  {one}")]
    return [f"{answers.cluster_id}  {partition}", *explained, *timeline_table(rows, last)]


def moment_within(at: Moment, first: datetime, last: datetime) -> datetime | None:
    """None for the end of the data and all after it. InputProblem: before the data begin."""
    asked = asked_moment(at, last)
    if asked is not None and asked < first:
        raise InputProblem(
            expected=f"a time within the data, {day_clock(first)} to {day_clock(last)} UTC",
            found=f"{day_clock(asked)} UTC",
            todo="give a later --at",
        )
    return None if asked is None or asked >= last else asked


def show_terms(answers: Answers) -> list[str]:
    require_tables(answers, "gold.controller_term")
    rows = answers.terms_and_clocks()
    if not rows:
        return [f"{answers.cluster_id}  no line of a controller in office was read"]
    return [f"{answers.cluster_id}  times are UTC", *term_table(rows)]


def show_runs(answers: Answers) -> list[str]:
    return [f"{answers.cluster_id}  times are UTC", *run_table(newest_runs(answers))]


def newest_runs(answers: Answers) -> list[Row]:
    """The last first."""
    listed = frame_of(answers.tables.read(run.SPEC, None, OF_RUN)).sort("run_seq", descending=True)
    return listed.head(SHOWN_RUNS).to_dicts()


def require_tables(answers: Answers, *tables: str) -> None:
    """InputProblem: the runs so far did not build all of the tables."""
    missing = [one for one in tables if not answers.is_built(one)]
    if missing:
        raise InputProblem(
            expected=f"{table_names_text(missing)} of cluster {answers.cluster_id}",
            found=f"that no run has published {'it' if len(missing) == 1 else 'them'}",
            todo=TODO,
        )
