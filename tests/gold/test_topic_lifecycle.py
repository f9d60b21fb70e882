"""Lives of topics, each told by a few lines; nights are in tests/incremental."""

from datetime import datetime, timedelta

import pytest

from tests.chain import built, built_of_each
from tests.frames import at
from tests.gold.topic_stories import (
    ANSWERED,
    ASKED,
    BARE,
    BROKERS,
    CONTROLLER_1,
    DEAD,
    ELECTED,
    FAILED,
    LIVES,
    MOVING,
    STATE_CHANGE_1,
)
from tests.lab import Row, rows_of
from tests.rows import records_in


def lives_of(logs: dict[tuple[int, str], str]) -> dict[tuple[str, int], Row]:
    rows = rows_of(built(records_in(logs), "topic_lifecycle")["topic_lifecycle"])
    return {(one["topic"], one["topic_life"]): one for one in rows}


@pytest.fixture(scope="module")
def lives() -> dict[tuple[str, int], Row]:
    return lives_of(LIVES)


def test_how_lives_begin_and_end(lives: dict[tuple[str, int], Row]) -> None:
    told = {
        key: (one["created_how"], one["ended_how"], one["ended_at"], one["deletion_state"])
        for key, one in lives.items()
    }
    assert told == {
        ("a", 1): ("created", None, None, "disabled"),
        ("old", 1): ("listed", "removed_by_hand", at(2), "none"),
        ("gone", 1): ("listed", "vanished", at(5.2), "requested"),
        ("none", 1): ("no_topic", None, at(3.1), "ignored_nonexistent"),
        ("new", 1): ("listed", "deleted", at(6.04), "completed"),
        ("new", 2): ("created", None, None, "none"),
    }


def test_a_partition_without_a_live_replica_is_not_online(lives: dict[tuple[str, int], Row]) -> None:
    """Broker 3 never was there: whether it is dead is not known."""
    life = lives["a", 1]
    assert (life["created_at"], life["partition_count"], life["replication"]) == (at(1), 2, [1, 2])
    assert (life["online_at"], life["serving_ms"], life["slowest_partition"]) == (None, None, 0)
    parts = [(one["partition"], one["online_at"], one["serving_at"]) for one in life["partitions"]]
    assert parts == [(0, None, None), (1, at(1.02), at(1.05))]


JOINED = "    [2026-11-21 00:00:04,000] INFO [Controller id=1] Newly added brokers: 3, deleted brokers: , bounced brokers: , all live brokers: 1,2,3 (kafka.controller.KafkaController)\n"
LEFT = (
    JOINED.replace("00:00:04,000", "00:00:00,500")
    .replace("brokers: 3, deleted brokers: ", "brokers: , deleted brokers: 3")
    .replace("1,2,3", "1,2")
)


@pytest.mark.parametrize(("first", "waited_for"), [("", None), (LEFT, [3])])
def test_who_was_dead_is_known_of_who_was_there_before(first: str, waited_for: list[int] | None) -> None:
    """What comes later does not tell it: nights would say otherwise than all at once."""
    before, after = CONTROLLER_1.split("    [2026-11-21 00:00:01,000]")
    lines = f"{before}{first}    [2026-11-21 00:00:01,000]{after}{JOINED}"
    life = lives_of({(1, "controller"): lines, (1, "state-change"): STATE_CHANGE_1})["a", 1]
    assert (life["slowest_partition"], life["waited_for"]) == (0, waited_for)


LED = "    [2026-11-21 00:00:0{at},000] INFO [Broker id={id}] Leader a-1 starts at leader epoch {epoch} from offset 0 with high watermark 0 ISR 1 addingReplicas  removingReplicas . Previous leader epoch was -1. (state.change.logger)\n"


@pytest.mark.parametrize(("epoch", "serving_at"), [(0, at(4)), (3, None)])
def test_a_later_leader_is_not_the_first(epoch: int, serving_at: datetime | None) -> None:
    """The log of the first one is missing."""
    lines = {(1, "controller"): CONTROLLER_1, (2, "state-change"): "\n" + LED.format(at=4, id=2, epoch=epoch)}
    parts = lives_of(lines)["a", 1]["partitions"]
    assert [one["serving_at"] for one in parts] == [None, serving_at]


def test_a_deletion_is_told_in_steps(lives: dict[tuple[str, int], Row]) -> None:
    life = lives["new", 1]
    assert dict(life["deletion_steps"]) == {
        "queued": 10, "stopping_replicas": 20, "waiting": 0, "removing_znodes": 10,
    }  # fmt: skip
    assert [one["step"] for one in life["deletion_lines"]] == ["requested", "started", "completed"]


ID = "rpoB8l-RSUGFUbPRMSPpzA"
RECORD = "[QuorumController id={node}] Replayed TopicRecord for topic t with topic ID rpoB8l-RSUGFUbPRMSPpzA. (org.apache.kafka.controller.ReplicationControlManager)"
KRAFT = f"""
    [2026-11-21 00:00:01,000] INFO [QuorumController id=1] Becoming the active controller at epoch 1, next write offset 1. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:02,000] INFO [QuorumController id=1] CreateTopics result(s): CreatableTopic(name='t', numPartitions=1, replicationFactor=1, assignments=[], configs=[]): SUCCESS (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:02,010] INFO {RECORD.format(node=1)}
    [2026-11-21 00:00:02,020] INFO [Controller 1] Created partition {ID}:0 with PartitionControlInfo(replicas=[1, 2], isr=[1, 2], removingReplicas=null, addingReplicas=null, leader=1, leaderEpoch=0, partitionEpoch=0). (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:04,000] INFO [Controller 1] Created partition {ID}:1 with PartitionControlInfo(replicas=[2, 1], isr=[2, 1], removingReplicas=null, addingReplicas=null, leader=2, leaderEpoch=0, partitionEpoch=0). (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:05,000] INFO [QuorumController id=1] Replayed RemoveTopicRecord for topic t with ID {ID}. (org.apache.kafka.controller.ReplicationControlManager)
"""
# A controller that starts prints all of the log once more.
RESTARTED = f"""
    [2026-11-21 00:00:09,000] INFO {RECORD.format(node=2)}
    [2026-11-21 00:00:09,010] INFO [QuorumController id=2] Replayed RemoveTopicRecord for topic t with ID {ID}. (org.apache.kafka.controller.ReplicationControlManager)
"""


def test_a_life_in_kraft_is_that_of_its_id() -> None:
    """Partitions in the words of 2.8."""
    (life,) = lives_of({(1, "controller"): KRAFT, (2, "controller"): RESTARTED}).values()
    assert (life["created_how"], life["requested_at"], life["created_at"]) == ("created", at(2), at(2.01))
    assert (life["partition_count"], life["replication"], life["online_ms"]) == (1, [2], 0)
    assert [(one["from_count"], one["to_count"]) for one in life["grown"]] == [(1, 2)]
    assert (life["ended_how"], life["ended_at"], life["deletion_state"]) == ("deleted", at(5), "completed")


def test_what_is_replayed_at_a_start_was_created_before() -> None:
    (life,) = lives_of({(2, "controller"): RESTARTED}).values()
    assert (life["created_how"], life["created_at"], life["first_seen_at"]) == ("lines_missing", None, at(9))


LEAVING = "    [2026-11-21 00:00:00,900] INFO [Controller id=1] Shutting down broker 2 (kafka.controller.KafkaController)\n"
WHY: tuple[tuple[str, str, list[tuple[int, int, str | None]]], ...] = (
    (DEAD.format(broker=3), "dead_replica", [(0, 3, None)]),
    (DEAD.format(broker=2), "storage_error", [(0, 2, None)]),
    (LEAVING + DEAD.format(broker=2), "dead_replica", [(0, 2, None)]),
    (ANSWERED.format(), "storage_error", [(0, 2, "KAFKA_STORAGE_ERROR")]),
    (FAILED, "replica_deletion_failed", [(0, 2, None)]),
    (MOVING, "reassignment", []),
    (BARE, "unknown", []),
)


def test_what_puts_a_deletion_off() -> None:
    logs = {
        f"{number}": {
            (1, "controller"): "\n    ".join(
                ["", ELECTED.format(at=0, id=1, epoch=1), f"{(BROKERS + ASKED + lines).strip()}\n"]
            )
        }
        for number, (lines, *_) in enumerate(WHY)
    }
    tables = built_of_each(logs, "topic_lifecycle")
    for number, (lines, blocked_by, replicas) in enumerate(WHY):
        (life,) = rows_of(tables[f"{number}"]["topic_lifecycle"])
        found = [(one["partition"], one["broker_id"], one["error"]) for one in life["blocking_replicas"]]
        told = (life["blocked_by"], found, life["deletion_state"])
        assert told == (blocked_by, replicas, "put_off"), lines


def test_it_goes_on_when_a_broker_starts_or_the_controller_changes() -> None:
    first = "\n    ".join(
        [ELECTED.format(at=0, id=1, epoch=1), (BROKERS + ASKED + DEAD.format(broker=3)).strip()]
    )
    second = f"""
    {ELECTED.format(at=3, id=2, epoch=2)}
    [2026-11-21 00:00:03,200] INFO [Controller id=2] Current list of topics in the cluster: Set(t) (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,300] INFO [Controller id=2] List of topics to be deleted: t (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=2] Some replicas [Topic=t,Partition=0,Replica=3] for topics scheduled for deletion t are on the newly restarted brokers 3. Signaling restart of topic deletion for these topics (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,001] INFO [Topic Deletion Manager 2] Deletion of topic t (re)started (kafka.controller.TopicDeletionManager)
"""
    (life,) = lives_of({(1, "controller"): f"\n    {first}\n", (2, "controller"): second}).values()
    assert list(zip(life["resumed_at"], life["resumed_by"], strict=True)) == [
        (at(3.3), "controller 2"),
        (at(4), "broker 3"),
    ]
    assert life["deletion_state"] == "in_progress"
    assert life["deletion_requested_at"] + timedelta(milliseconds=10) == life["put_off_at"]


def test_of_many_lines_about_replicas_the_first_and_the_last_are_evidence() -> None:
    """Up to 2.2 one answer, and one line that it failed, for each replica."""
    failed = "".join(
        f"    [2026-11-21 00:00:01,{one:03}] DEBUG [Topic Deletion Manager 1], Deletion failed for replicas "
        f"[Topic=t,Partition={one},Replica=2]. Halting deletion for topics Set(t) (kafka.controller.TopicDeletionManager)\n"
        for one in range(10, 20)
    )
    (life,) = lives_of(
        {
            (
                1,
                "controller",
            ): f"\n    {ELECTED.format(at=0, id=1, epoch=1)}{BROKERS}{ASKED.strip(chr(10))}\n{failed}{BARE}"
        }
    ).values()
    assert len(life["blocking_replicas"]) == 10
    assert len(dict(life["lines"])["blocking"]) == 5
