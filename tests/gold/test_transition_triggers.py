"""Every logged move of the labs has the method of Kafka's that asked for it."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col

from tests.chain import built
from tests.lab import READ, folder_of, records
from tests.rows import records_in

QUICK = "2.2.2-zk-redrive"
LABS = (
    *("0.11.0.3-zk-stock", "1.0.2-zk-stock", "2.2.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-stock"),
    *("2.6.3-zk-trace", "3.2.3-zk-stock", "3.2.3-zk-trace", "3.9.1-zk-stock", "3.9.1-zk-trace"),
    *(
        "1.0.2-zk-moves",
        "2.2.2-zk-moves",
        "3.9.1-zk-moves",
        "3.9.1-zk-redrive",
        "3.9.2-kraft-migration-stock",
    ),
)
METHOD_OF_STRATEGY = {
    "ControlledShutdownPartitionLeaderElectionStrategy": "KafkaController.doControlledShutdown",
    "PreferredReplicaPartitionLeaderElectionStrategy": "KafkaController.onReplicaElection",
    "ReassignPartitionLeaderElectionStrategy": "KafkaController.moveReassignedPartitionLeaderIfRequired",
}
CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Newly added brokers: 2, deleted brokers: , bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] New broker startup callback for 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,005] INFO [Topic Deletion Manager 1] Handling deletion for topics old (kafka.controller.TopicDeletionManager)
"""
STATES = """
    [2026-11-21 00:00:10,005] TRACE [Controller id=1 epoch=1] Changed partition t-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=2, isr=List(2), zkVersion=2) (state.change.logger)
    [2026-11-21 00:00:10,006] TRACE [Controller id=1 epoch=1] Changed partition old-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:10,007] TRACE [Controller id=1 epoch=1] Changed partition n-0 state from NonExistentPartition to NewPartition with assigned replicas 2 (state.change.logger)
    [2026-11-21 00:00:10,008] TRACE [Controller id=1 epoch=1] Changed partition u-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=2, isr=List(2), zkVersion=2) (state.change.logger)
"""


def said_otherwise(moves: pl.DataFrame) -> list[Any]:
    """Failed elections that name their strategy, from 1.1 on, and that another method is said to have asked for."""
    said = col("exception_message").str.extract(r"under strategy (\w+)")
    asked = said.replace_strict(METHOD_OF_STRATEGY, default=None, return_dtype=pl.String)
    is_other = pl.when(said == "OfflinePartitionLeaderElectionStrategy").then(
        col("trigger").is_in(METHOD_OF_STRATEGY.values())
    ).otherwise(col("trigger") != asked)  # fmt: skip
    return moves.filter(is_other).select("trigger", "logged_at").rows()


@pytest.mark.parametrize("lab", [QUICK, *(pytest.param(one, marks=pytest.mark.soak) for one in LABS)])
def test_every_move_of_a_lab_is_named(shared: Path, lab: str) -> None:
    moves = built(records(folder_of(shared, lab)), "transition_audit")["transition_audit"]
    assert len(moves) > 0
    unnamed = moves.filter(col("trigger").is_null())
    assert unnamed.select("cause", "from_state", "to_state", "logged_at").rows() == []
    assert said_otherwise(moves) == []


@pytest.mark.soak
def test_every_move_of_a_public_cluster_whose_cause_is_known_is_named(shared: Path) -> None:
    """Of 2.8.0-AndreasTraut: the last broker that is there wants to shut down, and leads partitions that are offline."""
    clusters = [one for one in sorted((shared / "corpus" / "public").iterdir()) if one.is_dir()]
    assert len(clusters) > 10
    for cluster in clusters:
        moves = built(records(cluster, (*READ, "server")), "transition_audit")["transition_audit"]
        unnamed = moves.filter(col("trigger").is_null(), col("cause") != "unknown")
        assert unnamed.select("cause", "from_state", "to_state").unique().rows() == [], cluster.name
        assert said_otherwise(moves) == [], cluster.name


def test_a_move_of_the_same_millisecond_as_the_next_cause_belongs_to_the_one_before() -> None:
    """A deletion elects nobody: the first one is of the broker's start. The line of the cause of the third one is
    missing, and one method alone makes such a move; several make the last one: nothing is said of it."""
    logs = records_in({(1, "controller"): CONTROLLER, (1, "state-change"): STATES})
    moves: list[dict[str, Any]] = (
        built(logs, "transition_audit")["transition_audit"].sort("logged_at").to_dicts()
    )
    assert [(one["topic"], one["cause"], one["trigger"]) for one in moves] == [
        ("t", "broker start", "KafkaController.onBrokerStartup"),
        ("old", "topic deletion", "TopicDeletionManager.onTopicDeletion"),
        ("n", "topic deletion", "KafkaController.onNewPartitionCreation"),
        ("u", "topic deletion", None),
    ]
