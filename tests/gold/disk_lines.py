"""Lines of a broker whose log directory fails, and the findings that are told of them."""

from typing import Any

from tests.chain import found_by_each

Row = dict[str, Any]
Logs = dict[tuple[int, str], str]
CHANNEL = "(kafka.server.LogDirFailureChannel)"
MANAGER = "(kafka.log.LogManager)"
REPLICAS = "(kafka.server.ReplicaManager)"
SERVER = "(kafka.server.KafkaServer)"
FULL = "java.io.IOException: No space left on device"


def lines(*said: tuple[float, str]) -> str:
    """Each after so many seconds; what stands behind a line break is its stack trace."""
    return "\n".join(
        f"[2026-11-21 00:00:{second:06.3f}".replace(".", ",") + f"] {text}" for second, text in said
    )


def starting(second: float) -> tuple[float, str]:
    return second, f"INFO starting {SERVER}"


def started(second: float) -> tuple[float, str]:
    return second, f"INFO [KafkaServer id=1] started {SERVER}"


def unwritable(
    second: float, path: str = "/b/replication-offset-checkpoint", why: str = FULL
) -> tuple[float, str]:
    return second, f"ERROR Error while writing to checkpoint file {path} {CHANNEL}\n{why}"


def stopping(second: float, path: str = "/b") -> tuple[float, str]:
    return second, f"INFO [ReplicaManager broker=1] Stopping serving replicas in dir {path} {REPLICAS}"


def offline(second: float, here: str, moving: str = "", path: str = "/b") -> tuple[float, str]:
    text = f"INFO Logs for partitions {here} are offline and logs for future partitions {moving} are offline due to "
    return second, f"{text}failure on log directory {path} {MANAGER}"


def loaded(second: float, path: str) -> tuple[float, str]:
    return (
        second,
        f"INFO Skipping recovery for all logs in {path} since clean shutdown file was found {MANAGER}",
    )


def told(logs: Logs) -> list[Row]:
    (rows,) = told_of(logs)
    return rows


def told_of(*stories: Logs) -> list[list[Row]]:
    """Of each of them, built at once."""
    found = found_by_each({f"{number}": logs for number, logs in enumerate(stories)}, "log_dir_failed")
    return [rows.sort("valid_from_at").to_dicts() for rows in found.values()]


FAILED = (
    *(starting(1), started(2), unwritable(10), stopping(10.01), offline(10.02, "t-0,t-1", "u-3")),
    *(unwritable(10.5, "/b/t-0/leader-epoch-checkpoint"), unwritable(11)),
)
STILL = (
    20,
    f"ERROR Failed to create or validate data directory /b {CHANNEL}\njava.io.IOException: Failed to load /b",
)
