"""The whole fleet, a line a cluster, by need: verdict, open outages, controller, brokers over their limit, age."""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from polars import col

from jobs.argument_types import on_format
from jobs.engine.run.outcome import report_problem
from jobs.layout import format_table
from jobs.questions.ask import all_answers, question_parser
from jobs.questions.catalog import FORMATS
from jobs.questions.finding_lines import standing_findings
from jobs.questions.nodes import last_active_controller, last_controller_text
from jobs.questions.print_schema import on_schema
from jobs.questions.unpublished import backfill_text, parts_to_come
from jobs.questions.untold import find_unknowns, leaders_text
from jobs.terminal import show_lines
from jobs.text import age_text, shorten_line
from pipeline.core.conditions import IsNull
from pipeline.core.errors import PipelineError
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.in_doubt import is_service_unknown
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at

FINDING, OUTAGE, RATIO = "gold.finding", "gold.partition_outage", "gold.leader_imbalance"
TIMELINE = "gold.partition_timeline"
NOT_OK, NO_EVIDENCE, NOT_JUDGED, NOTHING = "NOT OK", "NO EVIDENCE", "NOT JUDGED", "nothing found"
# The tables end in the middle of what the logs tell: what goes on there may be over since.
BACKFILL = "BACKFILL"
# As after a stop of the cluster that somebody asked for: no finding goes on, but nobody is served.
STILL_OFFLINE = "STILL OFFLINE"
# Those first that a person should look at first.
VERDICTS = (NOT_OK, NO_EVIDENCE, BACKFILL, STILL_OFFLINE, NOT_JUDGED, NOTHING)
LAST_ONE = re.compile(r"the last one was (\S+) \(.*\)$")
HEAD = ("CLUSTER", "VERDICT", "crit", "warn", "offline", "CONTROLLER", "over limit", "data age")


@dataclass(frozen=True)
class Status:
    """One cluster as it was last published. offline: partitions without a leader at the end of the data; None, as for
    over_limit: no run built what tells it, or none is known to be so, and of some it is not known. parts_to_come: of a
    backfill."""

    cluster_id: str
    verdict: str
    critical: int
    warning: int
    offline: int | None
    controller: str
    over_limit: list[int] | None
    last_at: datetime | None
    parts_to_come: int = 0


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = question_parser(
        "status", "All clusters of a warehouse, a line each, those first that need somebody."
    )
    on_format(arguments, FORMATS)
    on_schema(arguments, "status")
    given = arguments.parse_args(argv)
    try:
        found = statuses_by_need(
            [cluster_status(one) for one in all_answers(given.warehouse, given.cluster, given.run_id)]
        )
    except PipelineError as problem:
        return report_problem("status", problem)
    now = datetime.now(UTC)
    if given.format == "json":
        print(status_json(found, now), flush=True)
    elif given.format == "jsonl":
        print("".join(f"{json.dumps(one)}\n" for one in status_rows(found, now)), end="", flush=True)
    else:
        show_lines(status_lines(found, now))
    return 0


def cluster_status(answers: Answers) -> Status:
    read = answers.read()
    is_judged = answers.has(FINDING)
    findings = answers.findings() if is_judged else []
    terms = answers.terms() if answers.has("gold.controller_term") else []
    severities = [one["severity"] for one in standing_findings(findings)]
    offline = open_outages(answers)
    parts = parts_to_come(answers.tables)
    is_evidence = bool(read["records"] and terms) and find_unknowns(answers).any is None
    return Status(
        answers.cluster_id,
        BACKFILL
        if parts
        else status_verdict(severities, offline, is_judged=is_judged, is_evidence=is_evidence),
        severities.count("critical"),
        severities.count("warning"),
        offline,
        last_controller_text(terms, findings, last_active_controller(answers)),
        over_limit(answers),
        read["last_at"],
        parts,
    )


def status_verdict(
    severities: Sequence[str], offline: int | None, *, is_judged: bool, is_evidence: bool
) -> str:
    """No data is never OK."""
    if not is_judged:
        return NOT_JUDGED
    if {"critical", "warning"} & set(severities):
        return NOT_OK
    if not is_evidence:
        return NO_EVIDENCE
    return STILL_OFFLINE if offline else NOTHING


def open_outages(answers: Answers) -> int | None:
    if not answers.has(OUTAGE):
        return None
    partition = ("topic", "topic_life", "partition")
    rows = answers.rows(OUTAGE, IsNull("ended_at"), (*partition, "certainty"))
    count = rows.filter(col("certainty") != "undetermined").select(partition).unique().height
    return count if count or is_service_known(answers) else None


def is_service_known(answers: Answers) -> bool:
    """True if of each partition it is known whether somebody serves it at the end of the data."""
    held = answers.rows(TIMELINE, holds_at(None), ("certainty", "is_served", "is_deleting"))
    return leaders_text(answers) is None and held.filter(is_service_unknown()).is_empty()


def over_limit(answers: Answers) -> list[int] | None:
    """Brokers that have broken their limit of leader imbalance at the end of the data."""
    if not answers.has(RATIO):
        return None
    rows = answers.rows(
        RATIO, IsNull("valid_until_at"), ("broker_id", "is_breach", "threshold_ratio", "certainty")
    )
    is_sure = (col("certainty") != "undetermined").fill_null(value=True)
    over = rows.filter(col("is_breach").fill_null(value=False), is_sure)["broker_id"].sort().to_list()
    is_known = rows.height and rows.filter(~is_sure, col("threshold_ratio").is_not_null()).is_empty()
    return over if over or is_known else None


def neediest_first(found: Sequence[Answers]) -> list[Answers]:
    """Those that a person should look at first before the others."""
    answers = {one.cluster_id: one for one in found}
    return [answers[one.cluster_id] for one in statuses_by_need(map(cluster_status, found))]


def statuses_by_need(found: Iterable[Status]) -> list[Status]:
    def need(one: Status) -> tuple[object, ...]:
        return VERDICTS.index(one.verdict), -one.critical, -(one.offline or 0), -one.warning, one.cluster_id

    return sorted(found, key=need)


def status_lines(found: Sequence[Status], now: datetime) -> list[str]:
    cells = [
        (
            shorten_line(one.cluster_id, 24),
            one.verdict,
            count_text(one, one.critical),
            count_text(one, one.warning),
            "?" if one.offline is None else str(one.offline),
            short_controller(one.controller),
            "?" if one.over_limit is None else ",".join(map(str, one.over_limit)) or "-",
            age_text(now - one.last_at) if one.last_at else "no time",
        )
        for one in found
    ]
    halted = [
        f"{shorten_line(one.cluster_id, 24)}: {backfill_text(one.parts_to_come)}"
        for one in found
        if one.parts_to_come
    ]
    return [*format_table(HEAD, cells), *halted]


def count_text(one: Status, count: int) -> str:
    """Where the logs that would tell were not read, nobody knows that there are none."""
    return "?" if not count and one.verdict in (NO_EVIDENCE, NOT_JUDGED, BACKFILL) else str(count)


def short_controller(controller: str) -> str:
    """So that a line stays one on a narrow terminal; JSON has the epoch of a controller that is none any more."""
    return LAST_ONE.sub(r"last \1", controller).replace("epoch ", "")


def status_json(found: Iterable[Status], now: datetime) -> str:
    return json.dumps({"clusters": status_rows(found, now)}, indent=1)


def status_rows(found: Iterable[Status], now: datetime) -> list[Row]:
    return [
        vars(one)
        | {
            "last_at": one.last_at and one.last_at.astimezone(UTC).isoformat(timespec="milliseconds"),
            "age_seconds": one.last_at and int((now - one.last_at).total_seconds()),
        }
        for one in statuses_by_need(found)
    ]


if __name__ == "__main__":
    sys.exit(main())
