"""Breaches of the imbalance limit: how long each lasted and could not have, what Kafka did, and the finding of one."""

from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.before import first_begin, reaching, reassignment_before
from pipeline.catalog.tables import BY_SHORT_NAME, LASTING
from pipeline.gold import imbalance_breach
from pipeline.gold.finding.partitions import standing_imbalance
from pipeline.kafka.reassigning import reassigning
from pipeline.store.delta import declared
from schemas.gold import broker_session, imbalance_check, leader_imbalance, partition_timeline
from schemas.gold.imbalance_breach import SPEC
from schemas.silver import reassignment_event
from schemas.spec import TableSpec
from tests.tables import same_rows, table

BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
# The data end after 600 s; two checks are 60 s, of broker 5 1,000 s.
RATIOS = """
    cluster_id | broker_id | valid_from_at | valid_until_at | preferred_count | led_elsewhere_count | imbalance_ratio | threshold_ratio | check_interval_seconds | is_auto_rebalance_enabled | is_breach | certainty
    c          | 1         | 0             | 50             | 4               | 0                   | 0               | 0.1             | 30                     | true                      | false     | inferred
    c          | 1         | 50            | 60             | 4               | 1                   | 0.25            | 0.1             | 30                     | true                      | true      | inferred
    c          | 1         | 60            | 70             | 4               | 2                   | 0.5             | 0.1             | 30                     | true                      | true      | inferred
    c          | 1         | 70            | 90             | 4               | 0                   | 0               | 0.1             | 30                     | true                      | false     | inferred
    c          | 1         | 90            |                | 4               | 1                   | 0.25            | 0.1             | 30                     | true                      | true      | inferred
    c          | 2         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 30                     | true                      | true      | inferred
    c          | 3         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 30                     | false                     | true      | undetermined
    c          | 4         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 30                     | true                      | true      | inferred
    c          | 5         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 500                    | true                      | true      | inferred
"""
# Broker 1 could lead a-0 from 100 s on; 2 was down; 3 could; 4 was not in the ISR; a reassignment went on from 400 s.
LED = """
    cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | leader | replicas | isr   | is_deleting | adding_replicas
    c          | a     | 1          | 0         | 1            | 50            | 100            | 9      | [1 9]    | [9]   | false       |
    c          | a     | 1          | 0         | 2            | 100           |                | 9      | [1 9]    | [9 1] | false       |
    c          | b     | 1          | 0         | 1            | 100           | 300            | 9      | [2 9]    | [9 2] | false       |
    c          | c     | 1          | 0         | 1            | 100           | 300            | 9      | [3 9]    | [9 3] | false       |
    c          | d     | 1          | 0         | 1            | 100           | 300            | 9      | [4 9]    | [9]   | false       |
    c          | e     | 1          | 0         | 1            | 100           | 300            | 9      | [5 9]    | [9 5] | false       |
    c          | m     | 1          | 0         | 1            | 400           | 450            | 9      | [9 8]    | [9]   | false       | [8]
"""
STAYS = """
    cluster_id | broker_id | joined_at | left_at
    c          | 1         | 0         |
    c          | 2         | 0         | 110
    c          | 2         | 290       |
    c          | 3         | 0         |
    c          | 4         | 0         |
"""
LATER = """
    cluster_id | broker_id | joined_at | left_at | joined_how
    c          | 5         | 300       |         | joined
"""
# What the assignments of cluster c tell (from 2.4) is not told again by lines; cluster d is of 2.3 or before.
REASSIGNED = """
    cluster_id | topic | partition | logged_at | byte_offset | step               | event
    c          | a     | 0         | 90        | 1           | started            | reassignment_assignment_updating
    c          | z     | 0         | 60        | 8           | started            | reassignment_started
    c          | z     | 0         | 110       | 9           | removed            | reassignment_removed
    d          | a     | 0         | 10        | 1           | started            | reassignment_started
    d          | a     | 1         | 11        | 2           | started            | reassignment_started
    d          | a     | 0         | 12        | 3           | assignment_updated | reassignment_assignment_updated
    d          | a     | 0         | 20        | 4           | removed            | reassignment_removed
    d          | a     | 2         | 21        | 5           | removed            | reassignment_removed
    d          | a     | 1         | 30        | 6           | listed             | reassignment_resumed_list
    d          |       |           | 31        | 7           | none_left          | reassignment_none_left
"""
CHECKS = """
    cluster_id | broker_id | checked_at | is_over | is_stale | is_triggered | moved_count
    c          | 1         | 65         | true    | false    | true         | 2
    c          | 1         | 66         | true    | true     | true         | 9
    c          | 1         | 80         | false   | false    | false        | 0
    c          | 1         | 120        | true    | false    | false        | 0
    c          | 1         | 150        | true    | false    | true         | 0
"""


UNTOLD = ("cluster_id", "max_ratio", "preferred_count", "threshold_ratio", "evidence")


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> dict[str, DataFrame]:
    """The tables that breaches are built from, by short name."""

    def rows(spec: TableSpec, text: str) -> DataFrame:
        line = F.struct(F.lit(spec.name).alias("file_id"), F.lit(0).cast("long").alias("byte_offset"))
        return table(spark, spec, text).withColumn("evidence", F.array(line))

    return {
        "leader_imbalance": rows(leader_imbalance.SPEC, RATIOS),
        "imbalance_check": table(spark, imbalance_check.SPEC, CHECKS),
        "partition_timeline": rows(partition_timeline.SPEC, LED),
        "broker_session": table(spark, broker_session.SPEC, STAYS),
        "reassignment_event": table(spark, reassignment_event.SPEC, REASSIGNED),
    }


def built(spark: SparkSession, inputs: dict[str, DataFrame], cut: datetime | None) -> DataFrame:
    """From the cut on, of inputs that reach it."""
    limit = spark.sql(
        "SELECT 'c' AS cluster_id, TIMESTAMP '2026-11-21 00:10:00' AS until_at, 2 AS imbalance_checks"
    )
    before = reassignment_before(inputs["reassignment_event"], cut)
    given = inputs if cut is None else {name: from_cut(name, rows, cut) for name, rows in inputs.items()}
    found = imbalance_breach.build(**given, reassignment_before=before, audit_limit=limit, cut=cut)
    return declared(SPEC, found).localCheckpoint()


def from_cut(name: str, rows: DataFrame, cut: datetime) -> DataFrame:
    ordered_by = BY_SHORT_NAME[name].ordered_by or "logged_at"
    return rows if name in LASTING else rows.where(reaching(ordered_by, cut))


@pytest.fixture(scope="module")
def breaches(spark: SparkSession, inputs: dict[str, DataFrame]) -> DataFrame:
    return built(spark, inputs, None)


@pytest.mark.spark
def test_breaches(spark: SparkSession, breaches: DataFrame) -> None:
    expected = table(
        spark,
        SPEC,
        """
        broker_id | breached_at | balanced_at | led_elsewhere_count | check_count | triggered_count | moved_count | able_ms | down_ms | reassigning_ms | duration_ms | is_standing | why                     | certainty
        1         | 50          | 70          | 2                   | 1           | 1               | 2           | 0       | 0       | 10000          | 20000       | false       | preferred_not_in_isr    | inferred
        1         | 90          |             | 1                   | 2           | 1               | 0           | 500000  | 0       | 70000          | 510000      | true        | not_rebalanced          | inferred
        2         | 100         | 300         | 1                   | 0           | 0               | 0           | 10000   | 180000  | 10000          | 200000      | false       | preferred_down          | inferred
        3         | 100         | 300         | 1                   | 0           | 0               | 0           | 200000  | 0       | 10000          | 200000      | true        | auto_rebalance_disabled | undetermined
        4         | 100         | 300         | 1                   | 0           | 0               | 0           | 0       | 0       | 10000          | 200000      | false       | preferred_not_in_isr    | inferred
        5         | 100         | 300         | 1                   | 0           | 0               | 0           | 200000  | 0       | 10000          | 200000      | false       | between_checks          | inferred
        """,
    )
    columns = [name for name in SPEC.columns if name not in UNTOLD]
    same_rows(breaches, expected, *columns)


@pytest.mark.spark
@pytest.mark.parametrize(("second", "first"), [(60, 50), (75, 75), (95, 90), (200, 90), (400, 90)])
def test_breaches_that_reach_a_cut_rest_on_all_since_they_began(
    spark: SparkSession, inputs: dict[str, DataFrame], breaches: DataFrame, second: int, first: int
) -> None:
    """A reassignment that began before counts, too; of what was balanced before the cut nothing is built."""
    cut = BEGIN + timedelta(seconds=second)
    begin = first_begin(breaches, "breached_at", "balanced_at", cut)
    assert begin == BEGIN + timedelta(seconds=first)
    found = built(spark, inputs, begin).where(reaching("balanced_at", cut))
    same_rows(found, breaches.where(reaching("balanced_at", cut)), *SPEC.columns)


@pytest.mark.spark
def test_a_broker_is_live_as_long_as_no_list_named_any(
    spark: SparkSession, inputs: dict[str, DataFrame], breaches: DataFrame
) -> None:
    """That one names it after a breach changes nothing of that breach."""
    later = table(spark, broker_session.SPEC, LATER)
    found = built(spark, inputs | {"broker_session": inputs["broker_session"].unionByName(later)}, None)
    same_rows(found, breaches, *SPEC.columns)


@pytest.mark.spark
def test_reassignments_up_to_2_3_are_told_by_their_lines(spark: SparkSession) -> None:
    """From the line that begins one, or lists it at a start, until it is taken out; a-1 goes on."""
    steps = table(spark, reassignment_event.SPEC, REASSIGNED)
    found = reassigning(table(spark, partition_timeline.SPEC, LED), steps).orderBy(
        "cluster_id", "from_at", "until_at"
    )
    told = [
        (row.cluster_id, *(at and 60 * at.minute + at.second for at in (row.from_at, row.until_at)))
        for row in found.collect()
    ]
    assert told == [("c", 60, 110), ("c", 400, 450), ("d", 10, 20), ("d", 11, 30), ("d", 30, None)]


@pytest.mark.spark
def test_only_what_outlasts_the_checks_is_a_finding(breaches: DataFrame) -> None:
    """And only where enough is known; where nothing moves leaders back, the sentence says so."""
    said = "leads too few: 1 of its 4 preferred partitions are led elsewhere, ratio 0.2500 over 0.10"
    found = standing_imbalance(breaches).collect()
    assert [(row.sentence, row.severity) for row in found] == [(f"broker 1 {said}", "warning")]
    sure = breaches.withColumn("certainty", F.lit("inferred")).where("broker_id = 3")
    (row,) = standing_imbalance(sure).collect()
    assert row.severity == "info"
    assert row.sentence.endswith("; auto.leader.rebalance.enable=false: nothing moves leaders back")


@pytest.mark.spark
def test_a_breach_shows_its_begin_its_height_and_that_the_broker_could_lead(breaches: DataFrame) -> None:
    (row,) = breaches.where("broker_id = 1 AND balanced_at IS NULL").collect()
    assert [line.file_id for line in row.evidence] == ["gold.leader_imbalance", "gold.partition_timeline"]
