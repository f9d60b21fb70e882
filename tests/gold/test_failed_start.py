"""Nodes that do not come up: one finding a loop and cause, and none where a start did not fail."""

from pathlib import Path

import pytest

from pipeline.core.frames import frame_of
from pipeline.kafka.wording.failed_starts import NOT_TOLD
from tests.gold.start_findings import Row, findings_in, findings_of, only
from tests.gold.start_stories import (
    at,
    begun,
    failed,
    fault,
    gave_up,
    kraft_begun,
    kraft_failed,
    kraft_up,
    port_in_use,
    session,
    signalled,
    taken,
    up,
)
from tests.lab import records
from tests.rows import records_in
from tests.rules.rows import fact_texts

LOCKED = (
    "org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /data. A Kafka instance in another "
    "process or thread is using this directory."
)
TIMED_OUT = "kafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING"
OTHER_CLUSTER = (
    "kafka.common.InconsistentClusterIdException: The Cluster ID new doesn't match stored clusterId Some(old) in "
    "meta.properties. The broker is trying to join the wrong cluster. Configured zookeeper.connect may be wrong."
)
OTHER_ID = (
    "java.lang.RuntimeException: Stored node id 2 doesn't match previous node id 1 in /d/meta.properties. If you moved "
    "your data, make sure your configured node id matches. If you intend to create a new node, you should remove all "
    "data in your data directories."
)
REFUSED = (
    "org.apache.kafka.common.config.ConfigException: Invalid value -1 for configuration log.segment.bytes"
)
# As ControllerServer.startup hands a failure on to the handler of faults.
WRAPPED = (
    "java.util.concurrent.ExecutionException: java.lang.RuntimeException: Unable to start acceptor for CONTROLLER\n"
    "\tat a.B.c(B.java:1)\nCaused by: java.lang.RuntimeException: Unable to start acceptor for CONTROLLER\n"
)


def found(*logs: str, controller: str = "") -> list[Row]:
    """The findings of failed starts of the nodes 1, 2, ... that write these logs."""
    texts = {(node, "server"): text for node, text in enumerate(logs, 1)}
    texts |= {(9, "controller"): controller} if controller else {}
    return findings_of(records_in(texts))


CAUSES = (
    (begun(1) + failed(2, LOCKED), "cause_lock_held", "another process holds /data"),
    (begun(1) + failed(2, TIMED_OUT), "cause_zk_unreachable", "no ZooKeeper server answered in time"),
    (begun(1) + failed(2, OTHER_CLUSTER), "cause_cluster_id", "its disks are of cluster Some(old), not new"),
    (kraft_begun(1) + kraft_failed(2, port_in_use(2)), "cause_bind_failed", "it could not bind kafka-1:9092 (Address already in use)"),
    (only(2, OTHER_ID), "cause_broker_id_differs", "are of node 2, and it is set to be 1"),
    (only(2, "java.lang.RuntimeException: No readable meta.properties files found."), "cause_not_formatted", "not formatted"),
    (only(2, REFUSED), "cause_setting_refused", "Invalid value -1 for configuration log.segment.bytes"),
    (kraft_begun(1) + kraft_failed(60, gave_up(60)), "registration_timed_out", "no controller registered it in time"),
    (kraft_begun(1) + kraft_failed(60, gave_up(60, "DUPLICATE_BROKER_REGISTRATION")), "registration_refused", "(DUPLICATE_BROKER_REGISTRATION)"),
    (kraft_begun(1) + fault(2), "fatal_fault", "Error loading metadata log record from offset 7"),
    (kraft_begun(1) + fault(2) + "java.io.EOFException: cut\n", "fatal_fault", "record from offset 7 (EOFException: cut)"),
    (kraft_begun(1) + port_in_use(2) + fault(2) + WRAPPED, "cause_bind_failed", "it could not bind kafka-1:9092"),
    (begun(1) + failed(2, "java.lang.IllegalStateException: who knows"), NOT_TOLD, "IllegalStateException: who knows"),
    (begun(1) + failed(2), NOT_TOLD, "no line says why"),
)  # fmt: skip


def test_a_failed_start_has_its_cause() -> None:
    rows = findings_in([log for log, *_ in CAUSES])
    for (row,), (_, cause, why) in zip(rows, CAUSES, strict=True):
        assert (fact_texts(row["facts"])["cause"], row["severity"]) == (cause, "warning")
        assert row["entity"] == "node 1" and why in row["sentence"]
        assert row["sentence"].startswith("node 1 failed to start: ")
        assert row["certainty"] == ("inferred" if cause == NOT_TOLD else "proved")


def test_a_loop_is_one_finding_and_says_how_it_ended() -> None:
    log = up(1) + "".join(begun(10 * n) + failed(10 * n + 2, LOCKED) for n in range(1, 41))
    (row,) = found(log)
    assert row["sentence"] == (
        "node 1 failed to start 40 times in 6 min 30 s: another process holds /data; no line shows it up since; "
        "see whether its earlier process still runs"
    )
    assert (row["severity"], row["valid_until_at"]) == ("warning", None)
    (over,) = found(log + begun(500) + up(502))
    assert "; it came up 8 min 10 s later; see" in over["sentence"]
    assert (over["severity"], over["root_event"]) == ("warning", row["root_event"])
    assert (fact_texts(over["facts"])["failures_count"], fact_texts(over["facts"])["lasted_ms"]) == (
        "40",
        "490000",
    )
    assert over["valid_until_at"].timestamp() - over["valid_from_at"].timestamp() == 490
    (short,) = found(up(1) + begun(10) + failed(12, LOCKED) + begun(20) + up(22))
    assert short["severity"] == "info"


def test_another_cause_is_another_finding_and_so_is_another_loop() -> None:
    log = begun(1) + failed(2, LOCKED) + begun(3) + failed(4, TIMED_OUT) + begun(5) + up(6)
    rows = found(log + begun(7) + failed(8, LOCKED) + begun(9) + up(10))
    assert [fact_texts(row["facts"])["cause"] for row in rows] == [
        "cause_lock_held",
        "cause_zk_unreachable",
        "cause_lock_held",
    ]
    assert [fact_texts(row["facts"])["lasted_ms"] for row in rows] == ["4000", "2000", "2000"]


@pytest.mark.parametrize("owner", ["10000e641460009", "72058582975512585"], ids=["hexadecimal", "decimal"])
def test_its_own_session_is_told_from_a_second_broker(owner: str) -> None:
    """The line with the owner is the same: whose log has the session decides."""
    life = begun(1) + session(1.5, "10000e641460009") + up(2)
    again = begun(5) + session(5.5, "a") + taken(6, owner)
    (ghost,) = found(life + again + begun(9) + up(12))
    assert "id 1 was still held by its own last session" in ghost["sentence"]
    assert (ghost["severity"], fact_texts(ghost["facts"])["owner_node_id"]) == ("info", "1")
    (second,) = found(again + begun(9) + up(12), life)
    assert "id 1 is held by the process of node 2" in second["sentence"]
    assert (second["severity"], fact_texts(second["facts"])["owner_node_id"]) == ("warning", "2")
    (unknown,) = found(again + begun(9) + up(12))
    assert "which no log here has" in unknown["sentence"] and "owner_node_id" not in fact_texts(
        unknown["facts"]
    )


NO_FAILED_START = {
    "the log ends in a start": begun(1) + up(2) + begun(5),
    "a start that was killed": begun(1) + begun(5) + up(6),
    "STARTING to STARTED": kraft_begun(1) + kraft_up(2),
    "a node that is up ends by a fault": kraft_begun(1) + kraft_up(2) + fault(50),
    "a listener is added later": kraft_begun(1) + kraft_up(2) + port_in_use(50),
    "a fault, and no start": fault(50),
    "a signal ended it": begun(1) + signalled(2) + failed(3, "java.lang.InterruptedException"),
    "a signal ended it in KRaft": kraft_begun(1) + signalled(5) + kraft_failed(6, gave_up(6)),
}


def test_what_is_no_failed_start() -> None:
    found = dict(zip(NO_FAILED_START, findings_in([*NO_FAILED_START.values()]), strict=True))
    assert [name for name, rows in found.items() if rows] == []


def test_settings_that_are_refused_after_a_life_that_ended_in_order() -> None:
    done = at(3.1, "INFO", "[KafkaServer id=1] shut down completed", "kafka.server.KafkaServer")
    down = signalled(3) + done
    (row,) = found(begun(1) + up(2) + down + only(5, REFUSED) + only(9, REFUSED))
    assert fact_texts(row["facts"]) | {"failing_ms": "4000", "failures_count": "2"} == fact_texts(
        row["facts"]
    )


def test_logs_of_errors_alone_say_nothing_of_what_came_later() -> None:
    """At WARN no start is printed: that none is seen says nothing."""
    lines = [
        one
        for one in (failed(2, LOCKED) + failed(9, LOCKED)).splitlines(keepends=True)
        if "] INFO" not in one
    ]
    (still,) = found("".join(lines))
    assert "; no line shows it up since; " in still["sentence"] and still["valid_until_at"] is None
    (row,) = found("".join(lines), at(700, "WARN", "later", "kafka.server.KafkaServer"))
    assert "; whether it came up is not known; " in row["sentence"]
    assert (row["valid_until_at"].second, row["severity"]) == (9, "warning")
    assert fact_texts(row["facts"])["failures_count"] == "2"


def test_a_controller_heard_of_it_later() -> None:
    heard = at(
        60, "INFO", "[Controller id=9] Newly added brokers: {}, deleted brokers: , bounced brokers: , all live brokers: 1,9",
        "kafka.controller.KafkaController",
    )  # fmt: skip
    log = begun(1) + failed(2, LOCKED)
    elected = at(
        0, "INFO", "[Controller id=9] 9 successfully elected as the controller. Epoch incremented to 1 and epoch zk version "
        "is now 1", "kafka.controller.KafkaController",
    )  # fmt: skip
    (row,) = found(log, controller=elected + heard.format("1"))
    assert "; it came up 58.0 s later; " in row["sentence"] and row["severity"] == "info"
    (other,) = found(begun(1) + taken(2, "5"), controller=elected + heard.format("1"))
    assert "; whether it came up is not known; " in other["sentence"]
    (beside,) = found(begun(1) + failed(2, LOCKED), controller=elected + heard.format("8"))
    assert "; no line shows it up since; " in beside["sentence"] and beside["valid_until_at"] is None


def elected_itself(second: float, node: int = 1) -> str:
    text = f"[Controller id={node}] {node} successfully elected as the controller. Epoch incremented to 9 and epoch zk version is now 9"
    return at(second, "INFO", text, "kafka.controller.KafkaController")


def thread(second: float, what: str) -> str:
    logger = "kafka.controller.ControllerEventManager$ControllerEventThread"
    return at(second, "INFO", f"[ControllerEventThread controllerId=1] {what}", logger)


UPDATED = (
    "[Broker id=1] Add 3 partitions and deleted 0 partitions from metadata cache in response to UpdateMetadata request "
    "sent by controller 2 epoch 8 with correlation id 0"
)


@pytest.mark.parametrize(
    ("log", "text", "end"),
    [
        ("controller", elected_itself(156), "it came up within 2 min 34 s (it was elected controller at 00:02:36)"),
        ("state-change", at(156, "INFO", UPDATED, "state.change.logger"), "it came up within 2 min 34 s (it printed into state-change.log at 00:02:36)"),
        ("controller", thread(156, "Starting") + thread(170, "Shutting down"), "whether it came up is not known"),
        ("controller", thread(2.05, "Shutting down") + thread(2.1, "Shutdown completed"), "no line shows it up since"),
        ("controller", elected_itself(1.9) + thread(2.1, "Shutting down"), "no line shows it up since"),
    ],
    ids=["elected", "state-change.log", "a thread alone", "the failed start itself", "elected amid the failed start"],
)  # fmt: skip
def test_any_log_of_the_node_shows_it_up(log: str, text: str, end: str) -> None:
    """server.log has no more of it: the start that came up was not copied."""
    server = begun(1) + failed(2, TIMED_OUT)
    (row,) = findings_of(records_in({(1, "server"): server, (1, log): text}))
    assert f"; {end}; " in row["sentence"]
    assert (row["valid_until_at"] is None) == end.startswith("no line")
    assert ("at_most_ms" in fact_texts(row["facts"])) == ("within" in end)


def test_its_own_start_says_more_than_its_election_just_before() -> None:
    server = begun(1) + failed(2, TIMED_OUT) + begun(9) + up(12)
    (row,) = findings_of(records_in({(1, "server"): server, (1, "controller"): elected_itself(11.9)}))
    assert "; it came up 10.0 s later; " in row["sentence"]


def test_another_process_in_the_same_directory_may_be_the_one_that_is_up() -> None:
    server = begun(1) + failed(2, LOCKED)
    (row,) = findings_of(records_in({(1, "server"): server, (1, "controller"): elected_itself(156)}))
    assert "; whether it came up is not known; " in row["sentence"]


@pytest.mark.parametrize(
    ("run", "node", "count"), [("1.0.2-zk-moves", 102, 1), ("2.2.2-zk-moves", 2, 1), ("3.9.1-zk-moves", 3, 2)]
)
def test_the_labs_failed_starts(shared: Path, run: str, node: int, count: int) -> None:
    (row,) = findings_of(frame_of(records(shared / "lab-runs" / run, ("server",))))
    facts = fact_texts(row["facts"])
    assert (facts["node_id"], facts["failures_count"], row["severity"]) == (str(node), str(count), "info")
    assert facts["cause"] == "cause_broker_id_taken"
    assert facts.get("owner_node_id") == (None if run.startswith("1.0") else str(node))
