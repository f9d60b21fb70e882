"""A run that died as it made tables leaves folders with logs without a commit: no later run stumbles over one."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import cli
from pipeline.catalog.tables import SPECS
from pipeline.core.errors import WarehouseDamaged
from pipeline.store.examination.examined import examine_cluster
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.health.mending import remove_unmade
from pipeline.store.readers.published_tables import PublishedTables
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from pipeline.store.runs.published import ASIDE, LAST_RUN
from pipeline.store.tables.commit_files import is_table
from pipeline.store.warehouse import ClusterWarehouse
from schemas.gold import finding
from schemas.ops import run

TABLE = finding.SPEC
COMMIT = json.dumps({"commitInfo": {}}) + "\n" + json.dumps({"metaData": {}})
COMMIT_0, COMMIT_7 = "_delta_log/00000000000000000000.json", "_delta_log/00000000000000000007.json"
CHECKPOINT_7 = "_delta_log/00000000000000000007.checkpoint.parquet"
UNMADE: dict[str, dict[str, str]] = {
    "folder": {},
    "log": {"_delta_log/": ""},
    "draft of a commit": {"_delta_log/.00000000000000000000.json.0f": COMMIT},
    "empty commit": {COMMIT_0: ""},
    "torn commit": {COMMIT_0: COMMIT[:-9]},
    "sums alone": {"_delta_log/.00000000000000000000.json.crc": "crc"},
    "data alone": {"part-0.parquet": "PAR1"},
}
MADE = {
    "commit": {COMMIT_0: COMMIT},
    "commits of which the first is torn": {COMMIT_0: "", COMMIT_7: COMMIT},
    "later commits": {COMMIT_7: ""},
    "checkpoint": {CHECKPOINT_7: "PAR1"},
}


def put(folder: Path, files: dict[str, str]) -> Path:
    table = folder / TABLE.layer / TABLE.table
    table.mkdir(parents=True)
    for name, text in files.items():
        path = table / name
        if name.endswith("/"):
            path.mkdir()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return table


@pytest.mark.parametrize("files", UNMADE.values(), ids=UNMADE)
def test_what_was_never_made_goes(tmp_path: Path, files: dict[str, str]) -> None:
    """Data files, which nobody can tell from lost ones, are put aside."""
    table = put(tmp_path, files)
    assert not is_table(LocalFiles(), str(table))
    assert remove_unmade(LocalFiles(), str(tmp_path), TABLE)
    assert not table.exists()
    kept = sorted(one.name for one in (tmp_path / ASIDE).rglob("*.parquet"))
    assert kept == sorted(one for one in files if one.endswith(".parquet"))


@pytest.mark.parametrize("files", MADE.values(), ids=MADE)
def test_what_a_commit_made_stays(tmp_path: Path, files: dict[str, str]) -> None:
    table = put(tmp_path, files)
    assert not remove_unmade(LocalFiles(), str(tmp_path), TABLE)
    assert {str(one.relative_to(table)) for one in table.rglob("*") if one.is_file()} == set(files)


def test_where_there_is_nothing_nothing_goes(tmp_path: Path) -> None:
    assert not remove_unmade(LocalFiles(), str(tmp_path), TABLE)


@pytest.mark.spark
def test_tables_are_made_in_their_place(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "c", {COMMIT_0: COMMIT[:-9]})
    store, versions = ClusterWarehouse(spark, str(tmp_path), "c"), dict[str, int]()
    assert store.restore((TABLE,), store.published()) == {}
    store.create_missing((TABLE,), versions)
    assert versions == {TABLE.name: 0} and store.delta.read(TABLE).columns == list(TABLE.columns)


@pytest.mark.parametrize(
    "files", [{}, {"_delta_log/": ""}, {COMMIT_0: COMMIT}], ids=["folder", "log", "commit"]
)
def test_a_cluster_of_which_no_run_ended_is_one(tmp_path: Path, files: dict[str, str]) -> None:
    """It is listed, never whole, and has no rows."""
    put(tmp_path / "c", files)
    warehouse = DirectWarehouse(str(tmp_path), LocalFiles())
    assert warehouse.clusters() == ["c"]
    (damage,) = examine_cluster(warehouse, "c", {one.name: one for one in SPECS}).damages
    assert (damage.kind, damage.table) == ("unpublished", run.SPEC.name)
    (tmp_path / "c" / "_lock").touch()
    seen = warehouse.published("c")
    assert seen.run_id is None and seen.versions == {}
    assert PublishedTables(str(tmp_path / "c"), seen.versions).read(run.SPEC).num_rows == 0


@pytest.mark.parametrize("command", ["status", "findings", "runs"])
def test_readers_refuse_folders_without_a_table(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All files of a cluster are gone, or its first run died at once. The lock of one that goes on is no damage."""
    put(tmp_path / "c", {"_delta_log/": ""})
    given = [command, "--warehouse", str(tmp_path), "--cluster", "c"]
    assert cli.main(given) == WarehouseDamaged.exit_code
    assert "run the nightly job on its logs" in capsys.readouterr().err
    (tmp_path / "c" / "_lock").touch()
    assert cli.main(given) != WarehouseDamaged.exit_code


def test_where_there_is_no_cluster_none_is_damaged(tmp_path: Path) -> None:
    """As of one that was forgotten meanwhile."""
    assert DirectWarehouse(str(tmp_path), LocalFiles()).published("c").run_id is None


def test_a_cluster_that_is_lost_but_for_its_newest_run_is_damaged(tmp_path: Path) -> None:
    folder = put(tmp_path / "c", {}).parents[1]
    texts = (
        "settings_fingerprint",
        "knowledge_fingerprint",
        "settings",
        "product_version",
        "started_at",
        "ended_at",
    )
    row = dict.fromkeys(texts, "x") | {"run_id": "r", "run_seq": 3, "format_version": 1, "counts": {}}
    row |= {"table_versions": {TABLE.name: 4}}
    (folder / LAST_RUN).write_text(json.dumps(row))
    found = examine_cluster(DirectWarehouse(str(tmp_path), LocalFiles()), "c", {TABLE.name: TABLE})
    assert {one.kind for one in found.damages} == {"run_gone", "table_gone"}
