"""What a run restores before it begins, and what of a table's log may go."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.core.errors import InputProblem, Locked
from pipeline.store.health.upkeep import remove_old_log
from pipeline.store.runs.published import Published
from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.warehouse import ClusterWarehouse
from tests.mending.kinds import column_left_out
from tests.store.undoing import SPEC, append, delete, overwrite

pytestmark = pytest.mark.spark


# Of every so many versions Delta makes a checkpoint here: of every tenth by itself.
EACH = 3


@pytest.fixture
def store(spark: SparkSession, tmp_path: Path) -> ClusterWarehouse:
    """With a table at version 1."""
    made = ClusterWarehouse(spark, str(tmp_path), "c")
    made.delta.create(SPEC)
    spark.sql(f"ALTER TABLE {made.delta.named(SPEC)} SET TBLPROPERTIES (delta.checkpointInterval = {EACH})")
    return made


def checkpoint(store: ClusterWarehouse, version: int) -> Path:
    return log_of(store) / f"{version:020d}.checkpoint.parquet"


def ids(store: ClusterWarehouse, version: int | None = None) -> list[int]:
    return sorted(row.id for row in store.delta.read(SPEC, version).collect())


def log_of(store: ClusterWarehouse) -> Path:
    return Path(store.delta.uri(SPEC)) / "_delta_log"


@pytest.mark.soak
def test_a_table_that_no_run_publishes_is_emptied_though_its_first_version_is_gone(
    store: ClusterWarehouse,
) -> None:
    for number in range(2, EACH + 2):
        append(store.delta, number)
    assert checkpoint(store, EACH).is_file()
    for version in range(EACH):
        (log_of(store) / f"{version:020d}.json").unlink()
    assert store.restore((SPEC,), Published()) == {SPEC.name: EACH + 2}
    assert ids(store) == []


def test_an_empty_table_whose_log_has_lost_a_column_is_made_anew(spark: SparkSession, tmp_path: Path) -> None:
    """Else the first rows for it would be refused, that night and each one after it."""
    store = ClusterWarehouse(spark, str(tmp_path), "c")
    store.delta.create(SPEC)
    published = Published("r", 1, {SPEC.name: 0})
    assert store.restore((SPEC,), published) == {SPEC.name: 0}
    assert column_left_out(Path(store.delta.uri(SPEC)), 0)
    assert store.restore((SPEC,), published) == {SPEC.name: 1}
    assert store.restore((SPEC,), published) == {SPEC.name: 2}  # who made it died
    append(store.delta, 1)
    assert ids(store) == [1]
    assert store.restore((SPEC,), replace(published, versions={SPEC.name: 3})) == {SPEC.name: 3}


@pytest.mark.soak
def test_a_run_that_wakes_up_while_its_work_is_undone_is_noticed(
    store: ClusterWarehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(store.delta, 1)
    delete(store.delta, 1)
    published = Published("r", 1, {SPEC.name: 2})
    before = DeltaFolder.restore

    def restored_late(folder: DeltaFolder, *given: object) -> None:
        append(folder, 2)
        before(folder, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(DeltaFolder, "restore", restored_late)
    with pytest.raises(Locked, match=r"another run wrote into silver\.thing meanwhile"):
        store.restore((SPEC,), published)


def test_what_is_published_stays_however_old_its_commit_is(store: ClusterWarehouse) -> None:
    """Delta's own clean-up would take all before the checkpoint that the next commit makes."""
    wanted = 2 * EACH - 1
    for number in range(2, wanted + 1):
        append(store.delta, number)
    for path in log_of(store).iterdir():
        os.utime(path, (0, 0))
    overwrite(store.delta, 99)
    assert checkpoint(store, 2 * EACH).is_file()
    assert ids(store, wanted) == list(range(2, wanted + 1))
    store.restore((SPEC,), Published("r", 1, {SPEC.name: wanted}))
    assert ids(store) == list(range(2, wanted + 1))


@pytest.mark.soak
def test_of_the_log_goes_what_no_wanted_version_needs(store: ClusterWarehouse) -> None:
    last = 2 * EACH + 2
    for number in range(2, last + 1):
        append(store.delta, number)
    remove_old_log(store.delta, SPEC, EACH - 1)
    assert ids(store, 2) == [2]
    remove_old_log(store.delta, SPEC, EACH + 2)
    names = {path.name for path in log_of(store).iterdir()}
    assert checkpoint(store, EACH).name in names and f"{EACH - 1:020d}.json" not in names
    store.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]
    assert [len(ids(store, version)) for version in (EACH + 2, last)] == [EACH + 1, last - 1]
    with pytest.raises(InputProblem):
        ids(store, EACH - 1)
