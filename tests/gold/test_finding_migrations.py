"""Migrations from ZooKeeper that wait: since when, for whom, and whether that is a warning."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import frame_of
from pipeline.rules.migration_waits.rule import find as migration_waits
from tests.chain import built
from tests.gold.start_stories import at
from tests.lab import records
from tests.rows import records_in

NO_BROKER = "No brokers are known to KRaft, waiting for brokers to register."
THESE = "Still waiting for ZK brokers [{}] to register with KRaft."
CONTROLLERS = (
    "Still waiting for all controller nodes ready to begin the migration. Not ready due to:No registration found for "
    "controller 102"
)


def driver(minute: float, text: str, level: str = "INFO") -> str:
    said = f"[KRaftMigrationDriver id=8] {text}"
    return at(minute * 60, level, said, "org.apache.kafka.metadata.migration.KRaftMigrationDriver")


def entered(minute: float, left: str, state: str) -> str:
    return driver(minute, f"8 transitioning from {left} to {state} state")


BEGUN = entered(0, "WAIT_FOR_CONTROLLER_QUORUM", "WAIT_FOR_BROKERS")
OVER = entered(30, "WAIT_FOR_BROKERS", "BECOME_CONTROLLER")


def each_minute(first: int, last: int, text: str, level: str = "INFO") -> str:
    return "".join(driver(minute, text, level) for minute in range(first, last + 1))


def found(lines: pl.DataFrame) -> list[dict[str, Any]]:
    tables = built(lines, "controller_step", "data_end")
    return migration_waits(tables["controller_step"], tables["data_end"]).to_dicts()


@pytest.mark.parametrize(
    ("log", "said", "severity"),
    [
        (BEGUN + each_minute(1, 27, NO_BROKER), "waited in WAIT_FOR_BROKERS from 00:00:00 on and still did at 00:27:00: no broker has registered with KRaft", "warning"),
        (each_minute(1, 27, NO_BROKER), "from 00:01:00 on and still did at 00:27:00: no broker", "warning"),
        (BEGUN + each_minute(1, 20, NO_BROKER) + each_minute(21, 27, THESE.format("2, 3")), ": brokers [2, 3] have not registered", "info"),
        (BEGUN + each_minute(1, 5, THESE.format("2, 3")) + each_minute(6, 27, THESE.format("3")), ": brokers [3] have not registered", "warning"),
        (BEGUN + each_minute(1, 27, NO_BROKER) + OVER, "from 00:00:00 until 00:30:00: ", "info"),
        (each_minute(1, 12, CONTROLLERS, "WARN"), "in WAIT_FOR_CONTROLLER_QUORUM from 00:01:00 on and still did at 00:12:00: not all controllers can take part (No registration found for controller 102)", "warning"),
    ],
    ids=["no broker", "the state is not in the logs", "they come", "one is missing", "over", "controllers"],
)  # fmt: skip
def test_a_migration_waits(log: str, said: str, severity: str) -> None:
    (row,) = found(records_in({(8, "server"): log}))
    assert said in row["sentence"] and row["severity"] == severity
    assert (row["valid_until_at"] is None) == (
        "still did" in said or severity == "warning" or "[2, 3]" in said
    )


def test_a_short_wait_is_none() -> None:
    assert found(records_in({(8, "server"): BEGUN + each_minute(1, 9, NO_BROKER)})) == []


def test_the_lab_waited_for_seconds(shared: Path) -> None:
    assert found(frame_of(records(shared / "corpus/lab/3.9.2-kraft-migration-stock", ("server",)))) == []
