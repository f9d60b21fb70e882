"""Findings about log directories that failed, by the lines of controllers, and of both; and those of whole clusters."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipeline.core.frames import frame_of
from pipeline.model.brokers.failed_log_dirs import failed_log_dirs
from pipeline.model.brokers.marked_log_dirs import log_dir_failures_with_marks
from pipeline.silver import broker_event, node_event
from tests.frames import at
from tests.gold.disk_lines import (
    FAILED,
    MANAGER,
    REPLICAS,
    STILL,
    Logs,
    lines,
    started,
    starting,
    stopping,
    told,
    unwritable,
)
from tests.gold.lab_runs import rows
from tests.lab import READ, folder_of, json_lines, records
from tests.rules.rows import fact_texts

ID_A, ID_B = "aaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbb"
MARKED = "INFO [Controller id=2] Mark replicas t-1,t-0 on broker 1 as offline (state.change.logger)"
CONTROLLER = "(kafka.controller.KafkaController)"
ELECTED = f"INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 5 {CONTROLLER}"


def brokers(second: float, text: str) -> tuple[float, str]:
    return second, f"INFO [Controller id=2] Newly added brokers: {text} {CONTROLLER}"


OF_ZOOKEEPER: Logs = {
    (2, "controller"): lines(
        (0.5, ELECTED),
        brokers(2, "1, deleted brokers: , bounced brokers: , all live brokers: 1,2"),
        (10.04, f"INFO [Controller id=2] Handling log directory failure for brokers 1 {CONTROLLER}"),
        brokers(18, ", deleted brokers: 1, bounced brokers: , all live brokers: 2"),
        brokers(21, "1, deleted brokers: , bounced brokers: , all live brokers: 1,2"),
        brokers(28, ", deleted brokers: 1, bounced brokers: , all live brokers: 2"),
        brokers(31, "1, deleted brokers: , bounced brokers: , all live brokers: 1,2"),
    ),
    (2, "state-change"): lines((10.05, MARKED), (21.6, MARKED)),
}


def test_controllers_alone_tell_less() -> None:
    """The directory is not named; the broker's first return is followed by the same again."""
    (row,) = told(OF_ZOOKEEPER)
    assert row["sentence"] == (
        "broker 1 lost a log directory: 2 replicas there; at a start 21.0 s later it did not fail again"
    )
    assert (row["valid_from_at"], row["valid_until_at"]) == (at(10.04), at(31))


def test_both_tell_of_one_failure() -> None:
    """Where the broker's start names no partition, the controller does."""
    own = (starting(1), started(2), unwritable(10), stopping(10.01), starting(19), STILL, started(21))
    (row,) = told({**OF_ZOOKEEPER, (1, "server"): lines(*own)})
    assert row["valid_from_at"] == at(10)
    assert (
        fact_texts(row["facts"])["log_dirs"] == "/b" and fact_texts(row["facts"])["partitions"] == "t-0,t-1"
    )


KRAFT = "(org.apache.kafka.controller.ClusterControlManager)"
REPLICATION = "(org.apache.kafka.controller.ReplicationControlManager)"
QUORUM = "(org.apache.kafka.controller.QuorumController)"


def registered(second: float, epoch: int, *ids: str) -> tuple[float, str]:
    record = f"RegisterBrokerRecord(brokerId=1, isMigratingZkBroker=false, incarnationId=i{epoch:021}, brokerEpoch={epoch}, endPoints=[], features=[], rack=null, fenced=true, inControlledShutdown=false, logDirs=[{', '.join(ids)}])"
    return second, (
        f"INFO [QuorumController id=9] Replayed RegisterBrokerRecord establishing a new incarnation of broker 1: {record} {KRAFT}"
    )


OF_KRAFT: Logs = {
    (9, "controller"): lines(
        (
            0.5,
            f"INFO [QuorumController id=9] Becoming the active controller at epoch 2, next write offset 1. {QUORUM}",
        ),
        registered(1, 5, ID_A, ID_B),
        (
            10.04,
            f"WARN [QuorumController id=9] Directories [{ID_B}] in broker 1 marked offline, remaining directories: [{ID_A}] {REPLICATION}",
        ),
        registered(12, 5, ID_A, ID_B),
        registered(20, 40, ID_A),
        registered(30, 70, ID_A, ID_B),
    )
}


def test_a_directory_is_back_with_the_first_later_registration_that_has_it() -> None:
    """What a controller that starts replays is none; a registration without it is no return."""
    (row,) = told(OF_KRAFT)
    assert row["sentence"] == f"broker 1 lost log directory with id {ID_B}; back after 20.0 s"
    assert fact_texts(row["facts"])["directory_ids"] == ID_B
    assert row["valid_until_at"] == at(30)


def test_a_broker_in_kraft_names_the_directory_and_its_id() -> None:
    """Its own lines end before it is back."""
    new = "(org.apache.kafka.storage.internals.log.LogDirFailureChannel)"
    own = lines(
        (10, f"ERROR Error while writing to checkpoint file /b/t-0/leader-epoch-checkpoint {new}\njava.nio.file.NoSuchFileException: /b/t-0"),
        (10.01, f"WARN [ReplicaManager broker=1] Stopping serving replicas in dir /b with uuid Some({ID_B}) because the log directory has failed. {REPLICAS}"),
        (10.02, f"WARN Logs for partitions t-0,t-1 are offline and logs for future partitions  are offline due to failure on log directory /b {MANAGER}"),
    )  # fmt: skip
    (row,) = told({**OF_KRAFT, (1, "server"): own})
    assert row["sentence"] == (
        "broker 1 lost log directory /b (its files are not there): 2 replicas there; back after 20.0 s"
    )
    assert (fact_texts(row["facts"])["log_dirs"], fact_texts(row["facts"])["directory_ids"]) == ("/b", ID_B)


def test_a_broker_that_can_tell_no_controller_ends_itself() -> None:
    own = lines(
        (10.01, f"WARN [ReplicaManager broker=1] Stopping serving replicas in dir /b with uuid Some({ID_B}) because the log directory has failed. {REPLICAS}"),
        (40, f"ERROR [BrokerLifecycleManager id=1] Shutting down because couldn't communicate offline log dir {ID_B} with controllers (kafka.server.BrokerLifecycleManager)"),
    )  # fmt: skip
    (row,) = told({(1, "server"): own})
    assert row["sentence"] == (
        "broker 1 lost log directory /b; it could tell no controller, so the process ended; no line says that it is back"
    )


def test_a_controller_that_is_not_told_still_counts_on_the_replicas() -> None:
    untold = (
        10.03,
        f"WARN [ReplicaManager broker=1] Unable to propagate log dir failure via Zookeeper in KRaft mode {REPLICAS}",
    )
    (row,) = told({(1, "server"): lines(*FAILED[:5], untold)})
    assert (
        "; the controller is not told: what it leads there serves nobody until the broker is stopped;"
        in row["sentence"]
    )
    assert fact_texts(row["facts"])["is_controller_told"] == "false"
    (over,) = told({(1, "server"): lines(*FAILED[:5], untold, starting(30), started(31))})
    assert "; the controller is not told and still counts on them;" in over["sentence"]


RUNS = ("4.0.0-kraft-combined-moves", "2.2.2-zk-moves")
MORE_RUNS = ("1.0.2-zk-moves", "3.9.1-zk-moves", "3.9.2-kraft-separate-moves")
NOTICED, BACK = timedelta(seconds=6), timedelta(seconds=10)  # high watermarks are written every 5 s; a start


@pytest.mark.parametrize("run", [*RUNS, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_RUNS)])
def test_of_labs(shared: Path, run: str) -> None:
    """Once with the broker's own lines, once without: the same failure."""
    folder = folder_of(shared, run)
    (disk,) = [one for one in rows(folder, "stops") if one["how"] == "disk"]
    broker = int(disk.get("node") or disk["broker"])
    failed_at, back_at = (
        datetime.fromtimestamp(int(disk[name]) / 1000, UTC) for name in ("from_ms", "to_ms")
    )
    lines_of = frame_of(records(folder, (*READ, "server")))
    own, told_by_controllers = failed_log_dirs(node_event.build(lines_of)), broker_event.build(lines_of)
    for of_broker in (own, own.clear()):
        (lost,) = log_dir_failures_with_marks(of_broker, told_by_controllers).to_dicts()
        assert lost["broker_id"] == broker
        assert timedelta(0) <= lost["failed_at"] - failed_at <= NOTICED
        assert abs(lost["back_at"] - back_at) <= BACK
    (lost,) = own.to_dicts()
    there = {f"{topic}-{number}" for topic, number in in_directory(folder)}
    assert there and there <= set(lost["partitions"])


def in_directory(folder: Path) -> list[tuple[str, int]]:
    """What lay there: in KRaft of those topics of which that was looked up, in ZooKeeper mode of two."""
    for act in json_lines(folder / "truth" / "actions.jsonl"):
        if act["kind"] == "directory_content" or act.get("what") == "partitions in data1":
            found: dict[str, list[int]] = act.get("found") or act["result"]
            return [(topic, number) for topic, numbers in found.items() for number in numbers]
    return []
