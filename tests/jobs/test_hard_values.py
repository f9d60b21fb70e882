"""Every wording of Kafka's with the hardest values of its fields, through all tables: no line stops a night."""

from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import nightly
from pipeline.catalog.tables import JOBS
from pipeline.kafka.loggers import STATE_CHANGE_LOGGER
from pipeline.store.reading import read
from tests.oracle.rendering import Instance, instances
from tests.oracle.values import hard

pytestmark = [pytest.mark.spark, pytest.mark.soak]
TURNS = (0, 3)
BEGIN = datetime.fromisoformat("2024-03-01T00:00:00")
APART = timedelta(milliseconds=137)
# One node writes them all.
OF_ONE_NODE = ("controller_id", "broker_id", "node_id", "replica_id")
PARTITION = ("NonExistentPartition", "NewPartition", "OnlinePartition", "OfflinePartition")
REPLICA = (
    "NewReplica", "OnlineReplica", "OfflineReplica", "NonExistentReplica", "ReplicaDeletionStarted",
    "ReplicaDeletionSuccessful", "ReplicaDeletionIneligible",
)  # fmt: skip


def of_one_node(turn: int) -> list[Instance]:
    """Of each machine its own states."""

    def of_states(states: tuple[str, ...]) -> list[Instance]:
        def pool(name: str) -> tuple[str, ...]:
            if name in OF_ONE_NODE:
                return ("1",)
            return states if name in ("from_state", "to_state") else tuple(hard(name))

        return list(instances(pool, turn))

    return [
        of_replica if "replica" in of_replica.wording.event else of_partition
        for of_partition, of_replica in zip(of_states(PARTITION), of_states(REPLICA), strict=True)
    ]


@pytest.mark.parametrize("first", TURNS)
def test_no_line_stops_a_night(spark: SparkSession, tmp_path: Path, first: int) -> None:
    written: dict[str, list[str]] = defaultdict(list)
    rendered = [one for turn in range(first, first + 3) for one in of_one_node(turn)]
    for number, one in enumerate(rendered):
        time = (BEGIN + number * APART).isoformat(" ", "milliseconds").replace(".", ",")
        log = "state-change" if one.wording.logger == STATE_CHANGE_LOGGER else "controller"
        written[log].append(f"[{time}] INFO {one.message} ({one.wording.logger})\n")
    folder = tmp_path / "logs" / "broker-1"
    folder.mkdir(parents=True)
    for log, lines in written.items():
        (folder / f"{log}.log").write_text("".join(lines))
    warehouse = str(tmp_path / "warehouse")
    given = ["--logs", str(tmp_path / "logs"), "--warehouse", warehouse, "--cluster", "c"]
    assert nightly.main(given) == 0
    assert sum(read(spark, warehouse, name).count() for name in JOBS["nightly"]) > len(rendered)
