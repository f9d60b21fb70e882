"""Verdicts built from a day on are those of building everything, whichever day it is."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.before import (
    deletion_before,
    first_begin,
    imbalance_before,
    reaching,
    reaching_rows,
    reassignment_before,
    sessions_before,
    summary_before,
    timeline_before,
)
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.days import begin_of_day
from pipeline.store.delta import declared
from tests.lab import Row, records, rows_of
from tests.tables import built_in_turn, interpreted

STRETCHED = 4000  # a minute of the lab is three days
BY_DAY = (
    "controller_day",
    "transition_audit",
    "replay_summary",
    "replay_check",
    "partition_timeline",
    "broker_session",
    "partition_outage",
    "leader_imbalance",
    "imbalance_check",
    "leader_election",
    "imbalance_breach",
)

IMBALANCES = ("leader_imbalance", "imbalance_breach")
TAILS = (
    "controller_line",
    "transition_audit",
    "replay_summary",
    "partition_timeline",
    "leader_imbalance",
    "imbalance_check",
)


def stretched(lines: pa.Table) -> pa.Table:
    """The same lines as if each second had been an hour or more."""
    at = lines["logged_at"].cast(pa.int64())
    first = pc.min(at).as_py()
    moved = pc.add(pc.multiply(pc.subtract(at, first), STRETCHED), first)
    place = lines.schema.get_field_index("logged_at")
    return lines.set_column(place, "logged_at", moved.cast(lines.schema.field("logged_at").type))


def stretched_lines(cluster: Path) -> pa.Table:
    """All of a cluster; `NAME~N`: without what node N wrote."""
    name, _, left_out = cluster.name.partition("~")
    lines = records(cluster.with_name(name))
    if left_out:
        lines = lines.filter(pc.not_equal(lines["node_id"], int(left_out)))
    return stretched(lines)


def whole(spark: SparkSession, cluster: Path) -> dict[str, DataFrame]:
    return built_in_turn(spark, spark.createDataFrame(stretched_lines(cluster)), *BY_DAY)


def chosen(days: list[datetime], step: int | None) -> list[datetime]:
    """Every so many from the second on; None: one in the middle."""
    return [days[len(days) // 2]] if step is None else days[1::step]


def in_order(frame: DataFrame) -> list[str]:
    return sorted(str(row) for row in rows_of(frame))


@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "step"),
    [
        pytest.param("2.2.2-zk-stock", None, id="one", marks=pytest.mark.soak),
        pytest.param("2.2.2-zk-stock", 1, id="2.2.2", marks=pytest.mark.soak),
        pytest.param("1.0.2-zk-stock", 1, id="1.0.2", marks=pytest.mark.soak),
        pytest.param("3.9.1-zk-stock", 1, id="3.9.1", marks=pytest.mark.soak),
        pytest.param("3.9.1-zk-stock~1", 1, id="3.9.1 without node 1", marks=pytest.mark.soak),
    ],
)
def test_any_day(spark: SparkSession, shared: Path, name: str, step: int | None) -> None:
    with interpreted(spark):
        tables = whole(spark, shared / "corpus" / "lab" / name)
        moved = [row["day_at"] for row in rows_of(tables["replay_summary"].select("day_at").distinct())]
        days = sorted(day.replace(tzinfo=UTC) for day in moved)
        assert len(days) > 2
        for day in chosen(days, step):
            for table_name in BY_DAY:
                assert in_order(from_day(tables, table_name, day)) == in_order(
                    rows_at(tables, table_name, day)
                ), (
                    table_name,
                    day,
                )


@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "step"),
    [
        pytest.param("3.9.2-kraft-separate-stock", None, id="one"),
        pytest.param("3.9.2-kraft-separate-stock", 1, id="3.9.2", marks=pytest.mark.soak),
        pytest.param("3.3.2-kraft-combined-stock", 1, id="3.3.2", marks=pytest.mark.soak),
        pytest.param("3.9.2-kraft-migration-stock", 1, id="migration", marks=pytest.mark.soak),
        pytest.param("4.0.0-kraft-combined-stock", 1, id="4.0.0", marks=pytest.mark.soak),
        pytest.param("4.3.1-kraft-combined-trace", 1, id="4.3.1", marks=pytest.mark.soak),
        pytest.param("4.0.0-kraft-combined-stock~2", 1, id="4.0.0 without node 2", marks=pytest.mark.soak),
    ],
)
def test_any_day_in_kraft(spark: SparkSession, shared: Path, name: str, step: int | None) -> None:
    """The segments that a run reads may begin with the day itself: nothing before it is there to look back at."""
    with interpreted(spark):
        lines = spark.createDataFrame(stretched_lines(shared / "corpus" / "lab" / name))
        tables = built_in_turn(spark, lines, "partition_timeline", *IMBALANCES)
        begun = rows_of(tables["partition_timeline"].select("valid_from_at").distinct())
        days = sorted({begin_of_day(row["valid_from_at"].replace(tzinfo=UTC)) for row in begun})
        assert len(days) > 5
        for day in chosen(days, step):
            found = rows_of(timeline_from(tables, day))
            assert differing(found, rows_of(rows_at(tables, "partition_timeline", day))) == [], day
            for table_name in IMBALANCES:
                rows = rows_of(from_day(tables, table_name, day))
                assert differing(rows, rows_of(rows_at(tables, table_name, day))) == [], (table_name, day)


def timeline_from(tables: dict[str, DataFrame], day: datetime) -> DataFrame:
    said = {"partition_state": tables["partition_state"].where(F.col("logged_at") >= F.lit(day))}
    before = {
        "deletion_before": deletion_before(tables["topic_event"], tables["controller_line"], day),
        "timeline_before": timeline_before(tables["partition_timeline"], [said["partition_state"]], day),
    }
    lines = {"controller_line": rows_at(tables, "controller_line", day)}
    given: dict[str, Any] = tables | said | before | lines | {"cut": day}
    one = BY_SHORT_NAME["partition_timeline"]
    assert one.build is not None
    return declared(one.spec, one.build(**{each: given[each] for each in one.inputs}))


def differing(found: list[Row], expected: list[Row]) -> list[str]:
    left, right = ({str(row) for row in rows} for rows in (found, expected))
    return sorted([*(f"- {one}" for one in right - left), *(f"+ {one}" for one in left - right)])


def rows_at(tables: dict[str, DataFrame], name: str, day: datetime) -> DataFrame:
    return tables[name].where(reaching(BY_SHORT_NAME[name].ordered_by, day))


def from_day(tables: dict[str, DataFrame], name: str, day: datetime) -> DataFrame:
    """The table as a run builds it whose cut for it is that day, from inputs that begin with the terms that go on."""
    one = BY_SHORT_NAME[name]
    begin = begin_of_day(first_of_terms(tables, day)) if one.is_by_term else day
    if one.begun_by:
        begin = first_begin(tables[name], one.begun_by, one.ordered_by, day)
    said = [tables[one] for one in ("leader_and_isr", "partition_transition", "partition_state")]
    lines = tables["controller_line"]
    before: dict[str, Callable[[], DataFrame]] = {
        "summary_before": lambda: summary_before(tables["replay_summary"], lines, begin),
        "deletion_before": lambda: deletion_before(tables["topic_event"], lines, begin),
        "timeline_before": lambda: timeline_before(tables["partition_timeline"], said, begin),
        "session_before": lambda: sessions_before(tables["broker_session"], begin),
        "outage_before": lambda: reaching_rows(tables["partition_outage"], "noticed_at", "ended_at", begin),
        "imbalance_before": lambda: imbalance_before(tables["leader_imbalance"], begin),
        "reassignment_before": lambda: reassignment_before(tables["reassignment_event"], begin),
    }
    given: dict[str, Any] = tables | {"cut": begin}
    given |= {each: rows_at(tables, each, begin) for each in TAILS if each in one.inputs}
    given |= {each: make() for each, make in before.items() if each in one.inputs}
    assert one.build is not None
    rows = declared(one.spec, one.build(**{each: given[each] for each in one.inputs}))
    return rows.where(reaching(one.ordered_by, day))


def first_of_terms(tables: dict[str, DataFrame], day: datetime) -> datetime:
    terms = rows_at(tables, "controller_line", day).select("term_id").distinct()
    began = tables["term"].join(terms, on="term_id", how="left_semi").agg(F.min("first_seen_at").alias("at"))
    first: datetime = rows_of(began)[0]["at"]
    return min(first.replace(tzinfo=UTC), day)
