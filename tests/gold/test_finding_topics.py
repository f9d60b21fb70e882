"""What is said of the lives of topics: deletions that wait, topics that are served late or by nobody, acts by hand."""

from tests.chain import found_by_each
from tests.frames import at
from tests.gold.topic_stories import (
    ANSWERED,
    ASKED,
    BARE,
    BROKERS,
    DEAD,
    ELECTED,
    FAILED,
    LIVES,
    MOVING,
)
from tests.lab import Row, rows_of
from tests.rules.rows import fact_texts

RULES = (
    *("stuck_deletion", "topic_without_leader_since_creation", "slow_creation", "topic_vanished"),
    *("topic_removed_by_hand", "deletion_disabled", "recreated_at_once"),
)
Logs = dict[tuple[int, str], str]
WAITING = "it is tried again when a broker with a replica starts or the controller changes"
# The logs go on: this says nothing of topics.
LATER = "    [2026-11-21 00:0{at},000] INFO [Controller id=1] Newly added brokers: , deleted brokers: , bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)\n"
COMPLETED = "    [2026-11-21 00:00:{at},000] INFO [Topic Deletion Manager 1] Deletion of topic t successfully completed (kafka.controller.TopicDeletionManager)\n"


def told(logs: Logs) -> list[Row]:
    (rows,) = told_of(logs)
    return rows


def told_of(*stories: Logs) -> list[list[Row]]:
    """Of each of them, built at once."""
    found = found_by_each({f"{number}": logs for number, logs in enumerate(stories)}, *RULES)
    return [rows_of(rows.sort("valid_from_at", "rule")) for rows in found.values()]


def of_one(lines: str) -> Logs:
    return {(1, "controller"): f"\n    {ELECTED.format(at=0, id=1, epoch=1)}{(BROKERS + lines).rstrip()}\n"}


WHY = (
    (DEAD.format(broker=3), "1 replica on broker 3 (dead)"),
    (DEAD.format(broker=2), "1 replica on broker 2 (log directory failed)"),
    (ANSWERED.format(), "1 replica on broker 2 (KAFKA_STORAGE_ERROR)"),
    (FAILED, "1 replica on broker 2 (not deleted)"),
    (MOVING, "a reassignment"),
    (BARE, "a replica out of reach"),
)


def test_a_deletion_that_waits_says_for_what() -> None:
    found = told_of(*(of_one(ASKED + lines + LATER.format(at="0:30")) for lines, _ in WHY))
    for (row,), (_, what) in zip(found, WHY, strict=True):
        assert (row["rule"], row["severity"], row["valid_until_at"]) == ("stuck_deletion", "warning", None)
        assert row["sentence"] == f"deletion of topic t has waited since 00:00:01 for {what}; {WAITING}"
        assert row["evidence"]


def test_a_deletion_that_was_put_off_is_told_where_it_took_long() -> None:
    (row,), none = told_of(
        *(of_one(ASKED + DEAD.format(broker=3) + COMPLETED.format(at=end)) for end in (12, 11))
    )
    assert (row["severity"], row["valid_from_at"], row["valid_until_at"]) == ("info", at(1), at(12))
    assert row["sentence"] == "deletion of topic t took 11.0 s, put off by broker 3 (dead); completed"
    assert fact_texts(row["facts"]) == {
        "topic": "t", "blocked_by": "dead_replica", "broker_ids": "3", "replicas_count": "1", "lasted_ms": "11000",
    }  # fmt: skip
    assert none == []


def test_a_deletion_that_goes_on_again_is_told_where_it_takes_long() -> None:
    again = ASKED.replace("00:00:01", "00:00:05").splitlines()[2]
    begun = ASKED + DEAD.format(broker=3) + f"{again}\n"
    none, (row,) = told_of(*(of_one(begun + LATER.format(at=end)) for end in ("0:11", "0:12")))
    assert none == []
    assert (row["severity"], row["valid_until_at"]) == ("warning", None)


def test_what_people_did_and_what_no_line_ends() -> None:
    rows = {(one["rule"], one["entity"]): one for one in told(LIVES)}
    said = {key: (one["severity"], one["sentence"], one["valid_from_at"]) for key, one in rows.items()}
    assert said == {
        ("topic_removed_by_hand", "topic old"): (
            "warning", "somebody removed the znode of topic old: its replicas stay on disk", at(2),
        ),
        ("deletion_disabled", "topic a"): (
            "info", "request to delete topic a was dropped: delete.topic.enable=false", at(3.2),
        ),
        ("topic_vanished", "topic gone"): (
            "warning",
            "topic gone was queued for deletion and is missing in the list of controller 2: nobody says that its "
            "deletion was completed",
            at(5.2),
        ),
        ("recreated_at_once", "topic new"): (
            "info",
            "topic new was created anew 20 ms after its deletion, without ids: a broker that was away may bring old "
            "records back",
            at(6.04),
        ),
    }  # fmt: skip
    assert all(one["evidence"] for one in rows.values())


CREATED = """
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set(t)], deleted topics: [Set()], new partition replica assignment [Map(t-0 -> Vector(3), t-1 -> Vector(1))] (kafka.controller.KafkaController)
"""
ONLINE = "    [2026-11-21 00:0{at},000] TRACE [Controller id=1 epoch=1] Changed partition t-{partition} from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1), zkVersion=0) (state.change.logger)\n"
LEADS = "    [2026-11-21 00:0{at},500] TRACE [Broker id=1] Completed LeaderAndIsr request correlationId 1 from controller 1 epoch 1 for the become-leader transition for partition t-{partition} (state.change.logger)\n"


def creation(second_at: str | None, end: str) -> Logs:
    """Partition 0 is Online then; 1 at once."""
    state = ONLINE.format(at="0:02", partition=1) + LEADS.format(at="0:02", partition=1)
    if second_at:
        state += ONLINE.format(at=second_at, partition=0) + LEADS.format(at=second_at, partition=0)
    return of_one(CREATED + LATER.format(at=end)) | {(1, "state-change"): f"\n{state}"}


def test_a_topic_without_a_live_replica_is_told_after_a_minute() -> None:
    none, (row,), (over,) = told_of(creation(None, "1:01"), creation(None, "1:02"), creation("1:05", "1:06"))
    assert none == []
    assert (row["rule"], row["severity"]) == ("topic_without_leader_since_creation", "warning")
    assert row["sentence"] == (
        "topic t was created 00:00:02 without a live replica for partition 0 (broker 3): who created it ran into a timeout"
    )
    assert (row["valid_from_at"], row["valid_until_at"]) == (at(2), None)
    assert (over["severity"], over["valid_until_at"]) == ("info", at(65))
    assert over["sentence"] == f"{row['sentence']}; it had a leader 63.0 s later"


def test_nothing_is_said_of_topics_of_which_no_state_change_is_read() -> None:
    assert told({(1, "controller"): creation(None, "9:00")[1, "controller"]}) == []


def test_a_topic_that_is_served_late_says_why() -> None:
    none, (row,) = told_of(creation("0:06", "0:30"), creation("0:07", "0:30"))
    assert none == []
    assert (row["rule"], row["severity"], row["valid_until_at"]) == ("slow_creation", "info", at(7.5))
    assert row["sentence"] == "topic t was served 5.5 s after its creation: partition 0 waited for broker 3"


UNREAD = """
    [2026-11-21 00:00:06,000] TRACE [Broker id=1] Received LeaderAndIsr request LeaderAndIsrPartitionState(topicName='u', partitionIndex=0, controllerEpoch=2, leader=2, leaderEpoch=1, isr=[2], zkVersion=1, replicas=[2], addingReplicas=[], removingReplicas=[], isNew=false) correlation id 1 from controller 2 epoch 2 for partition u-0 (state.change.logger)
"""
NEXT = f"""
    {ELECTED.format(at=8, id=3, epoch=3)}
    [2026-11-21 00:00:08,200] INFO [Controller id=3] Current list of topics in the cluster: Set(u) (kafka.controller.KafkaController)
"""


def test_what_a_controller_without_lines_did_is_not_known() -> None:
    """Controller 2 may have completed it."""
    lines = of_one(ASKED + DEAD.format(broker=3))
    second = NEXT.replace("epoch=3", "epoch=2").replace("incremented to 3", "incremented to 2")
    # So may the first one, in days of which no line is read.
    later = second.replace("2026-11-21", "2026-11-23")
    (row,), none, vanished, days_later = told_of(
        lines | {(1, "state-change"): UNREAD},
        lines | {(1, "state-change"): UNREAD, (3, "controller"): NEXT},
        lines | {(3, "controller"): second},
        lines | {(3, "controller"): later},
    )
    assert (row["rule"], row["severity"], row["certainty"]) == ("stuck_deletion", "info", "undetermined")
    assert row["sentence"] == (
        "deletion of topic t was put off by broker 3 (dead); what became of it is not known, no line of a later "
        "controller was read"
    )
    assert none == []
    assert [one["rule"] for one in vanished] == ["topic_vanished"]
    assert "topic_vanished" not in [one["rule"] for one in days_later]
