"""The findings of one cluster or of all, for people and for other programs."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from jobs.argument_types import on_format
from jobs.engine.run.outcome import report_problem
from jobs.layout import wrap_text
from jobs.questions.ask import all_answers, question_parser, require_tables
from jobs.questions.finding_lines import HANG, every_line, standing_findings
from jobs.questions.findings_out import (
    FORMATS,
    ClusterFindings,
    as_csv,
    as_jsonl,
    as_prometheus,
    findings_json,
)
from jobs.questions.findings_schema import findings_json_schema
from jobs.questions.untold import find_unknowns
from jobs.terminal import show_lines
from jobs.text import logs_in, printable_line
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import column_equals
from pipeline.core.errors import FindingsReached, PipelineError, SettingsError
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.log_folder import folder_of
from pipeline.views.reading.rows import Row
from schemas.gold.finding import SEVERITIES

WRITERS = {"json": findings_json, "jsonl": as_jsonl, "csv": as_csv, "prometheus": as_prometheus}


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = question_parser(
        "findings", "What a person should look at, as published; all clusters unless one is named."
    )
    on_format(arguments, FORMATS)
    arguments.add_argument(
        "--output", metavar="FILE", help="written whole or not at all (prometheus: a name ending in .prom)"
    )
    arguments.add_argument("--schema", action="store_true", help="prints the JSON schema of --format json")
    arguments.add_argument(
        "--fail-on", choices=SEVERITIES, help="exit 8 when one that is new or ongoing is at least so severe"
    )
    given = arguments.parse_args(argv)
    if given.schema:
        print(json.dumps(findings_json_schema(), indent=1))
        return 0
    try:
        clusters = clusters_by_need(
            map(findings_of_cluster, all_answers(given.warehouse, given.cluster, given.run_id))
        )
        text = WRITERS[given.format](clusters) if given.format in WRITERS else findings_text(clusters)
        if given.output is None:
            show_all(text, is_for_people=given.format == "text")
        else:
            write_whole_file(Path(given.output), text)
        require_calm_clusters(given.fail_on, clusters)
    except PipelineError as problem:
        return report_problem("findings", problem)
    return 0


def show_all(text: str, *, is_for_people: bool) -> None:
    if is_for_people:
        show_lines(text.splitlines())
    else:
        print(text, end="", flush=True)


def findings_of_cluster(answers: Answers) -> ClusterFindings:
    require_tables(answers, "gold.finding")
    findings = answers.findings()
    lines_of = answers.lines([place for one in findings for place in one["evidence"]], shown=())
    runs = answers.rows("ops.run", None, ("ended_at",))["ended_at"].to_list()
    folder = folder_of(answers.segments["path"])
    ran_at = max(runs, default=None)
    untold = find_unknowns(answers).any
    unread_count = answers.rows("silver.log_gap", column_equals("kind", "not_read"), ("path",)).height
    return ClusterFindings(
        answers.cluster_id, findings, lines_of, answers.last_at(), ran_at, folder, untold, unread_count
    )


def clusters_by_need(clusters: Iterable[ClusterFindings]) -> list[ClusterFindings]:
    """Those with the most severe findings first."""

    def need(one: ClusterFindings) -> tuple[object, ...]:
        severities = [finding["severity"] for finding in standing_findings(one.findings)]
        return *(-severities.count(each) for each in SEVERITIES), one.cluster_id

    return sorted(clusters, key=need)


def findings_text(clusters: Sequence[ClusterFindings]) -> str:
    lines: list[str] = []
    for one in clusters:
        end = f"DATA to {day_clock(one.last_at)} UTC" if one.last_at else "no time on any record"
        lines += [
            f"{one.cluster_id}  {end}",
            *logs_in(one.folder, " " * HANG),
            *(every_line(one.findings, one.lines_of, one.last_at) or wrap_text(nothing_text(one), HANG)),
            "",
        ]
        known = (suppressed_finding_text(each) for each in one.findings if each["suppressed_by"])
        lines += [line for each in known for line in wrap_text(f"     known already: {each}", HANG)]
    return "".join(f"{printable_line(line)}\n" for line in lines)


def nothing_text(one: ClusterFindings) -> str:
    return f"not enough evidence: {one.untold}; in the rest nothing found" if one.untold else "nothing found"


def suppressed_finding_text(finding: Row) -> str:
    return f"{finding['rule']}, {finding['entity']} ({finding['suppressed_by']})"


def write_whole_file(file: Path, text: str, option: str = "--output") -> None:
    """A reader, such as the collector of Prometheus, never sees a part. SettingsError: the folder does not take it.
    option: that named the file."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_text(text)
        beside.replace(file)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        raise SettingsError(
            expected=f"{option} in a folder that can be written, {file.parent}",
            found=problem.strerror or str(problem),
            todo="make the folder, or name another",
        ) from None


def require_calm_clusters(fail_on: str | None, clusters: Sequence[ClusterFindings]) -> None:
    if fail_on is None:
        return
    worst = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    count = sum(one["severity"] in worst for each in clusters for one in standing_findings(each.findings))
    if count:
        raise FindingsReached(
            expected=f"no finding of severity {fail_on} or above",
            found=f"{count}",
            todo="look at them with 'show F1'",
        )


if __name__ == "__main__":
    sys.exit(main())
