"""Changes, context and gauges of one cluster as frames, for notebooks and DuckDB (docs/recipes/views.md)."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

import polars as pl
import pyarrow as pa

from pipeline.core.clocks import day_clock
from pipeline.core.conditions import Condition
from pipeline.core.errors import InputProblem
from pipeline.core.stored_tables import select_from_memory
from pipeline.core.stretches import TIME
from pipeline.views.changes.frames import COLUMNS
from pipeline.views.changes.requests import change_rows_between
from pipeline.views.context.context_partitions import partitions_at
from pipeline.views.context.context_rows import context_at
from pipeline.views.context.documents import context_documents
from pipeline.views.gauges.gauge_steps import GaugeWindow
from pipeline.views.gauges.gauge_values import gauges_in_window
from pipeline.views.json_values import parse_json_time
from pipeline.views.reading.answers import Answers
from schemas.spec import TableSpec

CHANGE = (*COLUMNS, "controller_epoch", "term_id")
CONTEXT: dict[str, pl.DataType] = {
    **dict.fromkeys(("part", "key", "value"), pl.String()),
    "since_at": TIME,
    **dict.fromkeys(("known_by", "certainty"), pl.String()),
}
GAUGE: dict[str, pl.DataType] = {"gauge": pl.String(), "node": pl.Int32(), "at": TIME, "value": pl.Int64()}


class FrameTables:
    """The tables of one cluster as frames by name (gold.controller_term). InputProblem: one that is asked for is not
    among them; it would read as one without rows, and nothing would say so."""

    def __init__(self, frames: Mapping[str, pl.DataFrame]) -> None:
        self.frames = frames

    def has_rows(self, spec: TableSpec) -> bool:
        return not self.frame_named(spec.name).is_empty()

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        return select_from_memory(self.frame_named(spec.name), condition, columns or spec.columns)

    def frame_named(self, name: str) -> pl.DataFrame:
        if name not in self.frames:
            raise InputProblem(expected=f"the table {name}", found="it is not given", todo="give all tables")
        return self.frames[name]


def answers_of_frames(cluster_id: str, frames: Mapping[str, pl.DataFrame]) -> Answers:
    """What the views read, of all tables of one cluster by name, as `incident --tables` writes them."""
    return Answers(cluster_id, FrameTables(frames))


def changes_frame(
    answers: Answers, since: datetime | None = None, until: datetime | None = None
) -> pl.DataFrame:
    """A row a change that people or tools asked for, in the order of time; from `since` on, before `until`.

    at; kind (KINDS of pipeline.views.changes.kinds); topics, partitions (topic-N) that it names; outcomes: what became
    of it, a code each; ms: how long it took; reason; asked_by; controller_id, controller_epoch, term_id: who was in
    office; certainty; file_id, byte_offset: its line. Null: no line tells.
    InputProblem: no record has a time, or the data are of another time.
    """
    require_within(answers, since, until)
    return change_rows_between(answers, since, until).select(CHANGE)


def context_frame(answers: Answers, at: datetime | None = None) -> pl.DataFrame:
    """A row a thing that was so at a time, or at the end of the data.

    part: controller, live_broker, topic, queued_for_deletion, partition and so on (PARTS of context_rows); key: which
    one; value: what is known of it, as JSON; since_at: from when on; known_by: the term whose lines say so; certainty.
    Rows of part not_told have in `key` a sentence on what the logs do not tell of that time.
    InputProblem: no record has a time, or the data are of another time.
    """
    _, last = require_within(answers, at, at)
    found = context_at(answers, at or last)
    rows = [
        one | {"value": json.dumps(one["value"]), "since_at": parse_json_time(one["since_at"])}
        for one in context_documents(found)
    ]
    doubts = [dict.fromkeys(CONTEXT) | {"part": "not_told", "key": one} for one in found.doubts]
    return pl.DataFrame([*rows, *doubts], schema=CONTEXT)


def partitions_frame(answers: Answers, at: datetime | None = None) -> pl.DataFrame:
    """A row a partition at a time, or at the end of the data: the columns of partitions_at.

    InputProblem: no record has a time, or the data are of another time.
    """
    _, last = require_within(answers, at, at)
    return partitions_at(answers, at or last)


def gauges_frame(
    answers: Answers, since: datetime | None = None, until: datetime | None = None
) -> pl.DataFrame:
    """A row a step of a gauge of Kafka's controller (GAUGES of pipeline.views.gauges.gauge_values), both ends included.

    gauge: Kafka's name; node: of ActiveControllerCount; at; value: from then on, null: the logs do not tell.
    InputProblem: no record has a time, or the data are of another time.
    """
    first, last = require_within(answers, since, until)
    window = GaugeWindow(max(since or first, first), min(until or last, last))
    steps = [
        one.steps.select(
            gauge=pl.lit(one.name),
            node=pl.lit(one.node, pl.Int32),
            at="at",
            value=pl.col("value").cast(pl.Int64),
        )
        for one in gauges_in_window(answers, window)
    ]
    return pl.concat([pl.DataFrame(schema=GAUGE), *steps])


def require_within(
    answers: Answers, since: datetime | None, until: datetime | None
) -> tuple[datetime, datetime]:
    """First and last time of the data. InputProblem: there is none, or the time asked for lies outside of it."""
    read = answers.read()
    first, last = read["first_at"], read["last_at"]
    if first is None:
        raise InputProblem(expected="records with times", found="none", todo="give logs that have some")
    if (since or first) > last or (until or last) < first:
        raise InputProblem(
            expected=f"a time within the data, {day_clock(first)} to {day_clock(last)} UTC",
            found=" to ".join(day_clock(one) for one in (since, until) if one),
            todo="give another time",
        )
    return first, last
