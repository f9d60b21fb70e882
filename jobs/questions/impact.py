"""What clients could feel of each topic: by hour, with the share of time that served, at least and at most."""

import argparse
import json
from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.layout import format_table, wrap_text
from jobs.questions.ask import require_tables
from jobs.questions.gauges import NO_TIME, window_bound
from jobs.questions.given_names import unknown_topic
from jobs.questions.open_metrics import Series, exposition_lines
from jobs.text import clock_by, first_names, format_count, length_text
from pipeline.core.clocks import day_clock
from pipeline.core.errors import InputProblem
from pipeline.views.impact.availability import TIMELINE, availability_by_hour
from pipeline.views.json_values import json_value
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

METRIC = "kafka_controller_audit_served_ratio"
HELP = "Share of the time of a topic's partitions that had a leader which serves, in the hour from then on."
SHOWN_TOPICS = 40
# Bounds that leave so much of the time open say nothing.
OPEN_SHARE = 0.99
DIGITS = 4


def show_impact(given: argparse.Namespace, answers: Answers) -> list[str]:
    """InputProblem: the topic is in no log that was read, or the period is outside of the data."""
    require_tables(answers, TIMELINE)
    first, last = answers.read()["first_at"], answers.last_at()
    if last is None:
        return (
            [NO_TIME] if given.format == "openmetrics" else [f"{answers.cluster_id}  no time on any record"]
        )
    since, until = window_bound(given.since, first, last, first), window_bound(given.until, first, last, last)
    if since >= until:
        raise InputProblem(
            expected=f"--since before --until, and both within the data, {day_clock(first)} to {day_clock(last)} UTC",
            found=f"{day_clock(since)} to {day_clock(until)} UTC",
            todo="give another period",
        )
    hours = availability_by_hour(answers, since, until, given.topic)
    if given.topic and hours.is_empty():
        raise unknown_topic(given.topic, answers.partition_counts())
    if given.format == "openmetrics":
        series = sorted(served_series(answers.cluster_id, hours), key=lambda one: one.name)
        return list(exposition_lines(series, until, timedelta(seconds=given.every)))
    if given.format == "json":
        return json.dumps(impact_document(answers.cluster_id, since, until, hours), indent=2).splitlines()
    period = f"{day_clock(since)} to {day_clock(until)} UTC"
    heading = f"{answers.cluster_id}  {period}; served: by a leader that lives and leads"
    return [*wrap_text(heading), *topic_lines(hours, until, is_one=given.topic is not None)]


def served_share(row: Row, of: str) -> float | None:
    """of: unserved_low_ms gives the most that can have been served, unserved_high_ms the least; null: not known."""
    return None if row[of] is None else 1 - row[of] / row["partition_ms"]


def served_series(cluster_id: str, hours: pl.DataFrame) -> list[Series]:
    found = []
    for bound, of in (("least", "unserved_high_ms"), ("most", "unserved_low_ms")):
        for (topic,), rows in hours.group_by("topic", maintain_order=True):
            steps = [(row["hour_at"], served_share(row, of)) for row in rows.to_dicts()]
            labels = {"cluster": cluster_id, "topic": str(topic)}
            found.append(Series(f"{METRIC}_{bound}", f"{HELP[:-1]}, at {bound}.", labels, steps))
    return found


def impact_document(cluster_id: str, since: datetime, until: datetime, hours: pl.DataFrame) -> Row:
    """served_at_least null: no line bounds it."""
    return {
        "cluster_id": cluster_id,
        "since": json_value(since),
        "until": json_value(until),
        "hours": [
            {name: json_value(value) for name, value in row.items()}
            | {
                "served_at_least": served_share(row, "unserved_high_ms"),
                "served_at_most": served_share(row, "unserved_low_ms"),
            }
            for row in hours.to_dicts()
        ],
    }


def topic_lines(hours: pl.DataFrame, until: datetime, *, is_one: bool) -> list[str]:
    """By topic, the worst first; of one topic each hour in which it may not have been served."""
    summed = hours.group_by("topic").agg(
        col("partition_ms", "unserved_low_ms").sum(),
        unserved_high_ms=pl.when(col("unserved_high_ms").is_not_null().all()).then(
            col("unserved_high_ms").sum()
        ),
        worst_at=col("hour_at").sort_by("unserved_low_ms", "unserved_high_ms").last(),
    )
    rows = summed.sort(
        pl.col("unserved_low_ms") / pl.col("partition_ms"),
        "unserved_high_ms",
        "topic",
        descending=[True, True, False],
    )
    is_open = (col("unserved_low_ms") == 0) & (col("unserved_high_ms") >= OPEN_SHARE * col("partition_ms"))
    dark = rows.filter(is_open.fill_null(value=False))["topic"].sort().to_list()
    told = rows.filter((col("unserved_high_ms") != 0).fill_null(value=True), ~col("topic").is_in(dark))
    well = rows.height - told.height - len(dark)
    lines = (
        [] if rows.height else ["  no partition is known in that time: nothing says whether it was served"]
    )
    if told.height:
        cells = [
            (row["topic"], *share_cells(row), clock_by(row["worst_at"], until))
            for row in told.head(SHOWN_TOPICS).to_dicts()
        ]
        lines += format_table(("TOPIC", "served at least", "at most", "not served", "worst hour"), cells)
    left = told.height - SHOWN_TOPICS
    lines += [f"  {left:,} more topics: --format json"] if left > 0 else []
    lines += [f"  {well:,} topics were served all the time, as far as lines tell"] if well else []
    if dark:
        heading = f"not known whether served, as no line tells: {format_count(len(dark), 'topic')} ("
        lines += [f"  {heading}{first_names(dark)})"]
    if is_one:
        bad = hours.filter((col("unserved_high_ms") != 0).fill_null(value=True))
        each = [(clock_by(row["hour_at"], until), *share_cells(row)) for row in bad.to_dicts()]
        lines += (
            ["", *format_table(("HOUR", "served at least", "at most", "not served"), each)] if each else []
        )
    return lines


def share_cells(row: Row) -> tuple[str, str, str]:
    """99.95 %, 100 %, and 1.2 s to 4.3 s of partition-time."""
    least, most = (served_share(row, name) for name in ("unserved_high_ms", "unserved_low_ms"))
    high = "?" if row["unserved_high_ms"] is None else length_text(row["unserved_high_ms"])
    return percent_text(least), percent_text(most), f"{length_text(row['unserved_low_ms'])} to {high}"


def percent_text(share: float | None) -> str:
    """Never rounded up to 100 %."""
    if share is None:
        return "?"
    if share >= 1:
        return "100 %"
    return f"{min(share * 100, 99.999):.3f} %"
