"""A cluster's logs over several runs, as examples: growth, rolling, copies; always the same answer (schedules: tests/life)."""

import gzip
import os
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import imbalance, ingest
from pipeline.store.reading import read
from tests.gold.conftest import LOGS
from tests.jobs.small_logs import INGESTED, contents, lines_of, run, write

pytestmark = [pytest.mark.spark, pytest.mark.soak]


def test_growing_rolled_and_gzipped_logs_give_the_tables_of_one_reading(
    spark: SparkSession, tmp_path: Path
) -> None:
    logs, whole = tmp_path / "logs", tmp_path / "whole"
    for node_id, log in LOGS:
        write(whole, f"broker-{node_id}/{log}.log", lines_of(node_id, log))
    assert run(whole, tmp_path / "once", ingest.main) == 0

    controller, moves = lines_of(1, "controller"), lines_of(1, "state-change")
    write(logs, "broker-1/controller.log", controller[:4])
    rolled = write(logs, "broker-1/state-change.log", moves)
    assert run(logs, tmp_path / "often", ingest.main) == 0
    write(logs, "broker-1/controller.log", controller)
    write(logs, "broker-3/controller.log", lines_of(3, "controller"))
    (logs / "broker-1/state-change.log.2026-11-21-00.gz").write_bytes(gzip.compress(rolled.read_bytes()))
    rolled.unlink()
    shutil.copy(logs / "broker-1/controller.log", logs / "broker-1/controller.log.copy")
    assert run(logs, tmp_path / "often", ingest.main) == 0

    assert contents(tmp_path / "often", INGESTED) == contents(tmp_path / "once", INGESTED)


def test_a_file_that_cannot_be_read_is_a_gap_though_nothing_else_is_new(
    spark: SparkSession, tmp_path: Path
) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    write(logs, "broker-1/controller.log", lines_of(1, "controller"))
    assert run(logs, warehouse, ingest.main) == 0
    gaps = "kind = 'not_read'"
    assert read(spark, str(warehouse), "silver.log_gap").where(gaps).isEmpty()
    torn = gzip.compress("".join(lines_of(3, "controller")).encode())[:-30]
    (logs / "broker-1/controller.log.2026-11-20-08.gz").write_bytes(torn)
    assert run(logs, warehouse, ingest.main) == 7
    assert read(spark, str(warehouse), "silver.log_gap").where(gaps).count() == 1


def test_a_line_told_three_times_is_so_though_nights_end_between(spark: SparkSession, tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    first, line, *rest = lines_of(1, "controller")
    rolled = write(logs, "broker-1/controller.log.2026-11-21-00", [first, line])
    for path in (rolled, write(logs, "broker-1/controller.log", [line])):
        os.utime(path, (0, 0))
    assert run(logs, warehouse, ingest.main) == 0
    write(logs, "broker-1/controller.log", [line, line, *rest])
    assert run(logs, warehouse, ingest.main) == 0
    assert read(spark, str(warehouse), "bronze.duplicate_record").count() == 1


def test_a_copy_that_ends_inside_a_record_adds_no_line(spark: SparkSession, tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    first, line, *rest = lines_of(1, "controller")
    trace = ["java.lang.IllegalStateException: x\n", "\tat kafka.X.y(X.scala:1)\n"]
    whole = write(logs, "broker-1/controller.log.1", [first, line, *trace, *rest])
    assert run(logs, warehouse, ingest.main) == 0
    whole.unlink()
    os.utime(write(logs, "broker-1/controller.log.old", [first, line, trace[0]]), (0, 0))
    assert run(logs, warehouse, ingest.main) == 0
    assert read(spark, str(warehouse), "bronze.duplicate_record").count() == 2


def test_files_that_are_recognised_otherwise_are_read_again(spark: SparkSession, tmp_path: Path) -> None:
    """Though none of them has changed; a second run with the same settings reads nothing."""
    logs, warehouse, conf = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "own.yaml"
    silent = [QUIET.replace("[Broker id=2] ", "")] * 2
    os.utime(write(logs, "host_2/state-change.log.1", silent), (0, 0))
    os.utime(write(logs, "host_2/other.txt", ["no log\n"]), (0, 0))
    assert run(logs, warehouse, ingest.main) == 0
    assert nodes_of(spark, warehouse) == [(None, 1)]
    conf.write_text("path_patterns: ['host_(?P<node>[0-9]+)/']\n")
    for _ in range(2):
        given = ["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c", "--conf", str(conf)]
        assert ingest.main(given) == 0
        assert nodes_of(spark, warehouse) == [(2, 2)]


def nodes_of(spark: SparkSession, warehouse: Path) -> list[tuple[int | None, int]]:
    """(node_id, load_seq) of the segments."""
    rows = read(spark, str(warehouse), "bronze.source_file").select("node_id", "load_seq").collect()
    return [(row["node_id"], row["load_seq"]) for row in rows]


QUIET = "[2026-11-23 06:00:00,000] TRACE [Broker id=2] Nothing that anybody asks for (state.change.logger)\n"
IMBALANCES = ("gold.leader_imbalance", "gold.imbalance_breach")


def test_a_breach_goes_on_in_a_night_without_a_line_of_a_controller(
    spark: SparkSession, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    for node_id, log in LOGS:
        write(logs, f"broker-{node_id}/{log}.log", lines_of(node_id, log))
    assert run(logs, tmp_path / "often", imbalance.main) == 0
    (before,) = open_breaches(spark, tmp_path / "often")
    os.utime(write(logs, "broker-2/state-change.log", [QUIET, QUIET]), (0, 0))
    for warehouse in ("often", "once"):
        assert run(logs, tmp_path / warehouse, imbalance.main) == 0
    (after,) = open_breaches(spark, tmp_path / "often")
    assert after - before > 2 * 86_400_000
    assert contents(tmp_path / "often", IMBALANCES) == contents(tmp_path / "once", IMBALANCES)


def open_breaches(spark: SparkSession, warehouse: Path) -> list[int]:
    """How long each has lasted by the end of the data, ms."""
    rows = read(spark, str(warehouse), "gold.imbalance_breach").where("balanced_at IS NULL").collect()
    return [row["duration_ms"] for row in rows]
