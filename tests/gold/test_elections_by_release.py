"""Elections as each of the releases prints them, from lines to rows."""

import pytest
from pyspark.sql import SparkSession

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
from tests.tables import built_in_turn, interpreted, log_records, same_rows, table

TOLD = (
    *("topic", "elected_at", "kind", "trigger", "outcome", "failure", "old_leader", "leader", "isr"),
    *("leader_epoch", "expected_leader", "verdict", "is_clean", "reason", "certainty"),
)
STORIES = (
    pytest.param(CONTROLLER_1_0, STATE_CHANGE_1_0, FROM_1_0, id="1.0"),
    pytest.param(CONTROLLER_2_2, STATE_CHANGE_2_2, FROM_2_2, id="2.2"),
    pytest.param(CONTROLLER_3_9, STATE_CHANGE_3_9, FROM_3_9, id="3.9"),
)


@pytest.mark.spark
@pytest.mark.parametrize(("controller", "state_change", "expected"), STORIES)
def test_elections_of_a_release(
    spark: SparkSession, controller: str, state_change: str, expected: str
) -> None:
    logs = {
        (1, "controller"): lines(controller, "[Controller id=1] ", "kafka.controller.KafkaController"),
        (1, "state-change"): lines(state_change, "[Controller id=1 epoch=1] ", "state.change.logger"),
    }
    with interpreted(spark):
        found = built_in_turn(spark, log_records(spark, logs), "leader_election")["leader_election"]
        assert rows_of(broken_rows(found, expectation_of(SPEC))) == []
        same_rows(found, table(spark, SPEC, expected), *TOLD)
