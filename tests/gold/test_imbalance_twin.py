"""Ratios over time against a plain Python twin, on generated timelines: hundreds of small clusters in one frame."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import inf
from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from jobs.before import reaching, reaching_rows
from pipeline.gold import leader_imbalance
from pipeline.store.delta import declared
from schemas.gold import leader_imbalance as imbalances
from schemas.gold.partition_timeline import SPEC
from schemas.silver import broker_setting, term
from schemas.silver.broker_setting import PER_BROKER
from tests.gold.imbalance_twin import Broker, Counted, Interval, Partition, ratios
from tests.lab import rows_of

CLUSTERS, SEED, QUIET, MIDNIGHT = 300, 20261121, 50, 60
DAY = datetime(2026, 11, 21, tzinfo=UTC)
BEGIN = DAY - timedelta(milliseconds=MIDNIGHT)
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
    schemas = (term.SPEC.struct, LIMIT, broker_setting.SPEC.struct, imbalances.SPEC.struct)
    terms, limits, printed, before = (spark.createDataFrame([], schema) for schema in schemas)
    found = defaultdict(list)
    rows = leader_imbalance.build(timeline(spark, intervals), terms, limits, printed, before, None)
    for row in rows_of(rows):
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
    expected = {broker: rows for broker, rows in ratios(intervals, MIDNIGHT).items() if rows}
    found = built(spark, [*intervals, *pieces])
    for rows in found.values():
        require_algebra(rows)
    assert {broker: rows for broker, rows in found.items() if "cut" not in broker[0]} == expected
    assert {broker: rows for broker, rows in found.items() if "cut" in broker[0]} == {
        (f"{name} cut", broker_id): rows for (name, broker_id), rows in expected.items()
    }
    assert len({one.ratio for rows in expected.values() for one in rows}) > 6


# Of every third cluster a term is missing; every fifth is in KRaft mode, and some partition there before it was seen.
TERMS = """
    SELECT cluster_id, concat('1-', epoch) AS term_id, 1 AS life, epoch AS controller_epoch, 'zookeeper' AS mode,
        timestampadd(MILLISECOND, CASE WHEN epoch = 1 THEN 0 ELSE 110 END, begun_at) AS elected_at,
        timestampadd(MILLISECOND, CASE WHEN epoch = 1 THEN 20 + number % 80 ELSE 500 END, begun_at) AS last_seen_at,
        elected_at AS first_seen_at
    FROM (SELECT *, explode(IF(number % 3 = 1, array(1, 3), array(1, 2))) AS epoch FROM {clusters})
    WHERE number % 5 <> 4
"""
PRINTED = f"""
    SELECT cluster_id, 2 AS node_id, 'f' AS file_id, CAST(at AS long) AS byte_offset, '{PER_BROKER}' AS name,
        timestampadd(MILLISECOND, at + number % 2, begun_at) AS logged_at, CAST(at AS string) AS value
    FROM (SELECT *, explode(array(40, 60, 75)) AS at FROM {{clusters}})
"""
KRAFT = {
    "topic_id": "IF(cluster_id % 5 = 4, 'id', NULL)",
    "partition_epoch": "IF(interval_seq = 1 AND partition < 2, 0, 7)",
    "certainty": "IF((interval_seq + partition) % 4 = 0, 'undetermined', 'proved')",
}


@pytest.mark.spark
def test_days_one_by_one(spark: SparkSession) -> None:
    """Built from midnight on, amid events and changes at that very moment, the rows are those of building all."""
    random = Random(SEED)  # noqa: S311  no secrets are drawn
    intervals = [one for number in range(CLUSTERS) for one in generated(random, f"{number}").intervals]
    stated = timeline(spark, intervals).withColumns({name: F.expr(said) for name, said in KRAFT.items()})
    clusters = spark.range(CLUSTERS).select(
        F.col("id").alias("number"),
        F.col("id").cast("string").alias("cluster_id"),
        F.lit(BEGIN).alias("begun_at"),
    )
    terms, printed = (spark.sql(text, clusters=clusters) for text in (TERMS, PRINTED))
    limits = spark.createDataFrame([], LIMIT)
    nothing = spark.createDataFrame([], imbalances.SPEC.struct)

    def build(rows: DataFrame, before: DataFrame, cut: datetime | None) -> DataFrame:
        made = leader_imbalance.build(rows, terms, limits, printed, before, cut)
        return declared(imbalances.SPEC, made).localCheckpoint()

    whole = build(stated, nothing, None)
    unseen = whole.where(
        (F.col("valid_until_at") < F.lit(DAY)) & (F.col("reason") == imbalances.CREATION_UNSEEN)
    )
    before = reaching_rows(whole, "valid_from_at", "valid_until_at", DAY).unionByName(
        unseen.dropDuplicates(["cluster_id"])
    )
    found = build(stated.where(reaching("valid_until_at", DAY)), before, DAY)
    expected = sorted(map(str, rows_of(whole.where(reaching("valid_until_at", DAY)))))
    assert sorted(map(str, rows_of(found))) == expected
    assert len(expected) > CLUSTERS
    assert {row["reason"] for row in rows_of(found)} == {None, *imbalances.REASONS}


def require_algebra(rows: list[Counted]) -> None:
    """Intervals of one broker: none is empty, none overlaps the next, and the counts change from one to the other."""
    assert all(one.begun < one.ended and 0 <= one.elsewhere <= one.preferred for one in rows)
    for one, following in pairwise(rows):
        is_change = (one.preferred, one.elsewhere) != (following.preferred, following.elsewhere)
        assert one.ended < following.begun or (one.ended == following.begun and is_change)
