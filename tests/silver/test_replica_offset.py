"""Where the logs of brokers end that begin to lead or to follow."""

import pytest
from pyspark.sql import SparkSession

from schemas.silver.replica_offset import SPEC
from tests.tables import built, log_records, same_rows, table

BROKER = """
    [2026-11-21 00:00:01,000] INFO [Broker id=1] Follower metrics-raw-0 starts at leader epoch 0 from offset 7 with high watermark 0. Previous leader epoch was -1. (state.change.logger)
    [2026-11-21 00:00:02,000] INFO [Broker id=1] Leader clicks-2 starts at leader epoch 3 from offset 56 with high watermark 0 ISR [1,3] addingReplicas [] removingReplicas []. Previous leader epoch was -1. (state.change.logger)
    [2026-11-21 00:00:03,000] INFO [Broker id=1] Leader a-1 with topic id Some(qiXYf-reR3aFUZG8zX-9KQ) starts at leader epoch 4 from offset 5000000000 with partition epoch 0, high watermark 0, ISR [1,2], adding replicas [] and removing replicas [] . Previous leader None and previous leader epoch was -1. (state.change.logger)
    [2026-11-21 00:00:04,000] INFO [Broker id=1] Follower a-3 starts at leader epoch 5 from offset 0 with partition epoch 0 and high watermark 0. Current leader is 3. Previous leader Some(3) and previous leader epoch was 0. (state.change.logger)
"""


@pytest.mark.spark
def test_every_start_from_2_6_on(spark: SparkSession) -> None:
    expected = table(
        spark,
        SPEC,
        """
        logged_at | topic       | partition | broker_id | is_leader | leader_epoch | log_end_offset
        1         | metrics-raw | 0         | 1         | false     | 0            | 7
        2         | clicks      | 2         | 1         | true      | 3            | 56
        3         | a           | 1         | 1         | true      | 4            | 5000000000
        4         | a           | 3         | 1         | false     | 5            | 0
        """,
    )
    found = built(spark, log_records(spark, {(1, "state-change"): BROKER}), "replica_offset")
    own = ("logged_at", "topic", "partition", "broker_id", "is_leader", "leader_epoch", "log_end_offset")
    same_rows(found, expected, *own)
