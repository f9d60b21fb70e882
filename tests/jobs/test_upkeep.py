"""A golden warehouse lives on: read, continued, migrated, maintained, cut to what is wanted, forgotten."""

import math
import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs import cli, nightly
from jobs.engine.run.progress import Progress
from jobs.engine.run.upkeep import Upkeep
from jobs.maintain import expire_segments, maintain_cluster
from jobs.settings.arguments import job_parser
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from pipeline.catalog.tables import BY_NAME, SPECS
from pipeline.store.health.upkeep import declaration_difference
from pipeline.store.locks.lock import cluster_lock
from pipeline.store.locks.lock_files import process_home
from pipeline.store.reading import read
from pipeline.store.runs.published import FORMAT_VERSION, KEPT_FROM, NOTIFIED
from pipeline.store.warehouse import ClusterWarehouse
from tests.golden import CLUSTER, WHOLE, unpacked, write_logs
from tests.jobs.warehouses import DERIVED, RECORDS, contents, published_anew, store_of

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def continued(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Path]:
    """The golden warehouse after a run of this release over the same logs, one of which has grown."""
    folder = tmp_path_factory.mktemp("continued")
    warehouse = unpacked(folder)
    assert run(folder, warehouse) == 0
    yield warehouse
    spark.conf.unset("spark.databricks.delta.commitInfo.userMetadata")


def run(folder: Path, warehouse: Path) -> int:
    write_logs(folder / "logs", WHOLE | {"broker-1/state-change.log": None})
    old = time.time() - 3600
    for path in (folder / "logs").rglob("*.log"):
        os.utime(path, (old, old))
    return nightly.main(["--logs", str(folder / "logs"), "--warehouse", str(warehouse), "--cluster", CLUSTER])


def settings_of(tmp_path: Path) -> Settings:
    return load_settings(None, {}, {}, tmp_path)


def copy_of(warehouse: Path, folder: Path) -> Path:
    return Path(shutil.copytree(warehouse, folder / "warehouse"))


@pytest.mark.soak
def test_a_run_of_this_release_continues_it(spark: SparkSession, continued: Path) -> None:
    store = store_of(spark, continued)
    assert not [spec.name for spec in SPECS if declaration_difference(store.delta, spec).is_any]
    assert read(spark, str(continued), "bronze.log_record").count() == RECORDS["WHOLE"] + 3
    read_again = read(spark, str(continued), "bronze.source_file").groupBy("file_id").count()
    assert {row["count"] for row in read_again.collect()} == {1, 2}
    assert store.published().format_version == FORMAT_VERSION


@pytest.mark.soak
def test_maintain_changes_files_and_no_row(
    spark: SparkSession, continued: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = copy_of(continued, tmp_path)
    store = store_of(spark, warehouse)
    before, older = contents(spark, warehouse), store.published()
    assert cli.main(["maintain", "--warehouse", str(warehouse)]) == 0
    assert "MAINTAINED  " in capsys.readouterr().out
    published = store.published()
    assert published.run_seq > older.run_seq
    assert {spec.name: store.delta.head(spec) for spec in SPECS} == published.versions
    assert contents(spark, warehouse) == before == contents(spark, warehouse, older.run_id)
    assert run(tmp_path, warehouse) == 0
    newer = store.published()
    assert {name: newer.versions[name] for name in DERIVED} == {
        name: published.versions[name] for name in DERIVED
    }
    capsys.readouterr()
    assert cli.main(["runs", "--warehouse", str(warehouse)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in said[2:5]] == ["nightly", "maintain", "nightly"]


@pytest.mark.soak
def test_what_maintain_has_removed_is_said_in_one_sentence(
    spark: SparkSession, continued: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = copy_of(continued, tmp_path)
    store = ClusterWarehouse(spark, str(warehouse), CLUSTER, retention_days=0)
    storage = settings_of(tmp_path).storage.model_copy(update={"retention_days": 0})
    settings = settings_of(tmp_path).model_copy(update={"storage": storage})
    before, older = contents(spark, warehouse), store.published()
    with cluster_lock(store.files, store.folder) as lock:
        maintain_cluster(None, store, settings, Progress(), lock)
    assert contents(spark, warehouse) == before
    assert older.run_id is not None
    assert store.published().counts[KEPT_FROM] == older.run_seq
    first = store.delta.read_named("ops.run").orderBy("run_seq").first()
    assert first is not None
    # What is kept longer from now on does not come back.
    assert cli.main(["maintain", "--warehouse", str(warehouse)]) == 0
    assert store.published().counts[KEPT_FROM] == older.run_seq
    ask = ["terms", "--warehouse", str(warehouse), "--run-id"]
    assert cli.main([*ask, first.run_id]) == 4
    assert f"Expected run {first.run_id} of cluster golden to be readable still" in capsys.readouterr().err


@pytest.mark.soak
def test_old_records_go_and_their_files_are_not_read_again(
    spark: SparkSession, continued: Path, tmp_path: Path
) -> None:
    warehouse = copy_of(continued, tmp_path)
    store = store_of(spark, warehouse)
    cut = datetime(2026, 11, 21, 0, 0, 10, 500000, tzinfo=UTC)
    with cluster_lock(store.files, store.folder) as lock:
        upkeep = Upkeep(store, settings_of(tmp_path), "maintain", Progress(), lock)
        # All of state-change.log, and the six lines of controller.log that the first run read.
        assert expire_segments(upkeep, cut) == 3
        upkeep.publish()
    left = read(spark, str(warehouse), "bronze.log_record")
    assert left.agg(F.min("logged_at")).head()[0] > cut.replace(tzinfo=None)  # type: ignore[index]
    after = contents(spark, warehouse)
    assert len(after["silver.partition_transition"]) == 0
    assert len(after["gold.controller_term"]) == 1  # the line that elects controller 1 is gone
    assert run(tmp_path, warehouse) == 0
    for path in (tmp_path / "logs").rglob("*.log"):
        path.rename(path.with_suffix(".log.1"))
    assert run(tmp_path, warehouse) == 0
    assert contents(spark, warehouse) == after


@pytest.mark.soak
def test_what_old_records_leave_is_judged_as_before(
    spark: SparkSession, continued: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = copy_of(continued, tmp_path)
    before = store_of(spark, warehouse).published()
    limits = tmp_path / "server.properties"
    limits.write_text("leader.imbalance.per.broker.percentage=33\n")
    maintain = ["maintain", "--warehouse", str(warehouse), "--retain", "90000d"]
    assert cli.main([*maintain, "--server-properties", str(limits)]) == 2
    assert f"judged by in run {before.run_id}, found others" in capsys.readouterr().err
    assert store_of(spark, warehouse).published() == before
    assert cli.main(maintain) == 0


@pytest.mark.soak
def test_tables_of_another_declaration_are_brought_up_to_date(
    spark: SparkSession, continued: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = copy_of(continued, tmp_path)
    store = store_of(spark, warehouse)
    before = contents(spark, warehouse)
    store.new_run(datetime.now(UTC))
    for name, columns in {"silver.topic_event": "other int", "gold.controller_term": "term_id int"}.items():
        table = store.delta.named(BY_NAME[name].spec)
        spark.sql(f"REPLACE TABLE {table} ({columns}) USING delta")
    shutil.rmtree(warehouse / CLUSTER / "silver" / "state_dump")
    published_anew(store, knowledge_fingerprint="of an older release")
    assert cli.main(["migrate", "--warehouse", str(warehouse)]) == 0
    said = capsys.readouterr().out
    assert "MIGRATED" in said and "gold.controller_term, silver.state_dump, silver.topic_event" in said
    assert contents(spark, warehouse) == before


@pytest.mark.soak
def test_a_cluster_is_forgotten_also_where_a_run_died(
    spark: SparkSession, golden: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(golden / CLUSTER, golden / "other")
    dead = golden / CLUSTER / "_lock.000003"
    dead.write_text(f'{{"host": "h", "home": "{process_home()}", "pid": 999999999}}')
    (golden / CLUSTER / NOTIFIED).write_text("{}")
    forget = ["forget", "--warehouse", str(golden), "--cluster"]
    assert cli.main([*forget, CLUSTER]) == 2
    assert cli.main([*forget, "../x", "--yes"]) == 2
    assert cli.main([*forget, "none", "--yes"]) == 4
    assert (golden / CLUSTER / "ops").is_dir()
    shutil.rmtree(golden / CLUSTER / "ops")  # as if it had died while it forgot
    assert cli.main([*forget, CLUSTER, "--yes"]) == 0
    assert [path.name for path in golden.iterdir()] == ["other"]
    assert f"{CLUSTER}  FORGOTTEN" in capsys.readouterr().out
    assert read(spark, str(golden), "bronze.log_record").count() == RECORDS["WHOLE"]


def test_waiting_takes_a_time_or_none() -> None:
    arguments = job_parser("nightly", "")
    given = [arguments.parse_args(words).wait for words in ([], ["--wait"], ["--wait", "60"])]
    assert given == [0, math.inf, 60]
    for wrong in ("-1", "soon", "nan"):
        with pytest.raises(SystemExit):
            arguments.parse_args([f"--wait={wrong}"])
