"""A run that dies anywhere leaves what readers see as it was, and the next one makes all of it good."""

import gzip
import shutil
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import ingest
from pipeline.catalog.tables import BY_NAME
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import TableSpec
from tests.jobs.small_logs import INGESTED, content, lines_of, run, write
from tests.life.faults import READS, RESTORES, WRITES, Acts, Copying, Fault, failing

pytestmark = pytest.mark.spark
EACH_READ = 5
INGESTED_SPECS = [BY_NAME[name].spec for name in INGESTED]


def begun(logs: Path, warehouse: Path, *, is_reopening: bool) -> None:
    """A warehouse after its first run, and logs that have grown since, with a part of one delivered twice.

    is_reopening: by much, and the last record that was read goes on, so that its segment is read again; else by few
    lines, which leave most tables as they are.
    """
    controller, state_change = lines_of(1, "controller"), lines_of(1, "state-change")
    first, last = (5, 4) if is_reopening else (len(controller) - 2, len(state_change))
    write(logs, "broker-1/controller.log", controller[:first])
    write(logs, "broker-1/state-change.log", state_change[:last])
    assert run(logs, warehouse, ingest.main) == 0
    grown = [*controller[:first], "and goes on\n" if is_reopening else "", *controller[first:]]
    write(logs, "broker-1/controller.log", grown)
    write(logs, "broker-1/again/controller.log", controller[3:7])
    write(logs, "broker-1/state-change.log", state_change)
    other = "".join(lines_of(3, "controller")).encode()
    (logs / "broker-3").mkdir()
    (logs / "broker-3/controller.log.gz").write_bytes(gzip.compress(other))


def contents(spark: SparkSession, warehouse: Path) -> dict[str, list[str]]:
    return {name: content(spark, warehouse, name) for name in INGESTED}


def test_what_any_act_leaves_is_undone(spark: SparkSession, tmp_path: Path) -> None:
    """After each act of a run the warehouse is what a driver leaves that dies there: readers see what was published,
    and restoring gives the same files. Then errors in the process, each met by the run that follows."""
    logs, warehouse, whole = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "whole"
    begun(logs, warehouse, is_reopening=False)
    shutil.copytree(warehouse, whole)
    copies = Copying(whole, tmp_path / "copies")
    with failing(copies):
        assert run(logs, whole, ingest.main) == 0
    store = ClusterWarehouse(spark, str(warehouse), "c")
    before, last = store.published(), copies.count
    for at in range(1, last):
        left = ClusterWarehouse(spark, str(copies.copies / str(at)), "c")
        assert left.published() == before, at
        heads = {spec.name: left.delta.head(spec) for spec in INGESTED_SPECS}
        left.restore(tuple(INGESTED_SPECS), before)
        changed = [spec for spec in INGESTED_SPECS if heads[spec.name] != before.versions.get(spec.name)]
        assert changed
        for spec in changed:
            assert left.delta.head(spec) == (heads[spec.name] or 0) + 1
            assert files_of(left, spec) == files_of(store, spec), (at, spec.name)
    for at in (3, last // 2, last - 1, last):
        die(logs, warehouse, Acts(at, is_after=at < last))
        assert store.published() == before, at
    assert run(logs, warehouse, ingest.main) == 0
    assert contents(spark, warehouse) == contents(spark, whole)


def files_of(store: ClusterWarehouse, spec: TableSpec) -> set[str]:
    return {Path(one).name for one in store.delta.read(spec).inputFiles()}


@pytest.mark.soak
def test_dying_at_any_write(spark: SparkSession, tmp_path: Path) -> None:
    """Before and after each act. Each run begins with what the one before it left."""
    logs, warehouse, whole = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "whole"
    begun(logs, warehouse, is_reopening=True)
    shutil.copytree(warehouse, whole)
    with failing(Acts()) as acts:
        assert run(logs, whole, ingest.main) == 0
    store = ClusterWarehouse(spark, str(warehouse), "c")
    before, last = store.published(), acts.count
    for at, is_after in [*product(range(1, last), (False, True)), (last, False)]:
        die(logs, warehouse, Acts(at, is_after=is_after))
        assert store.published() == before, (at, is_after)
    die(logs, warehouse, Acts(last, is_after=True))
    assert run(logs, warehouse, ingest.main) == 0
    assert contents(spark, warehouse) == contents(spark, whole)


@pytest.mark.soak
def test_dying_at_any_restore(spark: SparkSession, tmp_path: Path) -> None:
    """Before and after each, of what a run leaves that dies just before it is published."""
    logs, warehouse, whole = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "whole"
    begun(logs, warehouse, is_reopening=True)
    shutil.copytree(warehouse, whole)
    copies = Copying(whole, tmp_path / "copies")
    with failing(copies):
        assert run(logs, whole, ingest.main) == 0
    left = copies.copies / str(copies.count - 1)
    store, dead = (ClusterWarehouse(spark, str(one), "c") for one in (warehouse, left))
    before = store.published()
    changed = [one for one in INGESTED_SPECS if dead.delta.head(one) != before.versions.get(one.name)]
    for at, is_after in product(range(1, len(changed) + 1), (False, True)):
        again = tmp_path / f"{at}-{is_after}"
        shutil.copytree(left, again)
        die(logs, again, Acts(at, is_after=is_after), RESTORES)
        found = ClusterWarehouse(spark, str(again), "c")
        assert found.published() == before
        found.restore(tuple(changed), before)
        for spec in changed:
            assert files_of(found, spec) == files_of(store, spec), (at, is_after, spec.name)


@pytest.mark.soak
def test_dying_at_reads(spark: SparkSession, tmp_path: Path) -> None:
    logs, warehouse, whole = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "whole"
    begun(logs, warehouse, is_reopening=False)
    shutil.copytree(warehouse, whole)
    with failing(Acts(), READS) as acts:
        assert run(logs, whole, ingest.main) == 0
    store = ClusterWarehouse(spark, str(warehouse), "c")
    before = store.published()
    for at in range(1, acts.count, EACH_READ):
        die(logs, warehouse, Acts(at), READS)
        assert store.published() == before, at
    assert run(logs, warehouse, ingest.main) == 0
    assert contents(spark, warehouse) == contents(spark, whole)


def die(logs: Path, warehouse: Path, acts: Acts, names: Sequence[str] = WRITES) -> None:
    with failing(acts, names), pytest.raises(Fault):
        run(logs, warehouse, ingest.main)
