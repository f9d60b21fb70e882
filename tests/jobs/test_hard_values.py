"""Every wording of Kafka's with the hardest values of its fields, through all tables: no line stops a night."""

from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs import nightly
from pipeline.catalog.jobs import JOBS
from pipeline.kafka.wording.loggers import STATE_CHANGE_LOGGER
from pipeline.store.reading import read
from tests.oracle.rendering import instances
from tests.oracle.values import hard

pytestmark = [pytest.mark.spark, pytest.mark.soak]
TURNS = (0, 3)
BEGIN = datetime.fromisoformat("2024-03-01T00:00:00")
APART = timedelta(milliseconds=137)
# One node writes them all.
OF_ONE_NODE = ("controller_id", "broker_id", "node_id", "replica_id")
# States of the other machine, as two lines may leave them that were written into one another.
OF_NO_MACHINE = (
    "[Controller id=1 epoch=5] Changed partition t-0 state from NewPartition to OnlineReplica",
    "[Controller id=1 epoch=5] Changed state of replica 1 for partition t-0 from OnlineReplica to OfflinePartition",
)


def of_one_node(name: str) -> tuple[str, ...]:
    return ("1",) if name in OF_ONE_NODE else hard(name)


@pytest.mark.parametrize("first", TURNS)
def test_no_line_stops_a_night(spark: SparkSession, tmp_path: Path, first: int) -> None:
    written: dict[str, list[str]] = defaultdict(list)
    rendered = [one for turn in range(first, first + 3) for one in instances(of_one_node, turn)]
    said = [(one.message, one.wording.logger) for one in rendered]
    said += [(message, STATE_CHANGE_LOGGER) for message in OF_NO_MACHINE]
    for number, (message, logger) in enumerate(said):
        time = (BEGIN + number * APART).isoformat(" ", "milliseconds").replace(".", ",")
        log = "state-change" if logger == STATE_CHANGE_LOGGER else "controller"
        written[log].append(f"[{time}] INFO {message} ({logger})\n")
    folder = tmp_path / "logs" / "broker-1"
    folder.mkdir(parents=True)
    for log, lines in written.items():
        (folder / f"{log}.log").write_text("".join(lines))
    warehouse = str(tmp_path / "warehouse")
    given = ["--logs", str(tmp_path / "logs"), "--warehouse", warehouse, "--cluster", "c"]
    assert nightly.main(given) == 0
    assert sum(read(spark, warehouse, name).count() for name in JOBS["nightly"]) > len(rendered)
    told = read(spark, warehouse, "bronze.log_record").withColumn("text", F.col("raw").cast("string"))
    for message in OF_NO_MACHINE:
        found = told.where(F.col("text").contains(message)).select("not_understood_reason").collect()
        assert [one.not_understood_reason for one in found] == ["no_template"]
