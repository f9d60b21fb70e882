"""What questions that people read as tables give to programs: the rows behind them, of columns of one table."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polars import col

from jobs.moments import Moment
from jobs.questions.ask import choose_finding, newest_runs, require_tables
from jobs.questions.brokers import resolve_asked_time
from jobs.questions.findings_out import evidence_place, finding_document, iso_or_value
from jobs.questions.given_names import TopicPartition, unknown_partition
from jobs.questions.outages import TABLE as OUTAGE
from jobs.questions.outages import outage_rows_of
from jobs.questions.terms import choose_term
from jobs.questions.untold import leaders_text
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TERM, TIMELINE, IMBALANCE, RUN = (
    "gold.controller_term",
    "gold.partition_timeline",
    "gold.leader_imbalance",
    "ops.run",
)
SURE = ("certainty", "evidence")
OF_TERM = (
    *("term_id", "controller_id", "controller_epoch", "mode", "elected_at", "election_reason", "ready_ms"),
    *("ended_at", "ended_how", "end_reason", "gap_ms", "overlap", *SURE),
)
OF_INTERVAL = (
    *("topic", "topic_life", "partition", "valid_from_at", "valid_until_at", "state", "leader", "is_served"),
    *("unserved_why", "isr", "replicas", "leader_epoch", "is_deleting", "term_id", *SURE),
)
OF_OUTAGE = (
    *(
        "topic",
        "topic_life",
        "partition",
        "noticed_at",
        "unserved_from_at",
        "ended_at",
        "ended_how",
        "low_ms",
    ),
    *("high_ms", "root_event", "root_broker_id", "old_leader", "new_leader", "term_id", *SURE),
)
OF_BROKER = (
    *("broker_id", "preferred_count", "led_elsewhere_count", "imbalance_ratio", "threshold_ratio"),
    *("limit_source", "is_breach", "reason", "certainty"),
)
OF_RUN = ("run_id", "run_seq", "job", "ended_at", "outcome", "sentence")


@dataclass(frozen=True)
class RowsOut:
    """rows: gives them, its parameters named as those of a question. table and columns: what they are of; without
    columns they are findings. more: columns that no table has, by name with JSON type and meaning."""

    rows: Callable[..., list[Row]]
    table: str
    columns: tuple[str, ...] = ()
    more: Mapping[str, tuple[Sequence[str], str]] = field(default_factory=dict)


def term_rows(answers: Answers) -> list[Row]:
    require_tables(answers, TERM)
    return rows_for_programs(answers, answers.terms(), OF_TERM)


def single_term_rows(given: argparse.Namespace, answers: Answers) -> list[Row]:
    require_tables(answers, TERM)
    return rows_for_programs(answers, [choose_term(given.term, answers.terms())], OF_TERM)


def interval_rows(partition: TopicPartition, answers: Answers) -> list[Row]:
    require_tables(answers, TIMELINE)
    rows = answers.timeline(partition.topic, partition.partition)
    if not rows:
        raise unknown_partition(partition, answers.partition_counts())
    return rows_for_programs(answers, rows, OF_INTERVAL)


def outage_rows(given: argparse.Namespace, answers: Answers) -> list[Row]:
    """In the order of time. InputProblem: there is none, and the logs do not tell that there was none."""
    rows = outage_rows_of(answers, given.topic, OF_OUTAGE)
    rows = rows.filter(col("ended_at").is_null()) if given.open else rows
    why = leaders_text(answers) if rows.is_empty() else None
    if why:
        raise InputProblem(
            expected="logs that tell of outages", found=f"that {why}", todo="give the logs that are missing"
        )
    return rows_for_programs(answers, rows.sort("noticed_at", "topic", "partition").to_dicts(), OF_OUTAGE)


def broker_rows(at: Moment, answers: Answers) -> list[Row]:
    require_tables(answers, IMBALANCE)
    asked, _ = resolve_asked_time(at, answers)
    return rows_for_programs(answers, answers.brokers(asked), (*OF_BROKER, "leads", "cached"))


def run_rows(answers: Answers) -> list[Row]:
    return rows_for_programs(answers, newest_runs(answers), OF_RUN)


def finding_rows(finding: str, answers: Answers) -> list[Row]:
    number, row = choose_finding(finding, answers.findings())
    return [finding_document(number, row, answers.lines(row["evidence"], shown=()))]


def rows_for_programs(answers: Answers, rows: Sequence[Row], columns: Sequence[str]) -> list[Row]:
    """Times in ISO 8601; evidence: the place of each record."""
    places = [place for one in rows for place in one.get("evidence") or ()]
    lines_of = answers.lines(places, shown=()) if places else {}
    found = []
    for one in rows:
        told: Row = {name: iso_or_value(one.get(name)) for name in columns}
        if "evidence" in told:
            told["evidence"] = [evidence_place(place, lines_of) for place in one["evidence"] or ()]
        found.append({"cluster_id": answers.cluster_id} | told)
    return found


COUNTS: dict[str, tuple[Sequence[str], str]] = {
    "leads": (("integer", "null"), "Partitions that it leads and serves; null: not known."),
    "cached": (
        ("integer", "null"),
        "Partitions whose leader it is in the controller's cache; null: not known.",
    ),
}
ROWS: dict[str, RowsOut] = {
    "show": RowsOut(finding_rows, "gold.finding"),
    "partition": RowsOut(interval_rows, TIMELINE, OF_INTERVAL),
    "outages": RowsOut(outage_rows, OUTAGE, OF_OUTAGE),
    "brokers": RowsOut(broker_rows, IMBALANCE, OF_BROKER, COUNTS),
    "term": RowsOut(single_term_rows, TERM, OF_TERM),
    "terms": RowsOut(term_rows, TERM, OF_TERM),
    "runs": RowsOut(run_rows, RUN, OF_RUN),
}


def rows_of_question(name: str) -> Callable[..., list[Any]]:
    return ROWS[name].rows
