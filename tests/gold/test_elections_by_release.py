"""Elections as each of the releases prints them, from lines to rows."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.store.gate import broken_rows, expectation_of
from schemas.gold.leader_election import SPEC
from tests.gold.election_stories import (
    CONTROLLER_1_0,
    CONTROLLER_2_2,
    CONTROLLER_3_9,
    FROM_1_0,
    FROM_2_2,
    FROM_3_9,
    STATE_CHANGE_1_0,
    STATE_CHANGE_2_2,
    STATE_CHANGE_3_9,
    lines,
)
from tests.lab import rows_of
from tests.tables import built_of_many, same_rows, table

TOLD = (
    *("topic", "elected_at", "kind", "trigger", "outcome", "failure", "old_leader", "leader", "isr"),
    *("leader_epoch", "expected_leader", "verdict", "is_clean", "reason", "certainty"),
)
# By release: lines of controller.log and state-change.log, and what is told of them.
STORIES = {
    "1.0": (CONTROLLER_1_0, STATE_CHANGE_1_0, FROM_1_0),
    "2.2": (CONTROLLER_2_2, STATE_CHANGE_2_2, FROM_2_2),
    "3.9": (CONTROLLER_3_9, STATE_CHANGE_3_9, FROM_3_9),
}
pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def elections(spark: SparkSession) -> DataFrame:
    """Of a cluster for each release."""
    logs = {
        release: {
            (1, "controller"): lines(controller, "[Controller id=1] ", "kafka.controller.KafkaController"),
            (1, "state-change"): lines(state_change, "[Controller id=1 epoch=1] ", "state.change.logger"),
        }
        for release, (controller, state_change, _) in STORIES.items()
    }
    return built_of_many(spark, logs, "leader_election")["leader_election"]


def test_declarations_hold(elections: DataFrame) -> None:
    assert rows_of(broken_rows(elections, expectation_of(SPEC))) == []


@pytest.mark.parametrize("release", STORIES)
def test_elections_of_a_release(spark: SparkSession, elections: DataFrame, release: str) -> None:
    found = elections.where(F.col("cluster_id") == release)
    same_rows(found, table(spark, SPEC, STORIES[release][2]), *TOLD)
