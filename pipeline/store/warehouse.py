"""One cluster of a warehouse: what is published, what a dead run left, and the row that commits a run."""

import json
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.core.errors import Locked
from pipeline.core.product import product_version
from pipeline.store.files.durable import make_durable
from pipeline.store.health.mending import remove_unmade
from pipeline.store.runs.damage import (
    Inspection,
    inspect_published,
    published_as_written,
    require_undamaged,
    run_damage,
    versions_behind,
)
from pipeline.store.runs.forgotten_runs import forgotten_runs_damage
from pipeline.store.runs.published import FORMAT_VERSION, Published, keep_last_run, last_run
from pipeline.store.spark.filesystem import files_for_uri, java_class
from pipeline.store.spark.late_session import Setting, Spark, as_late_session
from pipeline.store.tables.commit_files import columns_when_made, drop_torn, is_table, newest_whole
from pipeline.store.tables.contents import contents_of
from pipeline.store.tables.delta import RETENTION_DAYS, DeltaFolder
from pipeline.store.tables.direct_reading import local_folder, read_run_rows
from pipeline.store.tables.local_writing import LocalWriter
from pipeline.store.tables.stated import Contents, as_columns
from pipeline.store.tables.writers import FirstWriter, SparkWriter, TableWriter
from schemas.ops import quality_result, run
from schemas.spec import TableSpec

log = logging.getLogger("kafka_controller_audit")
AT_ONCE = 4
RUN_ID = "%Y%m%dT%H%M%S.%fZ"
WRITER = "kafka-controller-audit"
NOTE = "spark.databricks.delta.commitInfo.userMetadata"
# Delta refuses a version that was committed longer ago than deleted files are kept, though it was followed just now.
BY_AGE_OF_COMMIT = "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration"


class ClusterWarehouse:
    """`<warehouse>/<cluster_id>`: tables at their published versions, and the commit protocol.

    Protocol (design.md, section 2): under the cluster's lock restore what is newer than published,
    append, audit, then publish with one row of ops.run, which is the commit point.
    writer: who writes what the driver's memory holds.
    """

    def __init__(
        self, spark: Spark, warehouse: str, cluster_id: str, retention_days: int = RETENTION_DAYS
    ) -> None:
        self.session = as_late_session(spark)
        self.cluster_id = cluster_id
        self.files = files_for_uri(self.session, warehouse)
        self.folder = f"{self.files.qualified(warehouse)}/{cluster_id}"
        self.delta = DeltaFolder(self.session, self.folder, retention_days)
        self.bases: dict[str, int] = {}
        self.writer: TableWriter = SparkWriter(self.delta)
        self.run_id = ""
        self.session.set(spark_setting(BY_AGE_OF_COMMIT, "false"))

    def write_locally(self, zstd_level: int) -> None:
        """Where the tables are on this machine delta-rs writes what it can."""
        if (folder := local_folder(self.folder)) is not None:
            local = LocalWriter(folder, self.delta.retention_days, zstd_level)
            self.writer = FirstWriter(local, SparkWriter(self.delta))

    @property
    def spark(self) -> SparkSession:
        """Started now, if it is not there yet."""
        return self.session.get()

    def published(self, run_id: str | None = None) -> Published:
        """The newest run, or that of a run_id; see `published.published`. WarehouseDamaged: what says so is altered."""
        return published_as_written(self.files, self.folder, self.run_rows, run_id)

    def run_rows(self, run_id: str | None = None) -> list[dict[str, Any]]:
        """The newest row of ops.run, or the one of a run_id."""
        if (folder := local_folder(self.folder)) is not None:
            return read_run_rows(folder, run_id)
        rows = self.delta.read(run.SPEC)
        if run_id is not None:
            rows = rows.where(F.col("run_id") == run_id)
        return [row.asDict() for row in rows.orderBy(F.col("run_seq").desc()).limit(1).collect()]

    def new_run(self, started_at: datetime) -> str:
        """Name of a run that begins: later than the published one, also where clocks of hosts differ.

        From here on it stands in every commit of the session, which `publish` looks for.
        """
        run_id, newest = started_at.strftime(RUN_ID), self.published().run_id
        if newest is not None and run_id <= newest:
            follows = datetime.strptime(newest, RUN_ID).replace(tzinfo=UTC) + timedelta(microseconds=1)
            run_id = follows.strftime(RUN_ID)
        self.session.set(spark_setting(NOTE, run_id))
        self.run_id = run_id
        return run_id

    def settings(self, published: Published) -> dict[str, Any]:
        """The settings as the published run states them."""
        rows = self.delta.read(run.SPEC).where(F.col("run_id") == F.lit(published.run_id)).select("settings")
        found: dict[str, Any] = json.loads(rows.collect()[0]["settings"])
        return found

    def inspect(self, seen: Published) -> Inspection:
        """What of the tables is not as published: elsewhere than on this machine, versions alone are compared."""
        last = last_run(self.files, self.folder)
        is_known = seen.run_id is not None or last is not None
        lost = run_damage(seen, last) if is_known else forgotten_runs_damage(self.files, self.folder)
        if local_folder(self.folder) is None:
            found = Inspection(tuple(versions_behind(self.files, self.folder, seen)))
        else:
            found = inspect_published(self.folder, seen)
        return found if lost is None else replace(found, damages=(lost, *found.damages))

    def require_whole(self) -> None:
        """WarehouseDamaged: a table does not hold what was published. Nothing is written then."""
        require_undamaged(self.folder, self.inspect(self.published()).damages)

    def restore(self, specs: tuple[TableSpec, ...], published: Published) -> dict[str, int]:
        """Undoes what a dead run left: tables whose head is newer than published. Versions by table now."""
        self.drop_torn(run.SPEC, newest_whole(self.files, self.delta.uri(run.SPEC)))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            heads = pool.map(lambda spec: self.restored(spec, published.versions.get(spec.name)), specs)
            found = {spec.name: head for spec, head in zip(specs, heads, strict=True) if head is not None}
        self.bases = dict(found)
        return found

    def restored(self, spec: TableSpec, wanted: int | None) -> int | None:
        """Version of the table once it holds what the wanted version held; None if there is no table.

        wanted: None where no run publishes it: it is emptied, and be it that its first versions are gone.
        Locked: somebody else writes into it meanwhile.
        """
        if (self.delta.head(spec) or 0) > (wanted or 0):
            self.drop_torn(spec, wanted)
        head = self.delta.head(spec)
        if wanted is None and not is_table(self.files, self.delta.uri(spec)):
            return None
        is_lacking = head is not None and not wanted and self.lacks_columns(spec)
        if head is None or (head <= (wanted or 0) and not is_lacking):
            return head
        if wanted is None or is_lacking:
            self.writer.empty(spec, self.run_id)
        else:
            self.writer.restore(spec, wanted, self.run_id)
        if self.delta.head(spec) != head + 1:
            raise overtaken_error(self.folder, f"another run wrote into {spec.name} meanwhile")
        return head + 1

    def lacks_columns(self, spec: TableSpec) -> bool:
        """Whether the log of a table that no run has written into has lost declared columns: rows would be refused."""
        made = columns_when_made(self.files, self.delta.uri(spec))
        return made is not None and not made >= set(spec.columns)

    def drop_torn(self, spec: TableSpec, wanted: int | None) -> None:
        """Takes away commits of a dead run that a power cut tore: what came before them can be read again."""
        dropped = drop_torn(self.files, self.delta.uri(spec), -1 if wanted is None else wanted)
        if dropped and self.session.is_there:
            java_class(self.spark, "org.apache.spark.sql.delta.DeltaLog").clearCache()

    def create_missing(self, specs: tuple[TableSpec, ...], versions: dict[str, int]) -> None:
        """The folder of a table that was never made goes first: its first writer died, or filled the disk."""
        missing = [spec for spec in specs if spec.name not in versions]
        gone = [remove_unmade(self.files, self.folder, spec) for spec in missing]
        if any(gone) and self.session.is_there:
            java_class(self.spark, "org.apache.spark.sql.delta.DeltaLog").clearCache()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for _ in pool.map(lambda spec: self.writer.create(spec, self.run_id), missing):
                pass
        versions.update({spec.name: 0 for spec in missing})

    def publish(self, row: dict[str, Any]) -> None:
        """Writes the row of ops.run: from here on readers see the versions that it names. They are on the disk by then.

        Of runs that follow the same one Delta lets one pass: they write under one transaction number.
        Locked: another run has published since this one began, or wrote into its tables.
        """
        self.require_own_commits(row)
        self.make_durable(self.written_since(self.published().versions, row["table_versions"]))
        if self.delta.head(run.SPEC) is None:
            self.create_missing((run.SPEC,), {})
        told = self.append_run(row | as_columns(self.contents(row["table_versions"])))
        newest = self.published()
        if newest.run_id != row["run_id"]:
            raise overtaken_error(self.folder, f"run {newest.run_id} published meanwhile")
        try:
            keep_last_run(self.files, self.folder, told)
        except (Py4JError, OSError) as problem:
            log.warning("run %s is published, but not noted beside its tables: %s", newest.run_id, problem)

    def append_run(self, row: dict[str, Any]) -> str:
        """Adds a row to ops.run. The row as JSON, as it stands in the commit."""
        told, before = json.dumps(row, default=str), self.delta.head(run.SPEC) or 0
        self.delta.append_once(run.SPEC, row, told, WRITER, row["run_seq"])
        self.make_durable({run.SPEC.name: range(before, (self.delta.head(run.SPEC) or 0) + 1)})
        return told

    def contents(self, versions: Mapping[str, int]) -> dict[str, Contents]:
        """By table what its version holds: of those that the newest run published as it stated, of others by their
        logs; nothing elsewhere than on this machine, where only Spark reads logs for sure, table by table."""
        folder, seen = local_folder(self.folder), self.published()
        if folder is None:
            return {}
        # A table that repair rolled back has a number again that something else was published under.
        kept = {
            name: one
            for name, one in seen.contents.items()
            if versions.get(name) == seen.versions[name] == self.bases.get(name)
        }
        rest = {name: version for name, version in versions.items() if name not in kept}
        return kept | contents_of(folder, rest)

    def written_since(self, published: Mapping[str, int], heads: Mapping[str, int]) -> dict[str, range]:
        """By table the versions that may be in the memory of the machine alone: also those of a dead run and what took
        them back, on which the later ones stand."""
        firsts = {name: min(published.get(name, -1), self.bases.get(name, -1)) + 1 for name in heads}
        return {name: range(firsts[name], head + 1) for name, head in heads.items()}

    def make_durable(self, commits: Mapping[str, range]) -> None:
        """Of versions by table, where they lie on this machine; elsewhere the store answers for what it has taken."""
        folder = local_folder(self.folder)
        if folder is not None:
            tables = {folder / name.replace(".", "/"): versions for name, versions in commits.items()}
            make_durable(folder.parent, tables)

    def require_own_commits(self, row: dict[str, Any]) -> None:
        """Locked: of the commits that the row would publish one is of a run that was taken over and woke up."""
        commits = [
            (name, version)
            for name, head in row["table_versions"].items()
            for version in range(self.bases.get(name, -1) + 1, head + 1)
        ]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            notes = pool.map(lambda commit: self.delta.note(*commit), commits)
            foreign = [name for (name, _), note in zip(commits, notes, strict=True) if note != row["run_id"]]
        if foreign:
            raise overtaken_error(self.folder, f"another run wrote into {foreign[0]} meanwhile")

    def append_quality(self, rows: list[dict[str, Any]], run_id: str) -> int:
        """Stores what the gate said. The version that holds it."""
        spec = quality_result.SPEC
        self.writer.append(spec, pa.Table.from_pylist(rows, schema=spec.arrow), run_id)
        return int(self.delta.head(quality_result.SPEC) or 0)


def spark_setting(key: str, value: str) -> Setting:
    return lambda spark: spark.conf.set(key, value)


def overtaken_error(folder: str, found: str) -> Locked:
    return Locked(
        expected=f"no other run on {folder}",
        found=found,
        todo="nothing was published by this run; run again",
    )


def run_row(
    *, published: Published, job: str, started_at: datetime, ended_at: datetime, outcome: str, **columns: Any
) -> dict[str, Any]:
    """A row of ops.run that follows `published`."""
    return {
        "run_seq": published.run_seq + 1,
        "job": job,
        "started_at": started_at,
        "ended_at": ended_at,
        "outcome": outcome,
        "format_version": FORMAT_VERSION,
        "product_version": product_version(),
        "sentence": None,
        **columns,
    }
