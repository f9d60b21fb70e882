"""The gauges of Kafka's controller at a time or over time, for a dashboard that was not there when it happened."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import polars as pl
from polars import col

from jobs.layout import format_table, wrap_text
from jobs.moments import Moment, asked_moment
from jobs.questions.ask import require_tables
from jobs.questions.brokers import beyond_end, resolve_asked_time
from jobs.questions.open_metrics import Series, exposition_lines
from jobs.text import clock_by, length_text
from pipeline.core.clocks import day_clock
from pipeline.core.errors import InputProblem
from pipeline.core.stretches import TIME
from pipeline.views.context.context_rows import TABLES
from pipeline.views.gauges.event_manager import BUSY, TABLE
from pipeline.views.gauges.gauge_steps import GaugeWindow
from pipeline.views.gauges.gauge_values import EVENT_MANAGER, GAUGES, Gauge, gauges_in_window
from pipeline.views.json_values import json_value
from pipeline.views.reading.answers import Answers

CONTROLLER, MANAGER = "KafkaController", "ControllerEventManager"
SHOWN, HANG = 60, 14
NOT_TOLD = "?"
NO_TIME = "# EOF"  # an exposition of nothing
LOOK_BACK = 300  # seconds for which Prometheus draws a sample


def gauge_bean(name: str) -> str | None:
    """None: Kafka has no such gauge."""
    kind = MANAGER if name in EVENT_MANAGER else CONTROLLER
    return None if name == BUSY else f"kafka.controller:type={kind},name={name}"


def gauge_metric(name: str) -> str:
    """As the rules of the JMX exporter for Kafka write them: kafka.(domain)<type, name>, in lower case."""
    if name == BUSY:
        return "kafka_controller_audit_event_thread_busy_percent"
    kind = MANAGER if name in EVENT_MANAGER else CONTROLLER
    return f"kafka_controller_{kind}_{name}".lower()


def conflicting_times(given: argparse.Namespace) -> str | None:
    """What is wrong with the times of the question; None: nothing."""
    if given.at is not None and (given.since is not None or given.until is not None):
        return "--at is one time, --since and --until are a period"
    return None


def parse_step_seconds(text: str) -> int:
    """Below LOOK_BACK, or what holds would be drawn with holes."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < LOOK_BACK:
        raise argparse.ArgumentTypeError(f"expected seconds, 1 to {LOOK_BACK - 1}, found {text[:40]!r}")
    return int(text)


def show_gauges(given: argparse.Namespace, answers: Answers) -> list[str]:
    """InputProblem: the time, or the period, is outside of the data."""
    require_tables(answers, *TABLES, TABLE)
    if answers.last_at() is None:
        return (
            [NO_TIME] if given.format == "openmetrics" else [f"{answers.cluster_id}  no time on any record"]
        )
    window = gauge_window(given, answers)
    found = gauges_in_window(answers, window)
    if beyond := beyond_end(given.at, answers):
        found, window = [gauge_without_value(one, beyond) for one in found], GaugeWindow(beyond, beyond)
    if given.format == "openmetrics":
        every = timedelta(seconds=given.every)
        return list(
            exposition_lines(map(partial(gauge_series, answers.cluster_id), found), window.until, every)
        )
    if given.format == "json":
        return json.dumps(gauges_document(answers.cluster_id, window, found), indent=2).splitlines()
    if given.at is not None:
        end = " (not enough evidence, the data end before)" if beyond else ""
        return [f"{answers.cluster_id}  at {day_clock(window.since)} UTC{end}", *table_at(found)]
    period = f"{day_clock(window.since)} to {day_clock(window.until)} UTC"
    heading = wrap_text(f"{answers.cluster_id}  {period}; ? = not told by the logs")
    moved = [one for one in found if len(one.steps) > 1]
    still = [
        f"{gauge_title(one)} {gauge_value_text(integer_or_none(one.steps['value'].item(-1)))}"
        for one in found
        if len(one.steps) <= 1
    ]
    same = wrap_text(f"the same all the time: {', '.join(still)}") if still else []
    tables = table_over(moved, window) if moved else []
    stepped = [one for one in moved if one.name not in EVENT_MANAGER]
    changes = ["", *change_lines_over(stepped, window)] if stepped else []
    return [*heading, *same, *tables, *changes]


def gauge_without_value(gauge: Gauge, at: datetime) -> Gauge:
    nothing = pl.lit(None, gauge.steps.schema["value"])
    return replace(gauge, steps=gauge.steps.tail(1).with_columns(at=pl.lit(at, TIME), value=nothing))


def gauge_window(given: argparse.Namespace, answers: Answers) -> GaugeWindow:
    read = answers.read()
    first, last = read["first_at"], read["last_at"]
    if given.at is not None:
        asked, _ = resolve_asked_time(given.at, answers)
        return GaugeWindow(asked or last, asked or last)
    since, until = window_bound(given.since, first, last, first), window_bound(given.until, first, last, last)
    if since > until:
        raise InputProblem(
            expected=f"--since before --until, and both within the data, {day_clock(first)} to {day_clock(last)} UTC",
            found=f"{day_clock(since)} to {day_clock(until)} UTC",
            todo="give another period",
        )
    return GaugeWindow(since, until)


def window_bound(given: Moment, first: datetime, last: datetime, default: datetime) -> datetime:
    """Within the data, outside of which nothing is told."""
    asked = asked_moment(given, last)
    return default if asked is None else max(asked, first) if default == first else min(asked, last)


def gauge_series(cluster_id: str, gauge: Gauge) -> Series:
    node = {} if gauge.node is None else {"node": str(gauge.node)}
    labels = {"cluster": cluster_id} | node
    return Series(gauge_metric(gauge.name), GAUGES[gauge.name], labels, gauge.steps.rows())


def gauges_document(cluster_id: str, window: GaugeWindow, found: Sequence[Gauge]) -> dict[str, Any]:
    """value null: not told."""
    return {
        "cluster_id": cluster_id,
        "since": json_value(window.since),
        "until": json_value(window.until),
        "gauges": [
            {
                "name": one.name,
                "bean": gauge_bean(one.name),
                "metric": gauge_metric(one.name),
                "node": one.node,
                "steps": [json_value(step) for step in one.steps.to_dicts()],
            }
            for one in found
        ],
    }


def gauge_title(gauge: Gauge) -> str:
    return gauge.name if gauge.node is None else f"{gauge.name} of node {gauge.node}"


def gauge_value_text(value: int | None) -> str:
    return NOT_TOLD if value is None else f"{value:,}"


def table_at(found: Sequence[Gauge]) -> list[str]:
    values = [integer_or_none(one.steps["value"].item(-1)) for one in found]
    cells = [
        (gauge_title(one), gauge_value_text(value), GAUGES[one.name])
        for one, value in zip(found, values, strict=True)
    ]
    lines = format_table(("GAUGE", "value", ""), cells)
    is_told = None not in values
    return (
        lines
        if is_told
        else [*lines, "  ? = not told by the logs: nobody was in office, or lines are missing"]
    )


def integer_or_none(value: object) -> int | None:
    return value if isinstance(value, int) else None


def table_over(found: Sequence[Gauge], window: GaugeWindow) -> list[str]:
    """Of each gauge the lowest and the highest value, when it was that first, the last value, and how long it is not
    told."""
    cells = []
    for one in found:
        values = one.steps["value"]
        highest = one.steps.drop_nulls("value").filter(col("value") == col("value").max())["at"]
        ends = one.steps["at"].shift(-1).fill_null(window.until)
        hidden = one.steps.with_columns(lasted=(ends - col("at")).dt.total_milliseconds()).filter(
            col("value").is_null()
        )
        lowest, most, last = (
            gauge_value_text(integer_or_none(each)) for each in (values.min(), values.max(), values.item(-1))
        )
        when = clock_by(highest.item(0), window.until) if len(highest) else ""
        unknown = length_text(int(hidden["lasted"].sum() or 0))
        cells.append((gauge_title(one), lowest, most, when, last, unknown))
    return format_table(("GAUGE", "lowest", "highest", "at", "last", "not told"), cells)


def change_lines_over(found: Sequence[Gauge], window: GaugeWindow) -> list[str]:
    """One line for each time at which something changed, with the new values; the last SHOWN."""
    times = pl.concat([one.steps.select("at") for one in found]).unique().sort("at")
    shown = times["at"].tail(SHOWN).to_list()
    values = [(gauge_title(one), dict(one.steps.select("at", "value").iter_rows())) for one in found]
    left = len(times) - len(shown)
    lines = [f"  {left:,} earlier changes: --since, --until, or --format json"] if left else []
    for at in shown:
        new = (
            f"{title} {gauge_value_text(integer_or_none(each[at]))}" for title, each in values if at in each
        )
        lines += wrap_text(f"{clock_by(at, window.until)}  {', '.join(new)}", HANG)
    return lines
