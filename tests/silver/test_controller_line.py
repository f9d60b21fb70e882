"""The order of a controller's lines: openers before consequences, terms by election and by epoch, causes."""

import re

from polars import col

from pipeline.kafka.wording.causes import cause_openers
from pipeline.silver.controller_line import with_node_file_begin
from schemas.bronze import source_file
from schemas.silver import wording_seen
from schemas.silver.controller_line import CAUSES
from tests.chain import built
from tests.frames import at, frame
from tests.rows import records_in

CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [ControllerEventThread controllerId=1] Starting (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2026-11-21 00:00:01,100] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 4 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] Broker failure callback for 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] DEBUG [Controller id=1] Resigning (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,001] INFO [Controller id=1] Resigned (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] DEBUG [Controller id=1] Broker 3 has been elected as the controller, so stopping the election process. (kafka.controller.KafkaController)
"""
STATE_CHANGE = """
    [2026-11-21 00:00:01,200] TRACE [Controller id=1 epoch=4] Changed state of replica 1 for partition t-0 from OnlineReplica to OnlineReplica (state.change.logger)
    [2026-11-21 00:00:02,000] TRACE [Controller id=1 epoch=4] Changed partition t-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:01,990] TRACE [Controller id=1 epoch=4] Changed state of replica 2 for partition t-0 from OnlineReplica to OfflineReplica (state.change.logger)
"""


def test_order_and_cause() -> None:
    records = records_in({(1, "state-change"): STATE_CHANGE, (1, "controller"): CONTROLLER})
    found = built(records, "controller_line")["controller_line"].sort("seq")
    assert found.select("term_id", "event", "cause").rows() == [
        ("1-4", "controller_elected", "controller start-up"),
        ("1-4", "replica_transition", "controller start-up"),
        ("1-4", "broker_change", "unknown"),
        ("1-4", "broker_failure", "broker failure"),
        ("1-4", "partition_transition", "broker failure"),
        (
            "1-4",
            "replica_transition",
            "broker failure",
        ),  # its time is before the line above: place in the file counts
        ("1-4", "controller_resigning", "broker failure"),
        ("1-4", "controller_resigned", "broker failure"),
    ]


AUTOMATIC_0_11 = """
    [2026-11-21 00:00:01,000] INFO [Controller 1]: 1 successfully elected as the controller (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,001] INFO [Controller 1]: Controller 1 incremented epoch to 4 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,002] INFO [Controller 1]: Starting preferred replica leader election for partitions  (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] DEBUG [Controller 1]: Topics not in preferred replica Map([t,0] -> List(3, 1), [t,1] -> List(3, 2)) (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] TRACE [Controller 1]: Leader imbalance ratio for broker 3 is 1.0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,001] INFO [Controller 1]: Starting preferred replica leader election for partitions [t,0] (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,009] INFO [Controller 1]: Partition [t,0] completed preferred replica leader election. New leader is 3 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,009] INFO [Controller 1]: Starting preferred replica leader election for partitions [t,1] (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller 1]: Starting preferred replica leader election for partitions [u,0] (kafka.controller.KafkaController)
"""


def test_elections_one_by_one_are_automatic_after_a_check_that_listed_them() -> None:
    records = records_in({(1, "controller"): AUTOMATIC_0_11})
    found = built(records, "controller_line")["controller_line"].sort("seq")
    rows = found.select("term_id", "event", "cause").rows()
    assert rows[:3] == [
        ("1-4", "controller_elected", "controller start-up"),
        ("1-4", "controller_epoch_incremented", "controller start-up"),
        ("1-4", "preferred_election_started", "controller start-up"),
    ]
    elections = [cause for _, event, cause in rows[3:] if event == "preferred_election_started"]
    assert elections == ["automatic rebalance", "automatic rebalance", "preferred election by tool"]


def test_who_asked_for_an_election_is_not_known_at_info() -> None:
    """Up to 2.3 the lines of the controller's own checks, of DEBUG and TRACE, tell its own elections alone."""
    at_info = [line for line in AUTOMATIC_0_11.splitlines() if not re.search(r"\] (DEBUG|TRACE) ", line)]
    found = built(records_in({(1, "controller"): "\n".join(at_info)}), "controller_line")["controller_line"]
    elections = found.sort("seq").filter(event="preferred_election_started")["cause"].to_list()
    assert elections == ["controller start-up", "unknown", "unknown", "unknown"]


def test_who_asked_for_an_election_is_not_known_behind_lines_that_are_missing() -> None:
    """The check that listed these partitions may have been read."""
    later = "\n".join(AUTOMATIC_0_11.splitlines()[6:]).replace("2026-11-21", "2026-11-23")
    checked = later + "\n" + "\n".join(AUTOMATIC_0_11.splitlines()[4:]).replace("2026-11-21", "2026-11-24")
    moved = "[2026-11-23 00:00:01,500] TRACE [Controller 1 epoch 4]: Changed partition [t,5] state from NewPartition to OfflinePartition (state.change.logger)"
    logs = {(1, "controller"): AUTOMATIC_0_11 + checked, (1, "state-change"): moved}
    found = built(records_in(logs), "controller_line")["controller_line"].sort("seq")
    causes = found.filter(event="preferred_election_started")["cause"].to_list()
    assert causes[4:7] == ["unknown"] * 3
    assert causes[7:] == ["automatic rebalance", "automatic rebalance", "preferred election by tool"]


def test_what_state_change_log_alone_begins_has_no_end_there() -> None:
    begun = "[Controller id=1] Mark replicas t-0 on broker 2 as offline"
    moved = "[Controller id=1 epoch=4] Changed partition t-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=2, isr=List(3), zkVersion=2)"
    text = "".join(
        f"[2026-11-21 00:00:0{second},000] INFO {said} (state.change.logger)\n"
        for second, said in ((6, moved), (7, begun), (8, moved))
    )
    alone = built(records_in({(1, "state-change"): text}), "controller_line")["controller_line"]
    assert alone["cause"].to_list() == ["unknown"] * 3
    beside = records_in({(1, "state-change"): text, (1, "controller"): AUTOMATIC_0_11})
    both = built(beside, "controller_line")["controller_line"].filter(log="state-change")
    assert both.sort("seq")["cause"].to_list()[1:] == ["log-dir failure", "log-dir failure"]


STATE_CHANGE_BEFORE = """
    [2026-11-21 00:00:00,500] TRACE Broker 1 cached leader info (LeaderAndIsrInfo:(Leader:1,ISR:1,LeaderEpoch:0,ControllerEpoch:3),ReplicationFactor:1),AllReplicas:1) for partition [t,0] in response to UpdateMetadata request sent by controller 3 epoch 3 with correlation id 0 (state.change.logger)
"""


def test_openers_come_before_their_consequences() -> None:
    """In the same millisecond, also where the file of state-change.log begins first."""
    given = {(1, "state-change"): STATE_CHANGE_BEFORE + STATE_CHANGE, (1, "controller"): CONTROLLER}
    lines = built(records_in(given), "controller_line")["controller_line"].sort("seq")
    moved = lines.filter(col("event") == "partition_transition")
    assert moved["cause"].to_list() == ["broker failure"]


OUT_OF_ITS_TERM = """
    [2026-11-21 00:00:05,000] INFO [Controller id=1] Initialized controller epoch to 4 and zk version 4 (kafka.controller.KafkaController)
"""


def test_a_controller_that_has_resigned_reads_the_epoch_that_it_had() -> None:
    records = records_in({(1, "controller"): CONTROLLER + OUT_OF_ITS_TERM})
    assert "controller_epoch_read" in records["event"]
    lines = built(records, "controller_line")["controller_line"].sort("seq")
    assert lines["event"].to_list()[-1] == "controller_resigned"


FILES = """
    cluster_id | file_id | load_seq | first_logged_at
    c          | own     | 1        | 10
    c          | shared  | 2        | 20
    c          | shared  | 3        | 15
"""
SEEN = """
    cluster_id | file_id | load_seq | node_id | first_at
    c          | own     | 1        | 1       | 12
    c          | shared  | 2        | 1       | 20
    c          | shared  | 2        | 1       | 25
    c          | shared  | 3        | 2       | 15
    c          | shared  | 3        |         | 16
"""


def test_files_of_a_node_are_in_order_of_its_own_lines() -> None:
    """Another node may have begun the file before."""
    files, seen = frame(source_file.SPEC, FILES), frame(wording_seen.SPEC, SEEN)
    found = with_node_file_begin(seen.select("file_id", "node_id").unique(), files, seen)
    assert found.sort("file_from_at", "node_id").rows() == [
        ("own", 1, at(10)),
        ("shared", None, at(15)),
        ("shared", 2, at(15)),
        ("shared", 1, at(20)),
    ]


def test_every_cause_that_a_line_opens_may_stand_in_the_table() -> None:
    assert {one.cause for one in cause_openers() if one.cause} <= set(CAUSES)


def test_lines_of_a_term_whose_election_is_before_the_logs_belong_to_it() -> None:
    """state-change.log carries the epoch; controller.log is of that term from its first line on, until it resigns."""
    moved = "[2026-11-21 00:00:10,000] TRACE [Controller id=2 epoch=4] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)\n"
    deletion = "[2026-11-21 00:00:{}] INFO [Controller id=2] Starting topic deletion for topics {} (kafka.controller.KafkaController)\n"
    resigned = (
        "[2026-11-21 00:00:13,000] DEBUG [Controller id=2] Resigned (kafka.controller.KafkaController)\n"
    )
    own = (
        deletion.format("09,000", "a")
        + deletion.format("12,000", "b")
        + resigned
        + deletion.format("14,000", "c")
    )
    found = built(records_in({(2, "state-change"): moved, (2, "controller"): own}), "controller_line")[
        "controller_line"
    ]
    rows = found.filter(event="topic_deletion_requested").select("term_id", "logged_at").rows()
    assert rows == [("1-4", at(12))]


def test_lines_of_a_kraft_controller_that_takes_over_from_zookeeper_are_of_its_kraft_term() -> None:
    """While both are written it holds an epoch of ZooKeeper, too, and names it in state-change.log."""
    own = (
        "[2026-11-21 00:00:09,000] INFO [QuorumController id=101] Becoming the active controller at epoch 1, next write offset 1. (org.apache.kafka.controller.QuorumController)\n"
        "[2026-11-21 00:00:12,000] INFO [QuorumController id=101] Replayed TopicRecord for topic a with topic ID W9En8p0oSKKUlraS7sdJMQ. (org.apache.kafka.controller.ReplicationControlManager)\n"
    )
    sent = "[2026-11-21 00:00:10,000] INFO [Controller id=101 epoch=4] Sending UpdateMetadata request to brokers HashSet(1, 2, 3) for 41 partitions (state.change.logger)\n"
    found = built(
        records_in({(101, "state-change"): sent, (101, "controller"): own}), "term", "controller_line"
    )
    assert sorted(found["term"]["mode"]) == ["kraft", "zookeeper"]
    rows = found["controller_line"].select("logged_at", "term_id").rows()
    (kraft,) = found["term"].filter(mode="kraft")["term_id"]
    assert {term for when, term in rows if when >= at(12)} == {kraft}


def test_who_says_that_another_one_is_controller_is_out_of_its_term() -> None:
    """How it ended stands in lines that are missing."""
    own = (
        "[2026-11-21 00:00:01,100] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 4 (kafka.controller.KafkaController)\n"
        "[2026-11-21 00:00:30,000] DEBUG [Controller id=1] Broker 3 was elected as controller instead of broker 1 (kafka.controller.KafkaController)\n"
        "[2026-11-21 00:00:31,000] INFO [Controller id=1] Starting topic deletion for topics a (kafka.controller.KafkaController)\n"
    )
    found = built(records_in({(1, "controller"): own}), "controller_line")["controller_line"]
    assert found.select("event", "term_id").rows() == [("controller_elected", "1-4")]


def test_an_election_that_is_missing_was_before_the_first_request_that_brokers_name() -> None:
    """Not later than the controller names its epoch itself."""
    own = (
        "[2026-11-21 00:00:01,100] INFO [Controller id=3] 3 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 4 (kafka.controller.KafkaController)\n"
        "[2026-11-21 00:00:31,000] INFO [Controller id=3] Starting topic deletion for topics a (kafka.controller.KafkaController)\n"
    )
    moved = "[2026-11-21 00:00:40,000] TRACE [Controller id=3 epoch=6] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)\n"
    received = "[2026-11-21 00:00:20,000] TRACE [Broker id=2] Received LeaderAndIsr request PartitionState(controllerEpoch=6, leader=2, leaderEpoch=3, isr=2,3, zkVersion=5, replicas=2,3, isNew=false) correlation id 10 from controller 3 epoch 6 for partition a-0 (state.change.logger)\n"
    logs = {(3, "controller"): own, (3, "state-change"): moved, (2, "state-change"): received}
    found = built(records_in(logs), "controller_line")["controller_line"].sort("seq")
    assert found.filter(event="topic_deletion_requested")["term_id"].to_list() == ["1-6"]


def test_what_moves_replicas_behind_a_balance_is_another_event() -> None:
    """Its first line stands in state-change.log alone, or is missing."""
    own = """
    [2026-11-21 00:00:01,100] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 4 (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,001] TRACE [Controller id=1] Leader imbalance ratio for broker 2 is 0.0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] INFO [ReplicaStateMachine controllerId=1] Invoking state change to OfflineReplica for replicas [Topic=a,Partition=0,Replica=2] (kafka.controller.ReplicaStateMachine)
    [2026-11-21 00:00:06,001] DEBUG [Controller id=1] Removing replica 2 from ISR 1,2 for partition a-0. (kafka.controller.KafkaController)
"""
    found = built(records_in({(1, "controller"): own}), "controller_line")["controller_line"].sort("seq")
    causes = found.filter(col("logged_at") >= at(5)).select("cause", "event_seq").rows()
    assert [cause for cause, _ in causes] == ["automatic rebalance"] * 2 + ["unknown"] * 2
    assert len({number for _, number in causes[2:]}) == 1
    assert causes[2][1] > causes[1][1]
