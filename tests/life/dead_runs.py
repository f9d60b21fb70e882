"""A second run that dies somewhere, over logs that have grown: what readers see meanwhile, and what the next one makes."""

import gzip
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deltalake import DeltaTable
from pyspark.sql import SparkSession

from jobs import ingest, nightly
from pipeline.core.errors import ProgramFault
from pipeline.store.runs.published import Published
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import TableSpec
from tests.jobs.small_logs import COMPARED, INGESTED, contents, lines_of, run, write
from tests.life.faults import WRITES, Acts, failing

JOBS = {"ingest": (ingest.main, INGESTED), "nightly": (nightly.main, COMPARED)}


@dataclass(frozen=True)
class SecondRun:
    """One that is to die in `warehouse`; in `whole`, a copy of it, the same run goes through. before: what readers see
    until then; job: of JOBS."""

    spark: SparkSession
    logs: Path
    warehouse: Path
    whole: Path
    before: Published
    job: str

    def through(self, acts: Acts, names: Sequence[str] = WRITES) -> Acts:
        """The run that is not disturbed; acts: what counts or copies it."""
        with failing(acts, names):
            assert self.run(self.whole) == 0
        return acts

    def die(self, acts: Acts, names: Sequence[str] = WRITES, warehouse: Path | None = None) -> None:
        """One that an error ends, after which readers see what they saw."""
        self.fail(acts, names, warehouse)
        self.is_as_before(warehouse)

    def fail(self, acts: Acts, names: Sequence[str] = WRITES, warehouse: Path | None = None) -> None:
        with failing(acts, names):
            assert self.run(warehouse or self.warehouse) == ProgramFault.exit_code

    def run(self, warehouse: Path) -> int:
        return run(self.logs, warehouse, JOBS[self.job][0])

    def is_as_before(self, warehouse: Path | None = None) -> None:
        assert self.store(warehouse or self.warehouse).published() == self.before

    def store(self, warehouse: Path) -> ClusterWarehouse:
        return ClusterWarehouse(self.spark, str(warehouse), "c")

    def make_good(self) -> None:
        """The run that follows the dead ones."""
        assert self.run(self.warehouse) == 0
        names = JOBS[self.job][1]
        found, expected = (contents(one, names) for one in (self.warehouse, self.whole))
        for name in names:
            assert found[name] == expected[name], name


def second_run(spark: SparkSession, folder: Path, *, is_reopening: bool, job: str = "ingest") -> SecondRun:
    """After the first one. is_reopening: as `begin` says; job: of JOBS."""
    logs, warehouse, whole = folder / "logs", folder / "warehouse", folder / "whole"
    begin(logs, warehouse, job, is_reopening=is_reopening)
    shutil.copytree(warehouse, whole)
    before = ClusterWarehouse(spark, str(warehouse), "c").published()
    return SecondRun(spark, logs, warehouse, whole, before, job)


def begin(logs: Path, warehouse: Path, job: str, *, is_reopening: bool) -> None:
    """A warehouse after its first run, and logs that have grown since, with a part of one delivered twice.

    is_reopening: by much, and the last record that was read goes on, so that its segment is read again; else by few
    lines, which leave most tables as they are.
    """
    controller, state_change = lines_of(1, "controller"), lines_of(1, "state-change")
    first, last = (5, 4) if is_reopening else (len(controller) - 2, len(state_change))
    write(logs, "broker-1/controller.log", controller[:first])
    write(logs, "broker-1/state-change.log", state_change[:last])
    assert run(logs, warehouse, JOBS[job][0]) == 0
    grown = [*controller[:first], "and goes on\n" if is_reopening else "", *controller[first:]]
    write(logs, "broker-1/controller.log", grown)
    write(logs, "broker-1/again/controller.log", controller[3:7])
    write(logs, "broker-1/state-change.log", state_change)
    other = "".join(lines_of(3, "controller")).encode()
    (logs / "broker-3").mkdir()
    (logs / "broker-3/controller.log.gz").write_bytes(gzip.compress(other))


def files_of(store: ClusterWarehouse, spec: TableSpec) -> set[str]:
    return {Path(one).name for one in DeltaTable(store.delta.uri(spec)).file_uris()}
