"""Brokers named by lines: lists taken apart, end points, records, threads."""

from pathlib import Path

import pytest

from pipeline.silver import broker_event
from schemas.silver.broker_event import SPEC
from tests.corpus import json_lines
from tests.frames import frame
from tests.rows import family_rows, records_in, same_rows

LINES = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] Newly added brokers: 2,3, deleted brokers: , bounced brokers: 4, all live brokers: 1,2,3,4 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [BrokerChangeListener on Controller 0]: Newly added brokers: , deleted brokers: 10, all live brokers:  (kafka.controller.ReplicaStateMachine$BrokerChangeListener)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] Removed ArrayBuffer() from list of shutting down brokers. (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=1] Currently active brokers in the cluster: HashSet(1, 12) (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] INFO [Controller id=1] Updated broker epochs cache: Map(1 -> 25, 3 -> 4294967299) (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] INFO [Controller id=1] Shutting down broker 3 (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] INFO [Controller-0-to-broker-5-send-thread], Controller 0 connected to Node(5, 72331b6f5048, 9092) for sending state change requests (kafka.controller.RequestSendThread)
    [2026-11-21 00:00:08,000] WARN [RequestSendThread controllerId=1] Controller 1's connection to broker kafka-7.example.net:9092 (id: 7 rack: null) was unsuccessful (kafka.controller.RequestSendThread)
    [2026-11-21 00:00:09,000] INFO [Controller-1-to-broker-3-send-thread]: Stopped (kafka.controller.RequestSendThread)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Updated broker metadata: 1 : (EndPoint(h,9092,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{} -> 1 : (EndPoint(h,9093,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{} (kafka.controller.KafkaController)
"""
MIGRATION = """
    [2026-11-21 00:00:11,000] INFO Adding brokers Set(1 : (EndPoint(127.0.0.1,37001,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{(kraft.version -> SupportedVersionRange[min_version:0, max_version:1])}, 20 : (EndPoint(127.0.0.1,37002,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{}), removing brokers Set(). (state.change.logger)
"""
KRAFT = """
    [2026-11-21 00:00:21,000] INFO [QuorumController id=101] Replayed initial RegisterBrokerRecord for broker 1: RegisterBrokerRecord(brokerId=1, isMigratingZkBroker=false, incarnationId=rSXm8qhhRM6OO8tFAH12Lw, brokerEpoch=19, endPoints=[], features=[], rack=null, fenced=true, inControlledShutdown=false, logDirs=[]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:22,000] INFO [QuorumController id=101] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=19, fenced=-1, inControlledShutdown=0, logDirs=[]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:23,000] INFO [QuorumController id=101] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=19, fenced=0, inControlledShutdown=1, logDirs=[]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:24,000] INFO [QuorumController id=101] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=19, fenced=1, inControlledShutdown=0, logDirs=[]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:25,000] INFO [QuorumController id=101] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=19, fenced=0, inControlledShutdown=0, logDirs=[x]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:26,000] INFO [Controller 1] Unfenced broker: UnfenceBrokerRecord(id=3, epoch=44) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:27,000] INFO [QuorumController id=101] Ignoring no-op registration change for BrokerRegistration(id=3, epoch=6, incarnationId=z8OVVneKQXKOK630cDXZNw, listeners=[]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:28,000] INFO [QuorumController id=101] Registering a new incarnation of broker 2. Previous incarnation ID was fZ9IFr7FTNeyqytWS0g3XA; new incarnation ID is f4s-yXrKR7KLw5OW4gF_mw. Generated 0 record(s) to clean up previous incarnations. Broker epoch will become 231. (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:29,000] INFO [QuorumController id=101] Fencing broker 2 at epoch 12 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
"""
BROKER = """
    [2026-11-21 00:00:31,000] INFO [BrokerLifecycleManager id=2] Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION (kafka.server.BrokerLifecycleManager)
"""
EXPECTED = """
    logged_at | said_by  | step                   | broker_id | broker_epoch | incarnation_id         | controller_id | reason
    1         | decision | joined                 | 2         |              |                        | 1             |
    1         | decision | joined                 | 3         |              |                        | 1             |
    1         | decision | bounced                | 4         |              |                        | 1             |
    1         | decision | live                   | 1         |              |                        | 1             |
    1         | decision | live                   | 2         |              |                        | 1             |
    1         | decision | live                   | 3         |              |                        | 1             |
    1         | decision | live                   | 4         |              |                        | 1             |
    2         | decision | left                   | 10        |              |                        | 0             |
    4         | decision | live                   | 1         |              |                        | 1             |
    4         | decision | live                   | 12        |              |                        | 1             |
    5         | decision | epoch                  | 1         | 25           |                        | 1             |
    5         | decision | epoch                  | 3         | 4294967299   |                        | 1             |
    6         | decision | shutdown_requested     | 3         |              |                        | 1             |
    7         | channel  | connected              | 5         |              |                        | 0             |
    8         | channel  | connect_failed         | 7         |              |                        | 1             |
    9         | channel  | thread_stopped         | 3         |              |                        | 1             |
    10        | decision | info_changed           | 1         |              |                        | 1             |
    11        | decision | joined                 | 1         |              |                        |               |
    11        | decision | joined                 | 20        |              |                        |               |
    21        | replay   | registered             | 1         | 19           | rSXm8qhhRM6OO8tFAH12Lw | 101           |
    22        | replay   | unfenced               | 1         | 19           |                        | 101           |
    23        | replay   | in_controlled_shutdown | 1         | 19           |                        | 101           |
    24        | replay   | fenced                 | 1         | 19           |                        | 101           |
    25        | replay   | registration_changed   | 1         | 19           |                        | 101           |
    26        | replay   | unfenced               | 3         | 44           |                        | 1             |
    27        | replay   | registration_unchanged | 3         | 6            | z8OVVneKQXKOK630cDXZNw | 101           |
    28        | decision | registration_requested | 2         | 231          | f4s-yXrKR7KLw5OW4gF_mw | 101           |
    29        | decision | session_timed_out      | 2         | 12           |                        | 101           |
    31        | broker   | registration_failed    | 2         |              |                        |               | DUPLICATE_BROKER_REGISTRATION
"""  # fmt: skip


def test_brokers() -> None:
    logs = {
        (1, "controller"): LINES,
        (1, "state-change"): MIGRATION,
        (101, "controller"): KRAFT,
        (2, "server"): BROKER,
    }
    found = broker_event.build(records_in(logs))
    same_rows(
        found, frame(SPEC, EXPECTED),
        "logged_at", "said_by", "step", "broker_id", "broker_epoch", "incarnation_id", "controller_id", "reason",
    )  # fmt: skip


@pytest.mark.parametrize(
    "cluster",
    [
        "2.2.2-zk-stock",
        *(pytest.param(one, marks=pytest.mark.soak) for one in ("2.5.1-zk-stock", "3.9.1-zk-stock")),
    ],
)
def test_epochs_are_those_of_the_znodes(shared: Path, cluster: str) -> None:
    """A broker's epoch is the zxid that created its znode; every one that a controller told existed."""
    folder = shared / "corpus" / "lab" / cluster
    true = {
        (int(one["path"].split("/")[3]), one["zxid"])
        for one in json_lines(folder / "truth" / "znodes_txn.jsonl")
        if one["op"] == "create" and one["path"].startswith("/brokers/ids/")
    }
    rows = family_rows(broker_event.build, SPEC, folder)
    told = {(row["broker_id"], row["broker_epoch"]) for row in rows if row["step"] == "epoch"}
    assert told <= true
    assert len(told) >= len(true) - 1  # a controller may be dead while a broker comes and goes


@pytest.mark.parametrize(
    "cluster",
    ["4.0.0-kraft-combined-stock", pytest.param("4.3.1-kraft-separate-stock", marks=pytest.mark.soak)],
)
def test_registrations_are_those_of_the_metadata_log(shared: Path, cluster: str) -> None:
    folder = shared / "corpus" / "lab" / cluster
    true = {
        (one["data"]["brokerId"], one["data"]["brokerEpoch"], one["data"]["incarnationId"])
        for one in json_lines(folder / "truth" / "metadata-log.jsonl")
        if one["type"] == "REGISTER_BROKER_RECORD"
    }
    rows = family_rows(broker_event.build, SPEC, folder)
    key = ("broker_id", "broker_epoch", "incarnation_id")
    assert {
        tuple(row[name] for name in key)
        for row in rows
        if row["step"].startswith("registered") and row["said_by"] == "replay"
    } == true


def test_the_line_that_unfences_a_broker_says_no_epoch() -> None:
    """It says where the register record stands: 8 behind the epoch, as so many records cleaned up before it."""
    text = """
    [2026-11-21 00:00:01,000] INFO [QuorumController id=9] Registering a new incarnation of broker 1. Previous incarnation ID was fZ9IFr7FTNeyqytWS0g3XA; new incarnation ID is f4s-yXrKR7KLw5OW4gF_mw. Generated 8 record(s) to clean up previous incarnations. Broker epoch will become 593. (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:02,000] INFO [QuorumController id=9] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 601. (org.apache.kafka.controller.BrokerHeartbeatManager)
    """
    rows = broker_event.build(records_in({(9, "controller"): text})).sort("logged_at")
    assert rows.select("broker_epoch", "registered_offset").rows() == [(593, None), (None, 601)]


def test_a_registration_has_its_log_directories_and_a_mark_its_partitions() -> None:
    """As printed; a change of a registration has only those that are left."""
    text = """
    [2026-11-21 00:00:01,000] INFO [QuorumController id=9] Replayed initial RegisterBrokerRecord for broker 1: RegisterBrokerRecord(brokerId=1, brokerEpoch=19, logDirs=[aaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbb]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:02,000] INFO [QuorumController id=9] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=19, fenced=0, inControlledShutdown=0, logDirs=[aaaaaaaaaaaaaaaaaaaaaa]) (org.apache.kafka.controller.ClusterControlManager)
    [2026-11-21 00:00:03,000] INFO [Controller id=9] Mark replicas t-1,t-0 on broker 1 as offline (state.change.logger)
    """
    rows = broker_event.build(records_in({(9, "controller"): text})).sort("logged_at")
    assert rows.select("log_dirs", "partitions").rows() == [
        ("aaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbb", None),
        (None, None),
        (None, "t-1,t-0"),
    ]
