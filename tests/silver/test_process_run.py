"""Runs of a node's process, and how each ended."""

import polars as pl
import pytest

from schemas.silver.process_run import SPEC
from tests.chain import built
from tests.rows import broken_rules, records_in
from tests.silver.process_lines import AGAIN, FIRST, HANDLERS, STARTED, STARTING, text
from tests.tables import log_table

CLEAN = (
    "INFO Skipping recovery of 3 logs from /data/a since clean shutdown file was found (kafka.log.LogManager)"
)
SIGNAL = "INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"
STOPPING = "INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)"
FAILED = "ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)"
LOADING = "ERROR There was an error in one of the threads during logs loading: java.io.IOException (kafka.log.LogManager)"
DISKS = "ERROR Shutdown broker because all log dirs in /data/a have failed (kafka.log.LogManager)"
FAULT = "ERROR Encountered fatal fault: x (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)"
OLD_STOP = "INFO [Kafka Server 1], shutting down (kafka.server.KafkaServer)"
OLD_STARTED = "INFO [Kafka Server 1], started (kafka.server.KafkaServer)"
SESSION = "INFO [ZooKeeperClient Kafka server] Connected. (kafka.zookeeper.ZooKeeperClient)"
OTHER = "INFO Cluster ID = x (kafka.server.KafkaServer)"
OPEN = (None, "not_started_again")
KRAFT = (
    HANDLERS,
    "INFO [ControllerServer id=1] Starting controller (kafka.server.ControllerServer)",
    "INFO [SharedServer id=1] Starting SharedServer (kafka.server.SharedServer)",
    "INFO [BrokerServer id=1] Starting broker (kafka.server.BrokerServer)",
)


CASES = {
    "killed": ((*FIRST, *AGAIN), [("killed", None), OPEN]),
    "killed as controllers tell it": ((*KRAFT, *KRAFT), [("killed", None), OPEN]),
    "told to stop, and killed as it went on": ((*FIRST, SIGNAL, STOPPING, *AGAIN), [("sigterm", None), OPEN]),
    "failed start": ((HANDLERS, STARTING, FAILED, STOPPING, *FIRST), [("fatal_start", None), OPEN]),
    "came up all the same": ((HANDLERS, STARTING, LOADING, STARTED, *AGAIN), [("killed", None), OPEN]),
    "all disks failed": ((*FIRST, DISKS, *AGAIN), [("disk_failed", None), OPEN]),
    "fatal fault": ((*KRAFT, FAULT, *KRAFT), [("fatal_fault", None), OPEN]),
    "amid a stop": (
        ("INFO [KafkaServer id=1] shut down completed (kafka.server.KafkaServer)", *AGAIN),
        [("unknown", "lines_missing"), OPEN],
    ),
    "without a signal": ((*FIRST, STOPPING, *AGAIN), [("unknown", "stopped_by_itself"), OPEN]),
    "orderly up to 0.11": ((STARTING, OLD_STARTED, OLD_STOP, STARTING), [("sigterm", None), OPEN]),
    "no line of its end, and clean": ((*FIRST, HANDLERS, STARTING, CLEAN), [("unknown", "clean"), OPEN]),
    "killed before it had loaded": (
        (HANDLERS, STARTING, HANDLERS, STARTING, CLEAN),
        [("killed", None), OPEN],
    ),
    "begins in the middle": ((STARTED, *AGAIN), [("killed", None), OPEN]),
    "a new directory": (AGAIN, [OPEN]),
}


@pytest.mark.parametrize("case", CASES)
def test_how_a_run_ended(case: str) -> None:
    lines, expected = CASES[case]
    rows = built(records_in({(1, "server"): text(*lines)}), "process_run")["process_run"]
    assert not broken_rules(rows, SPEC)
    assert rows.sort("run_seq").select("end_reason", "unknown_why").rows() == expected


@pytest.mark.parametrize(("hour", "reason"), [(1, "killed"), (3, "unknown")])
def test_a_run_was_killed_only_if_no_line_before_the_next_start_is_missing(hour: int, reason: str) -> None:
    """The log was rolled meanwhile: of the hours between another file may be missing."""
    files = (
        log_table({(1, "server"): text(*lines, hour=at)}, of=f"{at}/")
        for at, lines in ((0, FIRST), (hour, AGAIN))
    )
    lines = pl.concat([pl.DataFrame(pl.from_arrow(one)) for one in files])
    rows = built(lines, "process_run")["process_run"].sort("run_seq")
    assert rows["end_reason"].to_list() == [reason, None]


@pytest.mark.parametrize(("hours", "reason"), [((0, 1, 2), "killed"), ((0, 40, 41), "unknown")])
def test_a_run_was_killed_only_if_no_file_is_missing_since(hours: tuple[int, ...], reason: str) -> None:
    """The file of the next start goes on from one that begins days after the run: another life was in between."""
    files = (
        log_table({(1, "server"): text(*lines, hour=at % 24, day=21 + at // 24)}, of=f"{at}/")
        for at, lines in zip(hours, (FIRST, (OTHER, OTHER), AGAIN), strict=True)
    )
    lines = pl.concat([pl.DataFrame(pl.from_arrow(one)) for one in files])
    rows = built(lines, "process_run")["process_run"].sort("run_seq")
    assert rows["end_reason"].to_list() == [reason, None]


def test_a_start_in_another_file_beside_one_that_goes_on_is_of_another_process() -> None:
    """A second broker with the same id: its own log had begun before."""
    own, other = (*FIRST, *[SESSION] * 3), (OTHER, OTHER, HANDLERS, STARTING, OTHER)
    files = (
        log_table({(1, "server"): text(*lines)}, of=name) for name, lines in (("a/", own), ("b/", other))
    )
    lines = pl.concat([pl.DataFrame(pl.from_arrow(one)) for one in files])
    rows = built(lines, "process_run")["process_run"].sort("run_seq")
    assert rows["end_reason"].to_list() == ["unknown", None]


def test_of_a_server_log_of_several_nodes_no_run_is_told() -> None:
    """What begins a run and a signal that ends it name no node: they may be of any of them."""
    lines = pl.DataFrame(pl.from_arrow(log_table({(1, "server"): text(*FIRST, STOPPING, *AGAIN)})))
    is_named = pl.col("raw").cast(pl.String).str.contains("KafkaServer id=", literal=True)
    shared = lines.with_columns(node_id=pl.when(is_named).then("node_id"))
    assert built(lines, "process_run")["process_run"].height == 2
    assert built(shared, "process_run")["process_run"].is_empty()


SHUT_DOWN = "INFO [KafkaServer id=1] Starting controlled shutdown (kafka.server.KafkaServer)"
RETRYING = "WARN [KafkaServer id=1] Retrying controlled shutdown after the previous attempt failed... (kafka.server.KafkaServer)"
GAVE_UP = "WARN [KafkaServer id=1] Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed (kafka.server.KafkaServer)"
DONE = "INFO [KafkaServer id=1] Controlled shutdown succeeded (kafka.server.KafkaServer)"
TIMED_OUT = "ERROR [BrokerServer id=1] Timed out waiting for the controller to approve controlled shutdown (kafka.server.BrokerServer)"
BY_HAND = SIGNAL.replace("SIGTERM", "SIGINT")


@pytest.mark.parametrize(
    ("stop", "detail"),
    [
        ((SIGNAL, STOPPING, SHUT_DOWN, DONE), "SIGTERM"),
        ((BY_HAND, STOPPING, SHUT_DOWN, RETRYING, DONE), "SIGINT"),
        ((BY_HAND, STOPPING, SHUT_DOWN, RETRYING, GAVE_UP), "SIGINT; gave up its controlled shutdown"),
        ((SIGNAL, TIMED_OUT), "SIGTERM; gave up its controlled shutdown"),
    ],
)
def test_a_controlled_shutdown_that_was_given_up_is_told(stop: tuple[str, ...], detail: str) -> None:
    rows = built(records_in({(1, "server"): text(*FIRST, *stop)}), "process_run")["process_run"]
    assert rows.select("end_reason", "end_detail").rows() == [("sigterm", detail)]
