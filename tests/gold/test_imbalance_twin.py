"""Ratios over time against a plain Python twin, on generated timelines: hundreds of small clusters in one frame."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import inf
from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

from pipeline.gold import leader_imbalance
from schemas.gold.partition_timeline import SPEC
from schemas.silver import broker_setting, term
from tests.gold.imbalance_twin import Broker, Counted, Interval, Partition, ratios
from tests.lab import rows_of

CLUSTERS, SEED, QUIET = 300, 20261121, 50
BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
LIMIT = (
    "cluster_id string, broker_id int, threshold_ratio double, check_interval_seconds long, "
    "is_auto_rebalance_enabled boolean, source string"
)


@dataclass(frozen=True)
class Cluster:
    """The rows of a timeline, and a time at which no event goes on, if there is one."""

    intervals: list[Interval]
    quiet_at: int | None


def generated(random: Random, cluster: str) -> Cluster:
    """The life of some partitions in events of two controllers that write at once, a few milliseconds apart."""
    now, epoch, quiet_at = 0, 1, None
    events, said = {1: 0, 2: 0}, dict[Partition, list[Interval]]()
    for _ in range(random.randint(1, 30)):
        step = random.choice([0, 0, 1, 1, 2, QUIET])
        now += step
        if step == QUIET:
            events, quiet_at = {each: number + 1 for each, number in events.items()}, now - QUIET // 2
        # At one time the lines of the later term come last.
        epoch = random.choice([1, 1, 2]) if step else max(epoch, random.choice([1, 2]))
        events[epoch] += random.choice([0, 1])
        partition = (cluster, random.choice("ab"), 1, random.randint(0, 2))
        before = said.setdefault(partition, [])
        if before and before[-1].ended is None:
            before[-1] = replace(before[-1], ended=now)
        if random.random() < 0.1:
            continue  # it is gone: what is said of it later comes after a hole
        before.append(
            Interval(
                partition,
                len(before) + 1,
                now,
                None,
                random.choice([None, -1, 1, 2, 3]),
                random.choice([None, (1, 2), (2, 3), (3, 1), (1, 3)]),
                random.random() < 0.15,
                epoch,
                events[epoch],
            )
        )
    return Cluster([one for each in said.values() for one in each], quiet_at)


def cut(whole: Cluster, name: str) -> list[Interval]:
    """The same under another name, where each interval that goes on at the quiet time ends, and begins again."""
    pieces, at = [], whole.quiet_at
    for one in whole.intervals:
        there = replace(one, partition=(name, *one.partition[1:]), interval_seq=2 * one.interval_seq)
        if at is not None and one.begun < at and (one.ended is None or at < one.ended):
            pieces.append(replace(there, interval_seq=2 * one.interval_seq - 1, ended=at))
            there = replace(there, begun=at, epoch=3, event=0)
        pieces.append(there)
    return pieces


def timeline(spark: SparkSession, intervals: list[Interval]) -> DataFrame:
    """The same as rows of gold.partition_timeline; what a ratio does not rest on is null."""
    rows = []
    for place, one in enumerate(intervals):
        cluster, topic, topic_life, partition = one.partition
        known = {
            "cluster_id": cluster, "topic": topic, "topic_life": topic_life, "partition": partition,
            "interval_seq": one.interval_seq, "valid_from_at": moment(one.begun), "valid_until_at": moment(one.ended),
            "leader": one.leader, "replicas": one.replicas, "is_deleting": one.is_deleting,
            "controller_epoch": one.epoch, "term_id": f"1-{one.epoch}", "event_seq": one.event,
            "evidence": [("file", place)],
        }  # fmt: skip
        rows.append(tuple(known.get(name) for name in SPEC.columns))
    loose = StructType([StructField(one.name, one.dataType) for one in SPEC.struct.fields])
    return spark.createDataFrame(rows, loose)


def moment(at: int | None) -> datetime | None:
    return None if at is None else BEGIN + timedelta(milliseconds=at)


def milliseconds(at: datetime | None) -> float:
    return inf if at is None else (at - BEGIN) // timedelta(milliseconds=1)


def built(spark: SparkSession, intervals: list[Interval]) -> dict[Broker, list[Counted]]:
    """Each broker's intervals as gold.leader_imbalance has them."""
    schemas = (term.SPEC.struct, LIMIT, broker_setting.SPEC.struct)
    settings = [spark.createDataFrame([], schema) for schema in schemas]
    found = defaultdict(list)
    for row in rows_of(leader_imbalance.build(timeline(spark, intervals), *settings)):
        begun, ended = milliseconds(row["valid_from_at"]), milliseconds(row["valid_until_at"])
        one = Counted(begun, ended, row["preferred_count"], row["led_elsewhere_count"])
        assert row["imbalance_ratio"] == one.ratio
        found[row["cluster_id"], row["broker_id"]].append(one)
    return {broker: sorted(rows, key=lambda one: one.begun) for broker, rows in found.items()}


@pytest.mark.spark
def test_generated_timelines(spark: SparkSession) -> None:
    random = Random(SEED)  # noqa: S311  no secrets are drawn
    wholes = {f"{number}": generated(random, f"{number}") for number in range(CLUSTERS)}
    intervals = [one for each in wholes.values() for one in each.intervals]
    pieces = [one for name, each in wholes.items() for one in cut(each, f"{name} cut")]
    assert len(pieces) > len(intervals) + CLUSTERS
    expected = {broker: rows for broker, rows in ratios(intervals).items() if rows}
    found = built(spark, [*intervals, *pieces])
    for rows in found.values():
        require_algebra(rows)
    assert {broker: rows for broker, rows in found.items() if "cut" not in broker[0]} == expected
    assert {broker: rows for broker, rows in found.items() if "cut" in broker[0]} == {
        (f"{name} cut", broker_id): rows for (name, broker_id), rows in expected.items()
    }
    assert len({one.ratio for rows in expected.values() for one in rows}) > 6


def require_algebra(rows: list[Counted]) -> None:
    """Intervals of one broker: none is empty, none overlaps the next, and the counts change from one to the other."""
    assert all(one.begun < one.ended and 0 <= one.elsewhere <= one.preferred for one in rows)
    for one, following in pairwise(rows):
        is_change = (one.preferred, one.elsewhere) != (following.preferred, following.elsewhere)
        assert one.ended < following.begun or (one.ended == following.begun and is_change)
