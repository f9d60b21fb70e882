"""Elections: by which rule each leader is chosen, who it prescribes, what is clean, and why others failed."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.kafka import electing
from schemas.gold.leader_election import SPEC
from tests.gold.election_stories import BORN_DEAD, EXPIRED, NO_REPLICA
from tests.tables import same_rows, table

pytestmark = pytest.mark.spark

# The leader by the ISR before, and by the one after. 9: none of the sample's brokers.
CHOICES = """
    kind                | replicas | target_replicas | live_brokers | shutting_down_brokers | isr_before | is_isr_before_certain | isr     | expected | expected_after
    init                | [2 1 3]  |                 | [1 3]        |                       |            |                       | [1 3]   | 1        | 1
    init                | [2 1 3]  |                 | [2 1 3]      | [2]                   |            |                       | [1 3]   | 1        | 1
    init                | [2 1 3]  |                 |              |                       |            |                       | [1 3]   |          | 1
    offline             | [2 1 3]  |                 | [1 3]        |                       | [2 3]      | true                  | [3]     | 3        | 3
    offline             | [2 1 3]  |                 | [1 3]        |                       | [2 3]      | false                 | [3]     |          | 3
    offline             | [2 1 3]  |                 | [1 3]        | [1]                   | [2 1 3]    | true                  | [3]     | 3        | 3
    offline             | [2 1 3]  |                 | [1 3]        |                       | [2]        | true                  | [1]     | 1        | 1
    offline             | [2 1 3]  |                 |              |                       | [2 3]      | true                  | [3]     |          | 3
    offline             |          |                 | [1 3]        |                       | [2 3]      | true                  | [3]     |          |
    preferred           | [2 1 3]  |                 | [1 2 3]      |                       | [1 2]      | true                  | [1 2]   | 2        | 2
    preferred           | [2 1 3]  |                 | [1 2 3]      |                       | [1 3]      | false                 | [1 3]   |          | 2
    reassign            | [2 1 3]  | [3 1]           | [1 2 3]      |                       | [2 1 3]    | true                  | [2 1 3] | 3        | 3
    reassign            | [2 1 3]  | [3 1]           | [1 2]        |                       | [2 1]      | true                  | [2 1]   | 1        | 1
    reassign            | [2 1 3]  |                 | [1 2 3]      |                       | [2 1 3]    | true                  | [2 1 3] |          |
    controlled_shutdown | [2 1 3]  |                 | [1 2 3]      | [2]                   | [2 3 1]    | true                  | [3 1]   | 1        | 1
    controlled_shutdown | [2 1 3]  |                 | [1 2 3]      | [1 2]                 | [2 3 1]    | true                  | [3]     | 3        | 3
"""


def test_who_is_prescribed(spark: SparkSession) -> None:
    cases = CHOICES.replace("expected_after", "leader_epoch").replace("expected ", "expected_leader ")
    given = table(spark, SPEC, cases)
    found = (
        given.withColumns({"online": electing.online(), "choices": electing.choices()})
        .withColumn("expected_leader", electing.expected_by_isr())
        .withColumn("leader_epoch", electing.expected_by_result())
    )
    names = ("kind", "replicas", "isr_before", "isr", "expected_leader", "leader_epoch")
    same_rows(found, given, *names)


# Up to 1.0 the selector says it, from 3.2 the state elected; between only an ISR that is certain tells, or one that
# has more than the leader.
CLEAN = """
    selector                                                             | kind                | from_state       | outcome | leader | isr   | isr_before | is_isr_before_certain | is_clean
                                                                         | init                | NewPartition     | done    | 1      | [1]   |            |                       | true
    selector_unclean_elected elected_unclean                             | offline             | OfflinePartition | done    | 1      | [1]   | [2]        | false                 | false
    selector_isr_elected elected                                         | offline             | OfflinePartition | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   | [1]        | false                 |
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   |            |                       |
                                                                         | offline             | OfflinePartition | done    | 1      | [1 3] | [2]        | false                 | true
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   | [1 2]      | true                  | true
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   | [2]        | true                  | false
    partition_transition elected_unclean                                 | offline             | OfflinePartition | done    | 1      | [1]   | [1]        | true                  | false
                                                                         | offline             | OfflinePartition | failed  |        |       | [2]        | true                  |
                                                                         | preferred           | OnlinePartition  | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | preferred           | OfflinePartition | done    | 1      | [1]   | [2]        | false                 |
                                                                         | reassign            | OnlinePartition  | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | controlled_shutdown | OnlinePartition  | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | isr_removal         |                  | done    | 1      | [1]   | [1 2]      | true                  |
                                                                         | isr_removal         |                  | done    | -1     | [1]   | [1]        | true                  |
"""


def test_what_is_clean(spark: SparkSession) -> None:
    given = table(spark, SPEC, CLEAN)
    notes = F.when(F.col("selector").isNull(), F.array().cast("array<string>")).otherwise(F.array("selector"))
    found = (
        given.withColumn("notes", notes)
        .withColumn("is_unclean_said", electing.is_unclean_said())
        .withColumn("is_clean", electing.is_clean())
    )
    same_rows(found, given, *("selector", "kind", "from_state", "isr", "isr_before", "is_clean"))


NO_ISR = "No broker in ISR for partition [a,0] is alive. Live brokers are: [Set(1, 2)], ISR brokers are: [3]"
NOT_IN_ISR = "encountered error while electing leader for partition [a,0] due to: Preferred replica 2 for partition [a,0] is either not alive or not in the isr."
ABORTED = "encountered error while electing leader for partition [a,0] due to: aborted leader election for partition [a,0] since the LeaderAndIsr path was already written by another controller."
UNDER = "Failed to elect leader for partition a-0 under strategy %s"
FAILURES: list[tuple[str, str, list[int] | None, str]] = [
    # kind, message, live brokers (assigned: 2 and 3), failure
    ("offline", NO_REPLICA, None, "no_live_assigned"),
    ("offline", NO_ISR, None, "no_live_in_isr"),
    ("preferred", NOT_IN_ISR, None, "preferred_unavailable"),
    ("preferred", ABORTED, None, "superseded"),
    ("init", BORN_DEAD, None, "no_live_assigned"),
    ("preferred", EXPIRED, [1, 2], "session_expired"),
    ("offline", UNDER % "OfflinePartitionLeaderElectionStrategy(false)", [1, 2], "no_live_in_isr"),
    ("offline", UNDER % "OfflinePartitionLeaderElectionStrategy", [1], "no_live_assigned"),
    ("offline", UNDER % "OfflinePartitionLeaderElectionStrategy", None, "undetermined"),
    (
        "preferred",
        UNDER % "PreferredReplicaPartitionLeaderElectionStrategy",
        [1, 2],
        "preferred_unavailable",
    ),
    (
        "controlled_shutdown",
        UNDER % "ControlledShutdownPartitionLeaderElectionStrategy",
        [1, 2],
        "only_shutting_down_in_isr",
    ),
    ("offline", "KeeperErrorCode = BadVersion for /brokers/topics/a/partitions/0/state", None, "zookeeper_error"),
    ("offline", "something else", None, "other"),
]  # fmt: skip


def test_why_it_failed(spark: SparkSession) -> None:
    schema = "kind string, message string, online array<int>, failure string"
    given = spark.createDataFrame(FAILURES, schema).withColumns(
        {
            "exception_class": F.lit(None).cast("string"),
            "outcome": F.lit("failed"),
            "choices": F.array(F.lit(2), F.lit(3)),
            "strategy": F.nullif(F.regexp_extract("message", electing.STRATEGY, 1), F.lit("")),
        }
    )
    same_rows(given.withColumn("failure", electing.failure()), given, "message", "failure")
