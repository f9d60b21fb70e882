"""Terms: elected, only named by others, and epochs that a wiped cluster uses again."""

import pytest
from pyspark.sql import SparkSession

from schemas.silver.term import SPEC
from tests.tables import built, log_records, same_rows, table

CONTROLLER_1 = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Ready to serve as the new controller with epoch 1 (kafka.controller.KafkaController)
"""
CONTROLLER_2 = """
    [2026-11-21 00:00:05,000] INFO [Controller 2]: Controller 2 incremented epoch to 2 (kafka.controller.KafkaController)
"""
STATE_CHANGE_3 = """
    [2026-11-21 00:00:07,000] TRACE [Controller id=3 epoch=3] Changed state of replica 3 for partition t-0 from NewReplica to OnlineReplica (state.change.logger)
"""


@pytest.mark.spark
def test_lives_and_terms(spark: SparkSession) -> None:
    logs = {
        (1, "controller"): CONTROLLER_1,
        (2, "controller"): CONTROLLER_2,
        (3, "state-change"): STATE_CHANGE_3,
    }
    expected = table(
        spark,
        SPEC,
        """
        term_id | life | controller_id | controller_epoch | mode      | elected_at | first_seen_at | last_seen_at | certainty
        1-1     | 1    | 1             | 1                | zookeeper | 1          | 1             | 9            | proved
        1-2     | 1    | 2             | 2                | zookeeper | 5          | 5             | 5            | proved
        1-3     | 1    | 3             | 3                | zookeeper |            | 7             | 7            | inferred
        2-1     | 2    | 1             | 1                | zookeeper | 9          | 9             | 10           | proved
        """,
    )
    same_rows(
        built(spark, log_records(spark, logs), "term"), expected,
        "term_id", "life", "controller_id", "controller_epoch", "mode", "elected_at", "first_seen_at", "last_seen_at", "certainty",
    )  # fmt: skip
