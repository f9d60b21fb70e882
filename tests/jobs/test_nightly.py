"""The nightly job on the sample: what it prints, what it stores, and that a second run is quick and quiet."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs import nightly
from pipeline.catalog.tables import SPECS
from pipeline.store.reading import make_views, read
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run as ops_run
from tests.conftest import REPOSITORY
from tests.jobs.conftest import SAMPLE
from tests.jobs.javaless import without_java
from tests.life.placements import require_as_in_the_driver

CLUSTER = "lab-2.2.2"
pytestmark = pytest.mark.spark


def test_executors_store_what_the_driver_makes_of_the_same_records(sample_warehouse: str) -> None:
    require_as_in_the_driver(Path(sample_warehouse) / CLUSTER)


def test_the_first_screen_says_what_the_logs_hold(sample_screen: str) -> None:
    for expected in (
        "READ  12 files  6.4 MB  23,694 records  23,694 understood  0 not understood",
        "AT END  offline 0 | not preferred 12/44 | deleting 0 | controller 2 (epoch 8)",
        "VERDICT  NOT OK: 1 critical, 17 warning, 6 info",
        "CRIT F1 08:59:35.967 unclean election: audit_log-0 got leader 1 outside of its in-sync replicas",
        "WARN F2-F14 08:59:33.439 13 events left partitions without a leader, see OUTAGE; the worst: broker 3 was gone: 13 partition",
        "controller 1 (epoch 7) resigned 3.8 s after the next controller was elected",
        "1       1      1       13         12         0.923  0.100  BREACH",
        "illegal 0 | discontinuity 0 | undetermined 0 | refused 4 | failed 60 | first 1,133 | valid 1,041 | same state 153",
        "4 of the refused are normal in this release",
        "from OfflineReplica to ReplicaDeletionIneligible failed",
        "NEXT ",
    ):
        assert expected in sample_screen, sample_screen


def test_every_byte_is_accounted_for(spark: SparkSession, sample_warehouse: str) -> None:
    files = read(spark, sample_warehouse, "bronze.source_file")
    records = read(spark, sample_warehouse, "bronze.log_record")
    lengths = records.groupBy("file_id").agg(
        F.sum("byte_length").alias("bytes"), F.count("*").alias("records")
    )
    rows = files.join(lengths, on="file_id", how="full").collect()
    assert len(rows) == 12
    assert all(
        row.size_bytes == row.consumed_bytes == row.bytes and row.record_count == row.records for row in rows
    )


def test_declarations_reach_delta(spark: SparkSession, sample_warehouse: str) -> None:
    store = ClusterWarehouse(spark, sample_warehouse, CLUSTER)
    for spec in (*SPECS, ops_run.SPEC):
        fields = {field.name: field for field in store.delta.read(spec).schema.fields}
        assert {name: field.metadata.get("comment") for name, field in fields.items()} == {
            field.name: field.comment for field in spec.fields
        }
        properties = spark.sql(f"SHOW TBLPROPERTIES delta.`{store.delta.uri(spec)}`").collect()
        checks = {row.key for row in properties if row.key.startswith("delta.constraints.")}
        assert checks == {f"delta.constraints.{check.name}" for check in spec.checks}


def test_the_gate_looked_at_every_table(spark: SparkSession, sample_warehouse: str) -> None:
    """But for those that the run leaves as they are: settings stand in server.log, which it does not read, offsets in
    later releases, dynamic settings and states of partitions in KRaft, no record came twice, and there is no copy of a
    metadata log."""
    results = read(spark, sample_warehouse, "ops.quality_result").collect()
    untouched = {
        "silver.node_event",
        "silver.connection_event",
        "ops.quality_result",
        "silver.broker_setting",
        "silver.config_event",
        "silver.replica_offset",
        "silver.partition_state",
        "silver.client_event",
        "bronze.metadata_part",
        "bronze.metadata_record",
        "bronze.duplicate_record",
        "bronze.lost_segment",
    }
    assert {row.table for row in results} == {spec.name for spec in SPECS} - untouched
    assert {row.suite for row in results} == {"bronze", "silver", "state", "gold"}
    assert all(row.is_met for row in results)


def test_views_show_the_published_tables(spark: SparkSession, sample_warehouse: str) -> None:
    assert "gold_leader_imbalance" in make_views(spark, sample_warehouse)
    assert spark.sql("SELECT count(*) FROM gold_transition_audit").head()[0] == 2391  # type: ignore[index]


def test_a_second_run_writes_nothing_but_its_row(
    spark: SparkSession, sample_warehouse: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ClusterWarehouse(spark, sample_warehouse, CLUSTER)
    before = {spec.name: store.delta.head(spec) for spec in SPECS}
    runs = store.delta.read(ops_run.SPEC).count()
    assert nightly.main(["--logs", str(SAMPLE), "--warehouse", sample_warehouse]) == 0
    assert f"{CLUSTER}  NOTHING NEW in 18 files" in capsys.readouterr().out
    assert {spec.name: store.delta.head(spec) for spec in SPECS} == before
    assert store.delta.read(ops_run.SPEC).count() == runs + 1


def test_java_is_needed_only_where_executors_have_something_new(
    sample_warehouse: str, tmp_path: Path
) -> None:
    """The process of its own finds none."""
    for warehouse, code, words in (
        (tmp_path / "warehouse", 3, "nightly: Expected Java 17 or 21"),
        (sample_warehouse, 0, f"{CLUSTER}  NOTHING NEW in 18 files"),
    ):
        asked = ["--logs", str(SAMPLE), "--warehouse", str(warehouse), "--placement", "executors"]
        done = subprocess.run(
            [sys.executable, "jobs/nightly.py", *asked],
            cwd=REPOSITORY, env=without_java(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code and words in done.stdout + done.stderr, done.stderr
    assert not (tmp_path / "warehouse" / CLUSTER).exists()


@pytest.mark.parametrize(
    ("prepare", "code", "words"),
    [
        (lambda folder: None, 4, "found no file at all"),
        (lambda folder: (folder / "x.log").write_text("[2026-01-01] nothing of Kafka\n"), 4, "none to read"),
        (lambda folder: folder.rmdir(), 4, "Expected a log folder, file or glob"),
    ],
    ids=["empty", "foreign", "missing"],
)
def test_nothing_to_read_is_one_sentence_and_leaves_nothing(
    tmp_path: Path,
    spark: SparkSession,
    capsys: pytest.CaptureFixture[str],
    prepare: Callable[[Path], object],
    code: int,
    words: str,
) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    logs.mkdir()
    prepare(logs)
    assert nightly.main(["--logs", str(logs), "--warehouse", str(warehouse)]) == code
    assert words in capsys.readouterr().err
    assert not list(warehouse.rglob("*"))


def test_findings_reached_has_its_own_exit_code(
    sample_warehouse: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What conf knows already is kept and does not count; to silence it builds no table of others anew."""
    given = ["--logs", str(SAMPLE), "--fail-on", "critical"]
    assert nightly.main([*given, "--warehouse", sample_warehouse]) == 8
    assert "found such of severity critical; look" in capsys.readouterr().err
    copied = shutil.copytree(sample_warehouse, tmp_path / "warehouse")
    conf = tmp_path / "conf.yaml"
    entry = "{rule: unclean_election, entity: audit_log-.*, until: 2999-01-01, reason: seen}"
    conf.write_text(f"known_findings: {{suppressions: [{entry}]}}")
    assert nightly.main([*given, "--warehouse", str(copied), "--conf", str(conf)]) == 0
    told = capsys.readouterr()
    assert "(23 resolved, 1 known already)" in told.out
    assert "build: 2 tables" in caplog.text
