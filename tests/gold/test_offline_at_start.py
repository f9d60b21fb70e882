"""A controller that starts without the brokers of a partition, or while all are being shut down: what INFO logs tell."""

from functools import cache
from typing import Any

import pytest

from jobs.questions.half_read import half_read_text
from pipeline.rules.proving.proof import UNDECIDED, Claim, Record
from pipeline.rules.verified import verify_claim
from tests.chain import built, found_by
from tests.frames import at
from tests.jobs.answering import answers_of
from tests.rules.rows import fact_texts
from tests.tables import log_table

ELECTED = """
    [2026-11-21 00:00:01,000] INFO [Controller id=4] 4 successfully elected as the controller. Epoch incremented to 9 and epoch zk version is now 9 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=4] Currently active brokers in the cluster: Set(4) (kafka.controller.KafkaController)
"""
DELETING = """
    [2026-11-21 00:00:01,015] INFO [Controller id=4] List of topics to be deleted: old (kafka.controller.KafkaController)
"""
LISTED = """
    [2026-11-21 00:00:01,020] INFO [ReplicaStateMachine controllerId=4] Started replica state machine with initial state -> Map([Topic=old,Partition=0,Replica=3] -> ReplicaDeletionIneligible, [Topic=events,Partition=0,Replica=3] -> ReplicaDeletionIneligible) (kafka.controller.ReplicaStateMachine)
    [2026-11-21 00:00:01,040] INFO [PartitionStateMachine controllerId=4] Started partition state machine with initial state -> Map(old-0 -> OfflinePartition, events-0 -> OfflinePartition) (kafka.controller.PartitionStateMachine)
"""
LATER = """
    [2026-11-21 00:10:00,000] INFO [Controller id=4] Processing automatic preferred replica leader election (kafka.controller.KafkaController)
"""
FAILED = """
    [2026-11-21 00:00:01,030] ERROR [Controller id=4 epoch=9] Controller 4 epoch 9 failed to change state for partition events-0 from OfflinePartition to OnlinePartition (state.change.logger)
    [2026-11-21 00:00:01,031] ERROR [Controller id=4 epoch=9] Controller 4 epoch 9 failed to change state for partition old-0 from OfflinePartition to OnlinePartition (state.change.logger)
"""
QUIET = """
    [2026-11-21 00:00:01,045] INFO [Controller id=4 epoch=9] Sending UpdateMetadata request to brokers HashSet(4) for 0 partitions (state.change.logger)
"""
NEVER_SEEN = "broker 3 was never seen alive (was a broker's id changed?)"
NAMELESS = "controller start-up"


@cache
def told(controller: str, state_change: str = "") -> list[dict[str, Any]]:
    logs = {(4, "controller"): controller}
    logs |= {(4, "state-change"): state_change + QUIET}
    tables = built(log_table(logs), "partition_outage")
    assert set(tables["partition_outage"]["unserved_from_at"]) == {
        None
    }  # since when it was so before nobody knows
    rows: list[dict[str, Any]] = found_by(log_table(logs), "outage", **tables).to_dicts()
    return rows


@pytest.mark.parametrize(
    ("controller", "state_change", "who", "lasted"),
    [
        (ELECTED + DELETING + LISTED + LATER, FAILED, NEVER_SEEN, "9 min 59 s"),
        (ELECTED + DELETING + LISTED + LATER, "", NEVER_SEEN, "9 min 59 s"),
        (ELECTED + DELETING + LATER, FAILED, NAMELESS, "9 min 59 s"),
    ],
)
def test_partitions_that_a_controller_finds_without_a_leader(
    controller: str, state_change: str, who: str, lasted: str
) -> None:
    """One that is queued for deletion is in no outage; the broker of the only replica is named."""
    (one,) = told(controller, state_change)
    assert one["severity"] == "critical"
    assert one["sentence"] == (
        f"{who}: 1 partition without a leader for {lasted} (events-0), still without at the end of the data, "
        "seen by the new controller 4"
    )


def test_without_its_state_change_log_nobody_knows_for_how_long() -> None:
    """It elects a leader a moment later, and says so there alone: no finding, and the time is undetermined."""
    logs = {(4, "controller"): ELECTED + DELETING + LISTED + LATER}
    found = built(log_table(logs), "partition_outage", "partition_timeline")
    assert found_by(log_table(logs), "outage", **found).is_empty()
    assert set(found["partition_outage"]["certainty"]) == {"undetermined"}
    assert set(found["partition_timeline"]["certainty"]) == {"undetermined"}


def test_a_state_change_log_without_moves_tells_what_fails() -> None:
    """Up to 2.5 at INFO, and at WARN, it has those that fail alone: nobody leads until somebody can."""
    logs = {(4, "controller"): ELECTED + LISTED + LATER, (4, "state-change"): FAILED}
    tables = built(log_table(logs), "partition_outage", "evidence")
    assert set(tables["partition_outage"]["certainty"]) == {"inferred"}
    half = half_read_text(answers_of(**{name: tables[name] for name in ("term", "evidence")}))
    assert half == "state-change.log of controller 4 has no moves (printed at TRACE up to 2.5, else at INFO)"


# The day before, epoch 7 of the same controller, of which controller.log alone is there: it finds the same.
DAY_BEFORE = (
    (ELECTED + LISTED + LATER)
    .replace("2026-11-21", "2026-11-20")
    .replace("to 9 and", "to 7 and")
    .replace("is now 9", "is now 7")
)


@pytest.mark.parametrize("state_change", [FAILED, ""])
def test_a_controller_before_of_which_less_is_known_takes_nothing_away(state_change: str) -> None:
    """What it found without a leader is in doubt until the next one says so itself: since when is not told then."""
    alone = told(ELECTED + DELETING + LISTED + LATER, state_change)
    logs = {
        (4, "controller"): DAY_BEFORE + ELECTED + DELETING + LISTED + LATER,
        (4, "state-change"): state_change + QUIET,
    }
    tables = built(log_table(logs), "partition_outage", "evidence")
    (one,) = found_by(log_table(logs), "outage", **tables).to_dicts()
    assert (one["severity"], one["sentence"]) == (alone[0]["severity"], alone[0]["sentence"])
    rows = tables["partition_outage"].filter(topic="events").sort("noticed_at")
    assert rows.select("ended_how", "certainty", "unserved_from_at", "high_ms").rows() == [
        ("lines_missing", "undetermined", None, None),
        (None, one["certainty"], None, None),
    ]
    half = half_read_text(answers_of(**{name: tables[name] for name in ("term", "evidence")}))
    assert half == "no line of state-change.log of controller 4 (epoch 7) was read"


def test_the_leader_of_before_is_not_that_of_what_is_offline_now() -> None:
    """Epoch 8 is missing: who led a-0 last nobody knows, but that epoch 9 finds nobody is certain."""
    before = (
        ELECTED.replace("to 9 and", "to 7 and")
        .replace("is now 9", "is now 7")
        .replace("00:00:01", "00:00:00")
    )
    led = LED.replace("epoch=9", "epoch=7").replace("00:00:01", "00:00:00")
    logs = {
        (4, "controller"): before + FIRST,
        (4, "state-change"): led + QUIET,
    }
    rows = (
        built(log_table(logs), "partition_timeline")["partition_timeline"]
        .filter(topic="a")
        .sort("interval_seq")
    )
    told_of = rows.select("leader", "state", "is_served", "certainty").rows()
    assert told_of[-1] == (None, "OfflinePartition", False, "proved")
    assert {one[3] for one in told_of[1:-1]} == {"undetermined"}


def test_of_one_that_nobody_deletes_two_partitions_are_without() -> None:
    (one,) = told(ELECTED + LISTED + LATER)
    assert fact_texts(one["facts"])["partitions_count"] == "2"


@pytest.mark.parametrize("line", [LISTED.splitlines()[2], FAILED.splitlines()[1]])
def test_the_line_that_says_so_begins_it(line: str) -> None:
    """That nothing ends it no record shows."""
    (one,) = told(ELECTED + DELETING + LISTED + LATER)
    claim = Claim("outage", one["facts"], at(1), None)
    said, other = (
        verify_claim(claim, [Record("controller.log", 0, 4, "UTC", text.strip().encode())])
        for text in (line, line.replace("events-0", "events-1"))
    )
    assert said[0] == UNDECIDED
    assert "leaves events-0 with its leader" in other[1]


SHUTTING = """
    [2026-11-21 00:01:00,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 2 and epoch zk version is now 2 (kafka.controller.KafkaController)
    [2026-11-21 00:01:00,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2) (kafka.controller.KafkaController)
    [2026-11-21 00:02:00,000] INFO [Controller id=1] Shutting down broker 2 (kafka.controller.KafkaController)
    [2026-11-21 00:02:00,010] INFO [Controller id=1] Shutting down broker 1 (kafka.controller.KafkaController)
    [2026-11-21 00:02:01,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1 (kafka.controller.KafkaController)
    [2026-11-21 00:02:01,001] INFO [Controller id=1] Broker failure callback for 2 (kafka.controller.KafkaController)
    [2026-11-21 00:02:01,002] INFO [Controller id=1] Removed 2 from list of shutting down brokers. (kafka.controller.KafkaController)
    [2026-11-21 00:02:03,000] INFO [Controller id=1] Updated broker epochs cache: HashMap(1 -> 439) (kafka.controller.KafkaController)
"""
STATES = """
    [2026-11-21 00:01:01,000] INFO [Controller id=1 epoch=2] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:01:01,001] INFO [Controller id=1 epoch=2] Changed partition a-1 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2), zkVersion=0) (state.change.logger)
    [2026-11-21 00:02:01,003] ERROR [Controller id=1 epoch=2] Controller 1 epoch 2 failed to change state for partition a-0 from OfflinePartition to OnlinePartition (state.change.logger)
    [2026-11-21 00:02:01,003] ERROR [Controller id=1 epoch=2] Controller 1 epoch 2 failed to change state for partition unheard-0 from OfflinePartition to OnlinePartition (state.change.logger)
    [2026-11-21 00:02:01,004] ERROR [Controller id=1 epoch=2] Controller 1 epoch 2 failed to change state for partition a-1 from OfflinePartition to OnlinePartition (state.change.logger)
"""


def test_leaders_that_are_being_shut_down() -> None:
    """The controller takes them for dead as soon as they ask; of the one that is still there it is the same stop. What
    nobody has told the leader of goes with the broker whose leaving the controller handles."""
    lines = log_table({(1, "controller"): SHUTTING, (1, "state-change"): STATES})
    tables = built(lines, "partition_outage")
    roots = tables["partition_outage"].select("topic", "partition", "root_broker_id").rows()
    assert sorted(roots) == [("a", 0, 1), ("a", 1, 2), ("unheard", 0, 2)]
    assert found_by(lines, "outage", **tables).select("severity", "sentence").rows() == [
        (
            "info",
            "brokers 1 and 2 were shut down as the whole cluster was stopped: 3 partitions without a leader for up to "
            "2.0 s (worst a-1), all still without at the end of the data",
        )
    ]


# Controller 4 finds a-0 without its leader 3; the next one, 3 itself, finds it led again: no line elects anybody.
FIRST = (
    ELECTED
    + """
    [2026-11-21 00:00:01,020] INFO [PartitionStateMachine controllerId=4] Started partition state machine with initial state -> Map(a-0 -> OfflinePartition, b-0 -> OfflinePartition, c-0 -> OnlinePartition) (kafka.controller.PartitionStateMachine)
    [2026-11-21 00:00:09,000] INFO [Controller id=4] Resigned (kafka.controller.KafkaController)
"""
)
LED = """
    [2026-11-21 00:00:01,015] INFO [Controller id=4 epoch=9] Sending UpdateMetadata request PartitionState(controllerEpoch=8, leader=3, leaderEpoch=4, isr=[3], zkVersion=4, replicas=[3], offlineReplicas=[3]) to brokers Set(4) for partition a-0 (state.change.logger)
"""
SECOND = """
    [2026-11-21 00:00:10,000] INFO [Controller id=3] 3 successfully elected as the controller. Epoch incremented to 10 and epoch zk version is now 10 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,010] INFO [Controller id=3] Currently active brokers in the cluster: Set(3) (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,020] INFO [PartitionStateMachine controllerId=3] Started partition state machine with initial state -> Map(a-0 -> OnlinePartition, b-0 -> OfflinePartition, c-0 -> OnlinePartition) (kafka.controller.PartitionStateMachine)
"""


def test_a_leader_that_the_next_controller_finds_alive_is_back() -> None:
    """What a start lists as Online says nothing of a partition that nobody has left: c-0 has no interval."""
    logs = {
        (4, "controller"): FIRST,
        (4, "state-change"): LED,
        (3, "controller"): SECOND,
        (3, "state-change"): QUIET.replace("00:00:01", "00:00:10").replace("id=4 epoch=9", "id=3 epoch=10"),
    }
    tables = built(log_table(logs), "partition_timeline", "partition_outage")
    rows = tables["partition_timeline"].sort("topic", "interval_seq")
    last = rows.unique("topic", keep="last", maintain_order=True)
    told = last.select("topic", "valid_from_at", "state", "leader").rows()
    assert told == [("a", at(10.02), "OnlinePartition", 3), ("b", at(1.02), "OfflinePartition", None)]
    ended = tables["partition_outage"].sort("topic").select("topic", "ended_at", "new_leader").rows()
    assert ended == [("a", at(10.02), 3), ("b", None, None)]


CREATED_TWICE = """
    [2026-11-21 00:00:01,000] TRACE [Controller id=1 epoch=2] Changed partition a-0 state from NonExistentPartition to NewPartition with assigned replicas 1 (state.change.logger)
    [2026-11-21 00:00:02,000] TRACE [Controller id=1 epoch=2] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=5, isr=List(1), zkVersion=5) (state.change.logger)
    [2026-11-21 00:00:03,000] TRACE [Controller id=1 epoch=2] Changed partition a-0 state from NonExistentPartition to NewPartition with assigned replicas 2 (state.change.logger)
    [2026-11-21 00:00:04,000] TRACE [Controller id=1 epoch=2] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2), zkVersion=0) (state.change.logger)
"""


def test_leader_epochs_of_a_topic_that_was_created_anew_begin_anew() -> None:
    """No line tells that the first one was deleted: controller.log is not there."""
    rows = built(log_table({(1, "state-change"): CREATED_TWICE}), "partition_timeline")["partition_timeline"]
    told_of = rows.sort("interval_seq").select("state", "leader", "leader_epoch").rows()
    new, online = "NewPartition", "OnlinePartition"
    assert told_of == [(new, None, None), (online, 1, 5), (new, None, None), (online, 2, 0)]
