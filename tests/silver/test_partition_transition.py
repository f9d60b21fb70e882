"""Moves of partitions: the three forms of the line, by release, and an attempt that failed."""

from pipeline.silver import partition_transition
from schemas.silver.partition_transition import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

LINES = """
    [2026-11-21 00:00:01,000] TRACE [Controller id=1 epoch=5] Changed partition o-0 state from NonExistentPartition to NewPartition with assigned replicas 2,1 (state.change.logger)
    [2026-11-21 00:00:02,000] TRACE [Controller id=1 epoch=5] Changed partition o-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:03,000] TRACE Controller 1 epoch 5 changed partition [o,0] from OnlinePartition to OnlinePartition with leader 1 (state.change.logger)
    [2026-11-21 00:00:04,000] TRACE [Controller id=1 epoch=5] Changed partition o-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:05,000] ERROR [Controller id=1 epoch=5] Controller 1 epoch 5 failed to change state for partition o-0 from OfflinePartition to OnlinePartition (state.change.logger)
    kafka.common.StateChangeFailedException: Failed to elect leader for partition o-0 under strategy OfflinePartitionLeaderElectionStrategy
"""


def test_forms_of_the_partition_line() -> None:
    found = partition_transition.build(records_in({(1, "state-change"): LINES}))
    expected = frame(
        SPEC,
        """
        logged_at | from_state           | to_state         | outcome | leader | leader_epoch | isr   | replicas
        1         | NonExistentPartition | NewPartition     | done    |        |              |       | [2 1]
        2         | NewPartition         | OnlinePartition  | done    | 2      | 0            | [2 1] |
        3         | OnlinePartition      | OnlinePartition  | done    | 1      |              |       |
        4         | OnlinePartition      | OfflinePartition | done    |        |              |       |
        5         | OfflinePartition     | OnlinePartition  | failed  |        |              |       |
        """,
    )
    same_rows(
        found,
        expected,
        "logged_at",
        "from_state",
        "to_state",
        "outcome",
        "leader",
        "leader_epoch",
        "isr",
        "replicas",
    )
