"""Findings about terms: which event gives which finding, and only that."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.gold.finding import terms as rules
from tests.gold.term_stories import STORIES, records
from tests.tables import built_in_turn

pytestmark = pytest.mark.spark
RULES = (
    rules.controller_outlived,
    rules.deposed_controller_wrote,
    rules.controller_powerless,
    rules.no_controller,
    rules.failover_slow,
)
FOUND = {
    (
        "harmless",
        "controller_outlived",
    ): "resigned 4.0 s after the next controller was elected; no write seen",
    ("talked", "controller_outlived"): "no write seen, but requests to brokers",
    ("deeds not printed", "controller_outlived"): "whether it wrote is not known",
    ("clocks differ", "controller_outlived"): "1 writes after",
    (
        "wrote",
        "deposed_controller_wrote",
    ): "wrote leaders of partitions 2 time(s) after the next controller was elected, the last 3.5 s after",
    ("powerless", "controller_powerless"): "ZooKeeper refused its epoch 2 time(s); it was so for 6.0 s",
    ("powerless still", "controller_powerless"): "ZooKeeper refused its epoch 1 time(s); it still is",
    ("crashed", "no_controller"): "no controller for up to 7.0 s after controller 1 (epoch 1)",
    ("quorum lost", "no_controller"): "no controller for at least 10.0 s after controller 1 (epoch 1)",
    (
        "nobody since",
        "no_controller",
    ): "no controller for as long as the logs go on after controller 1 (epoch 1)",
    ("slow", "failover_slow"): "was ready only 30.0 s after its election, longest in initializing context",
}

LIMITS = {"overlap_ms": 1000, "no_controller_ms": 5000, "failover_slow_ms": 10000}
NO_CONTROLLER = {"crashed", "crashed, shut down later", "quorum lost", "nobody since"}


@pytest.fixture(scope="module")
def findings(spark: SparkSession) -> DataFrame:
    said = records(spark, STORIES)
    tables = built_in_turn(spark, said, "controller_term")
    limits = said.groupBy("cluster_id").agg(
        F.max("logged_at").alias("until_at"), *(F.lit(ms).alias(name) for name, ms in LIMITS.items())
    )
    found = [rule(tables["controller_term"], limits) for rule in RULES]
    whole = found[0]
    for one in found[1:]:
        whole = whole.unionByName(one)
    return whole.localCheckpoint()


def test_each_event_has_its_finding_and_no_other(findings: DataFrame) -> None:
    found = {(row.cluster_id, row.rule): row.sentence for row in findings.collect()}
    assert set(found) == set(FOUND) | {(name, "no_controller") for name in NO_CONTROLLER}
    assert {key: words for key, words in FOUND.items() if words not in found[key]} == {}


def test_severity_and_times(findings: DataFrame) -> None:
    rows = {row.cluster_id: row for row in findings.collect()}
    assert {row.severity for row in rows.values() if row.rule == "deposed_controller_wrote"} == {"critical"}
    assert {row.severity for row in rows.values() if row.rule != "deposed_controller_wrote"} == {"warning"}
    seconds = {
        name: (row.valid_from_at.second, row.valid_until_at and row.valid_until_at.second)
        for name, row in rows.items()
    }
    assert (seconds["wrote"], seconds["powerless"], seconds["harmless"]) == ((12, 15), (4, 10), (12, 16))
    assert (seconds["slow"], seconds["powerless still"]) == ((1, 31), (4, None))


def test_evidence_is_what_the_sentence_speaks_of(spark: SparkSession, findings: DataFrame) -> None:
    events = {(row.file_id, row.byte_offset): row.event for row in records(spark, STORIES).collect()}
    lines = {row.cluster_id: [events[tuple(one)] for one in row.evidence] for row in findings.collect()}
    assert lines["slow"] == ["controller_elected", "controller_ready"]
    assert lines["powerless"] == ["controller_elected", "controller_event_moved", "controller_resigning"]
    assert lines["quorum lost"] == ["controller_active", "controller_observed_leader", "controller_active"]
    assert lines["powerless still"] == ["controller_elected", "controller_event_moved"]
    election = ["controller_elected", "controller_epoch_incremented"]
    assert lines["wrote"] == [*election, "partition_transition", "partition_transition", *election]
