"""Verdicts built from a day on are those of building everything, whichever day it is."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.cutting import Cut, with_day
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.days import begin_of_day
from pipeline.silver.controller_line import SEQ_BITS
from pipeline.store.delta import declared
from tests.lab import interpreted, records, rows_of
from tests.tables import built, inputs_of, table

STRETCHED = 4000  # a minute of the lab is three days
NAMES = (
    "controller_event", "wording_seen", "release_span", "term", "controller_line", "replica_transition",
    "partition_transition", "state_dump", "transition_audit", "replay_summary", "replay_check",
)  # fmt: skip
BY_DAY = ("transition_audit", "replay_summary", "replay_check")


def stretched(lines: pa.Table) -> pa.Table:
    """The same lines as if each second had been an hour or more."""
    at = lines["logged_at"].cast(pa.int64())
    first = pc.min(at).as_py()
    moved = pc.add(pc.multiply(pc.subtract(at, first), STRETCHED), first)
    place = lines.schema.get_field_index("logged_at")
    return lines.set_column(place, "logged_at", moved.cast(lines.schema.field("logged_at").type))


def whole(spark: SparkSession, cluster: Path) -> dict[str, DataFrame]:
    lines = spark.createDataFrame(stretched(records(cluster))).localCheckpoint()
    tables = inputs_of(spark, lines, cluster.name)
    tables["source_file"] = tables["source_file"].localCheckpoint()
    for name in NAMES:
        tables[name] = built(spark, lines, name, **tables).localCheckpoint()
    return tables


def in_order(frame: DataFrame) -> list[str]:
    return sorted(str(row) for row in rows_of(frame))


@pytest.mark.spark
@pytest.mark.parametrize("name", ["2.2.2-zk-stock", "3.9.1-zk-stock"])
def test_any_day(spark: SparkSession, shared: Path, name: str) -> None:
    with interpreted(spark):
        tables = whole(spark, shared / "corpus" / "lab" / name)
        moved = [row["day_at"] for row in rows_of(tables["replay_summary"].select("day_at").distinct())]
        days = sorted(day.replace(tzinfo=UTC) for day in moved)
        assert len(days) > 2
        for day in days[1:]:
            for table_name in BY_DAY:
                assert in_order(from_day(tables, table_name, day)) == in_order(
                    rows_at(tables, table_name, day)
                ), (
                    table_name,
                    day,
                )


def rows_at(tables: dict[str, DataFrame], name: str, day: datetime) -> DataFrame:
    return tables[name].where(F.col(BY_SHORT_NAME[name].ordered_by) >= F.lit(day))


def from_day(tables: dict[str, DataFrame], name: str, day: datetime) -> DataFrame:
    """The table as a run builds it whose cut for it is that day."""
    lines = {
        one: rows_at(tables, one, day) for one in ("controller_line", "transition_audit", "replay_summary")
    }
    before = tables["replay_summary"].where(F.col("day_at") < F.lit(day))
    given = tables | lines | {"summary_before": before, "cut": day}
    one = BY_SHORT_NAME[name]
    assert one.build is not None
    return declared(one.spec, one.build(**{each: given[each] for each in one.inputs}))


TERMS = """
    cluster_id | term_id | replica_machine | is_trace_seen | elected_at | first_seen_at
    c          | 1-1     | {machine}       | true          | 10         | 10
    c          | 1-2     | R2              | true          | 90000      | 90000
"""
LINES = """
    cluster_id | term_id | ordered_at | level   | log
    c          | 1-1     | 260000     | {level} | state-change
    c          | 1-2     | 260000     | TRACE   | state-change
"""
MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC)


def summary(term_id: str, day: int, end_second: int, trace_second: int | None) -> str:
    end, trace = (str(seq_at(second)) if second else "" for second in (end_second, trace_second))
    return f"c | {term_id} | {day * 86_400} | {end} | {trace}"


def seq_at(second: int) -> int:
    return int((MIDNIGHT + timedelta(seconds=second)).timestamp() * 1000) << SEQ_BITS


# case | machine of the first term before | level of its new line | its last line at TRACE | the day that is judged first
CASES: list[tuple[str, str, str, int | None, int]] = [
    ("nothing changed", "R2", "INFO", 50, 3),
    ("always at TRACE", "R2", "TRACE", 100_000, 3),
    ("TRACE again after others", "R2", "TRACE", 95_000, 1),
    ("never at TRACE before", "R2", "TRACE", None, 3),
    ("another machine", "R1", "INFO", 50, 0),
]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("machine", "level", "traced", "day"), [one[1:] for one in CASES], ids=[one[0] for one in CASES]
)
def test_the_day_of_the_cut(
    spark: SparkSession, machine: str, level: str, traced: int | None, day: int
) -> None:
    rows = [
        summary("1-1", 0, 50, 50 if traced else None),
        summary("1-1", 1, 100_000, traced),
        summary("1-2", 2, 1, 1),
    ]
    summaries = "\n".join(["cluster_id | term_id | day_at | end_seq | last_trace_seq", *rows])
    texts = [
        ("term", TERMS.format(machine="R2")),
        ("term", TERMS.format(machine=machine)),
        ("controller_line", LINES.format(level=level)),
        ("replay_summary", summaries),
    ]
    at = MIDNIGHT + timedelta(seconds=260_000)
    found = with_day(Cut(at), *(table(spark, BY_SHORT_NAME[name].spec, text) for name, text in texts))
    assert found.day_at == MIDNIGHT + timedelta(days=day)
    assert begin_of_day(at) == MIDNIGHT + timedelta(days=3)
