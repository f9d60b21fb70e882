"""A folder that wants to do harm, through Spark and Delta: what can be read is published, the rest is told."""

import gzip
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs import ingest
from jobs.engine.intake.on_executors import SparkIntake
from pipeline.store.reading import clusters, read
from tests.jobs.small_logs import lines_of, write

pytestmark = pytest.mark.spark
HEAD = "[2026-11-21 08:00:00,000] "
HOSTILE_TOPICS = [
    "'; DROP TABLE x; --",
    "`$(touch /tmp/x)`",
    "\x1b[2J",
    "\u202eevil",
    "<script>",
    "../../etc/passwd",
]


def run(logs: Path | str, warehouse: Path, *more: str) -> int:
    return ingest.main(["--logs", str(logs), "--warehouse", str(warehouse), *more])


def sightings(spark: SparkSession, warehouse: Path) -> dict[str, tuple[str, str]]:
    """By the last part of the path, of the newest run."""
    rows: DataFrame = read(spark, str(warehouse), "bronze.file_sighting")
    found = sorted(rows.collect(), key=lambda row: row.run_id)
    return {row.path.rsplit("/logs/", 1)[-1]: (row.state, row.sentence) for row in found}


def horrors(logs: Path) -> dict[str, tuple[str, str]]:
    """Fills the folder; what is to be said by path."""
    good = "".join(lines_of(1, "controller"))
    topics = "".join(
        f"{HEAD}TRACE [Controller id=1 epoch=1] Changed partition {topic}-0 state from NewPartition to "
        "OnlinePartition with assigned replicas 1 (state.change.logger)\n"
        for topic in HOSTILE_TOPICS
    )
    outside = logs.parent / "outside"
    write(outside, "controller.log", [good])
    write(logs, "c/broker-1/controller.log", [good])
    write(logs, "c/broker-3/new\nline-controller.log", lines_of(3, "controller"))
    write(logs, "c/broker-1/state-change.log", [topics])
    write(logs, "evil name/broker-1/controller.log", [good])
    bomb = logs / "c/broker-1/controller.log.gz"
    bomb.write_bytes(gzip.compress(good.encode() + b" " * (70 << 20) + b"\n" + good.encode()))
    (logs / "c/broker-1/torn.log.gz").write_bytes(gzip.compress(good.encode())[:-9])
    os.mkfifo(logs / "c/broker-1/pipe-controller.log")
    (logs / "c/broker-1/loop").symlink_to(logs)
    (logs / "c/broker-1/passwd").symlink_to("/etc/passwd")
    (logs / "c/broker-9").symlink_to(outside)
    (logs / os.fsdecode(b"c/broker-1/controller-\xff.log")).write_text(good)
    return {
        "c/broker-1/controller.log": ("read", ""),
        "c/broker-3/new\nline-controller.log": ("read", ""),
        "c/broker-1/state-change.log": ("read", ""),
        "evil name/broker-1/controller.log": (
            "unreadable",
            "a cluster 'evil name', which no folder can have",
        ),
        "c/broker-1/controller.log.gz": ("unreadable", "more than 500 times its size"),
        "c/broker-1/torn.log.gz": ("known", "a copy, or the beginning"),
        "c/broker-1/pipe-controller.log": ("unreadable", "a named pipe, not a log file"),
        "c/broker-1/loop": ("known", "a link to what is read under its own name"),
        "c/broker-1/passwd": ("unreadable", "a link that leaves the log folder"),
        "c/broker-9": ("unreadable", "--follow-links reads it"),
        r"c/broker-1/controller-\xff.log": ("unreadable", "its name is not UTF-8"),
    }


@pytest.mark.soak
def test_a_folder_of_horrors(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    expected = horrors(logs)
    assert run(logs, warehouse) == 7
    found = sightings(spark, warehouse)
    assert found.keys() == expected.keys()
    for path, (state, words) in expected.items():
        assert found[path][0] == state, (path, found[path])
        assert words in (found[path][1] or ""), (path, found[path])
    assert clusters(spark, str(warehouse)) == ["c"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["logs", "outside", "warehouse"]
    records = read(spark, str(warehouse), "bronze.log_record")
    texts = {bytes(row.raw).decode() for row in records.where("log = 'state-change'").collect()}
    assert all(any(topic in text for text in texts) for topic in HOSTILE_TOPICS)
    assert records.where("node_id = 9").isEmpty()
    printed = capsys.readouterr()
    assert (printed.out + printed.err).replace("\n", "").isprintable()


def changing(act: Callable[[], object]) -> Callable[[SparkIntake, Any, Any], None]:
    """Reading that begins after something has happened to the files."""
    before = SparkIntake.read

    def read_later(executors: SparkIntake, ranges: Any, masking: Any) -> None:
        act()
        before(executors, ranges, masking)

    return read_later


@pytest.mark.soak
def test_a_file_that_goes_before_it_is_read_is_told_and_read_later(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    write(logs, "broker-1/controller.log", lines_of(1, "controller"))
    rolled = write(logs, "broker-3/controller.log", lines_of(3, "controller"))
    later = logs / "broker-3/controller.log.2026-11-21-08"
    with monkeypatch.context() as patch:
        patch.setattr(SparkIntake, "read", changing(lambda: rolled.rename(later)))
        assert run(logs, warehouse, "--cluster", "c") == 7
    state, sentence = sightings(spark, warehouse)["broker-3/controller.log"]
    assert (state, sentence[:17]) == ("unreadable", "gone or another w")
    nodes = read(spark, str(warehouse), "bronze.log_record").select("node_id").distinct()
    assert [row.node_id for row in nodes.collect()] == [1]
    assert run(logs, warehouse, "--cluster", "c") == 0
    records = read(spark, str(warehouse), "bronze.log_record")
    assert records.where("node_id = 3").count() == len(lines_of(3, "controller"))


@pytest.mark.soak
def test_a_file_that_is_written_anew_before_it_is_read_is_told_and_read_later(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins with the same record and is longer: only its bytes tell."""
    logs, warehouse, lines = tmp_path / "logs", tmp_path / "warehouse", lines_of(3, "controller")
    write(logs, "broker-1/controller.log", lines_of(1, "controller"))
    write(logs, "broker-3/controller.log", lines)
    anew = [lines[0], lines[0], *lines[1:]]
    with monkeypatch.context() as patch:
        act = partial(write, logs, "broker-3/controller.log", anew)
        patch.setattr(SparkIntake, "read", changing(act))
        assert run(logs, warehouse, "--cluster", "c") == 7
    assert sightings(spark, warehouse)["broker-3/controller.log"][0] == "unreadable"
    assert read(spark, str(warehouse), "bronze.log_record").where("node_id = 3").isEmpty()
    assert run(logs, warehouse, "--cluster", "c") == 0
    records = read(spark, str(warehouse), "bronze.log_record").where("node_id = 3").orderBy("byte_offset")
    assert [bytes(row.raw).decode() for row in records.collect()] == anew


def test_what_executors_do_not_see_is_said_before_anything_is_written(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """/proc/self/cwd is the folder of whoever looks: the driver changes it, Spark's workers do not."""
    write(tmp_path / "logs", "broker-1/controller.log", lines_of(1, "controller"))
    monkeypatch.chdir(tmp_path)
    where = ("/proc/self/cwd/logs", tmp_path / "warehouse", "--cluster", "c")
    assert run(*where, "--placement", "executors") == 4
    said = capsys.readouterr().err
    assert (
        "Expected executors that see the same log files as the driver, found that 1 of 1 are not there"
        in said
    )
    assert clusters(spark, str(tmp_path / "warehouse")) == []
