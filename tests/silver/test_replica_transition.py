"""Moves of replicas as releases word them, and refused ones with Kafka's own list of valid states."""

from polars import col

from pipeline.silver import replica_transition
from schemas.silver.replica_transition import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

LINES = """
    [2026-11-21 00:00:01,000] TRACE Controller 1 epoch 5 changed state of replica 2 for partition [a.b-c,0] from OnlineReplica to OfflineReplica (state.change.logger)
    [2026-11-21 00:00:02,000] TRACE [Controller id=1 epoch=5] Changed state of replica 3 for partition a.b-c-12 from NewReplica to OnlineReplica (state.change.logger)
    [2026-11-21 00:00:03,000] ERROR [Controller id=1 epoch=5] Controller 1 epoch 5 initiated state change of replica 1 for partition t-0 from OfflineReplica to ReplicaDeletionIneligible failed (state.change.logger)
    java.lang.IllegalStateException: Replica [Topic=t,Partition=0,Replica=1] should be in the ReplicaDeletionStarted states before moving to ReplicaDeletionIneligible state. Instead it is in OfflineReplica state
    at kafka.controller.ReplicaStateMachine.logInvalidTransition(ReplicaStateMachine.scala:330)
    [2026-11-21 00:00:04,000] TRACE [Broker id=2] Cached leader info for partition t-0 (state.change.logger)
"""


def test_moves_and_refusals_of_replicas() -> None:
    found = replica_transition.build(records_in({(1, "state-change"): LINES}))
    expected = frame(
        SPEC,
        """
        logged_at | controller_id | controller_epoch | topic | partition | replica_id | from_state     | to_state                  | outcome
        1         | 1             | 5                | a.b-c | 0         | 2          | OnlineReplica  | OfflineReplica            | done
        2         | 1             | 5                | a.b-c | 12        | 3          | NewReplica     | OnlineReplica             | done
        3         | 1             | 5                | t     | 0         | 1          | OfflineReplica | ReplicaDeletionIneligible | failed
        """,
    )
    same_rows(
        found, expected,
        "logged_at", "controller_id", "controller_epoch", "topic", "partition", "replica_id", "from_state", "to_state", "outcome",
    )  # fmt: skip
    refused = found.row(by_predicate=col("outcome") == "failed", named=True)
    assert refused["exception_class"] == "java.lang.IllegalStateException"
    assert refused["previous_states"] == ["ReplicaDeletionStarted"]
