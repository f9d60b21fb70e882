"""Faults of nodes: one that ends the process, one after which it goes on, and those of a start that failed."""

from typing import Any

import polars as pl

from tests.chain import built, found_by
from tests.rows import records_in

Row = dict[str, Any]
AT = "[2026-11-21 09:{0}] "
HANDLERS = (
    AT
    + "INFO Registered signal handlers for TERM, INT, HUP (org.apache.kafka.common.utils.LoggingSignalHandler)"
)
EXITING = AT + (
    "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.lang.IllegalStateException: leader 2"
)
STARTING = AT + "INFO [ControllerServer id=1] Starting controller (kafka.server.ControllerServer)"
STARTED = AT + "INFO [KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)"
SIGNAL = AT + (
    "INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"
)
FATAL = AT + (
    "ERROR Encountered fatal fault: Unexpected error in raft IO thread "
    "(org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\njava.lang.IllegalStateException: leader 2"
)
LOGGED = AT + (
    "ERROR Encountered metadata publishing fault: Error at {1} (org.apache.kafka.server.fault.LoggingFaultHandler)\n"
    "java.lang.OutOfMemoryError: Java heap space"
)


def found(*lines: str) -> list[Row]:
    rows = found_by(records_in({(1, "server"): "\n".join(lines)}), "fatal_fault", "logged_fault")
    return rows.sort("valid_from_at").to_dicts()


def test_a_fatal_fault_ends_the_process_until_it_has_started_again() -> None:
    life = [STARTING.format("00:00,001"), STARTED.format("00:03,001"), FATAL.format("10:00,001")]
    [row] = found(*life)
    assert (row["rule"], row["severity"], row["entity"], row["valid_until_at"]) == (
        "fatal_fault", "warning", "node 1", None,
    )  # fmt: skip
    assert row["sentence"] == (
        "a fault ended the process of node 1 (Unexpected error in raft IO thread; IllegalStateException: leader 2), "
        "no line says that it started again: read the exception below it"
    )
    [row] = found(*life, STARTING.format("11:00,001"), STARTED.format("11:03,001"))
    assert str(row["valid_until_at"].time()) == "09:11:03.001000"
    assert len(row["evidence"]) == 2


def test_a_fault_of_a_start_is_told_as_a_start_that_failed() -> None:
    assert found(STARTING.format("00:00,001"), FATAL.format("00:01,001")) == []
    assert found(
        *(STARTING.format("00:00,001"), STARTED.format("00:03,001"), SIGNAL.format("10:00,001")),
        *(STARTING.format("11:00,001"), FATAL.format("11:01,001")),
    ) == []  # fmt: skip


def test_a_fault_that_ends_a_start_is_told_once_where_nobody_names_the_node() -> None:
    lines = "\n".join((HANDLERS.format("00:00,001"), FATAL.format("00:02,000"), EXITING.format("00:02,001")))
    unnamed = records_in({(1, "server"): lines}).with_columns(node_id=pl.lit(None, pl.Int32))
    rows = built(unnamed, "finding")["finding"]
    assert rows.filter(pl.col("severity") == "warning")["rule"].to_list() == ["failed_start"]


def test_after_a_logged_fault_the_process_goes_on_with_what_may_be_wrong() -> None:
    life = [STARTED.format("00:03,001"), LOGGED.format("10:00,001", 5), LOGGED.format("20:00,001", 9)]
    [row] = found(*life)
    assert (row["rule"], row["severity"], row["valid_until_at"]) == ("logged_fault", "warning", None)
    assert row["sentence"] == (
        "node 1 went on after a fault, 2 times (metadata publishing: Error at 5; OutOfMemoryError: Java heap space): "
        "its metadata may be wrong from then on, restart it and give it more heap"
    )
    [row] = found(*life, SIGNAL.format("21:00,001"))
    assert (row["severity"], str(row["valid_until_at"].time())) == ("info", "09:21:00.001000")
    assert "until it was restarted or stopped" in row["sentence"]
