"""A run that dies anywhere leaves what readers see as it was, and the next one makes all of it good."""

import shutil
from itertools import product
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.catalog.tables import BY_NAME
from schemas.spec import TableSpec
from tests.jobs.small_logs import INGESTED
from tests.life.dead_runs import SecondRun, files_of, second_run
from tests.life.faults import READS, RESTORES, Acts, Copying, failing

pytestmark = pytest.mark.spark
EACH_READ = 5
# What any act leaves a run that dies at it makes good: test_dying_at_any_write.
EACH_ACT = 3
SPECS = tuple(BY_NAME[name].spec for name in INGESTED)


@pytest.mark.soak
def test_what_any_act_leaves_is_undone(spark: SparkSession, tmp_path: Path) -> None:
    """After every so many acts of a run the warehouse is what a driver leaves that dies there: readers see what was published,
    and restoring gives the same files. Then errors in the process, each met by the run that follows."""
    second, copies, reads = second_run(spark, tmp_path, is_reopening=False), tmp_path / "copies", Acts()
    with failing(reads, READS):
        last = second.through(Copying(second.whole, copies)).count
    for at in range(1, last, EACH_ACT):
        left = copies / str(at)
        second.is_as_before(left)
        changed = changed_in(second, left)
        assert changed
        heads = {spec.name: second.store(left).delta.head(spec) or 0 for spec in changed}
        restores_files(second, left, changed)
        for spec in changed:
            assert second.store(left).delta.head(spec) == heads[spec.name] + 1
    second.die(Acts(reads.count // 2), READS)
    for at in (last // 2, last - 1, last):
        second.die(Acts(at, is_after=at < last))
    second.make_good()


def changed_in(second: SecondRun, warehouse: Path) -> tuple[TableSpec, ...]:
    """Tables whose heads are not what is published."""
    delta = second.store(warehouse).delta
    return tuple(one for one in SPECS if delta.head(one) != second.before.versions.get(one.name))


def restores_files(second: SecondRun, warehouse: Path, changed: tuple[TableSpec, ...]) -> None:
    found, published = second.store(warehouse), second.store(second.warehouse)
    found.restore(SPECS, second.before)
    for spec in changed:
        assert files_of(found, spec) == files_of(published, spec), (warehouse.name, spec.name)


@pytest.mark.soak
@pytest.mark.parametrize(("job", "layer"), [("ingest", ""), ("nightly", "gold.")], ids=["ingest", "gold"])
def test_dying_at_any_write(spark: SparkSession, tmp_path: Path, job: str, layer: str) -> None:
    """Before and after each act; of gold only after. Each run begins with what the one before it left; the last act of
    all publishes."""
    second = second_run(spark, tmp_path, is_reopening=True, job=job)
    last = second.through(Acts(layer=layer)).count
    points = list(product(range(1, last + 1), (True,) if layer else (False, True)))
    for at, is_after in points if layer else points[:-1]:
        second.die(Acts(at, is_after=is_after, layer=layer))
    if not layer:
        second.fail(Acts(last, is_after=True))
    second.make_good()


@pytest.mark.soak
def test_dying_at_any_restore(spark: SparkSession, tmp_path: Path) -> None:
    """Before and after each, of what a run leaves that dies just before it is published, and its lock with it: here the
    process that had it lives on."""
    second, copies = second_run(spark, tmp_path, is_reopening=True), tmp_path / "copies"
    left = copies / str(second.through(Copying(second.whole, copies)).count - 1)
    changed = changed_in(second, left)
    for at, is_after in product(range(1, len(changed) + 1), (False, True)):
        again = tmp_path / f"{at}-{is_after}"
        shutil.copytree(left, again, ignore=shutil.ignore_patterns("_lock*"))
        second.die(Acts(at, is_after=is_after), RESTORES, again)
        restores_files(second, again, changed)


@pytest.mark.soak
def test_dying_at_reads(spark: SparkSession, tmp_path: Path) -> None:
    second = second_run(spark, tmp_path, is_reopening=False)
    for at in range(1, second.through(Acts(), READS).count, EACH_READ):
        second.die(Acts(at), READS)
    second.make_good()
