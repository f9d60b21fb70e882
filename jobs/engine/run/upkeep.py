"""Runs that read no logs: under the cluster's lock they change tables, rebuild what stands on them, and publish."""

from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial

from jobs.engine.incremental.builder import Builder
from jobs.engine.incremental.fingerprints import fresh_tables, table_watermark, tables_on_fresh_inputs
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.placement import Placement, placement_of
from jobs.engine.run.conservation import require_conserved
from jobs.engine.run.progress import Progress
from jobs.engine.run.quality_gate import QualityGate, gate_failure, open_findings
from jobs.engine.run.request import METADATA_SEQ, PARTS_LEFT, is_handed_on
from jobs.settings.model import Settings
from pipeline.catalog.tables import SPECS, TABLES, Refresh
from pipeline.core.errors import SettingsError
from pipeline.store.cluster_tables import ClusterTables
from pipeline.store.executors import SparkExecutors
from pipeline.store.health.upkeep import tune_upkeep
from pipeline.store.locks.lock import ClusterLock
from pipeline.store.runs.published import Published
from pipeline.store.spark.session import tune_for_size
from pipeline.store.warehouse import ClusterWarehouse, run_row
from schemas.gold import finding
from schemas.ops import quality_result
from schemas.spec import TableSpec


class Upkeep:
    """One such run, begun: the tables hold what is published.

    Its row of ops.run says of settings and knowledge what the rows before it say: no log line was read anew.
    """

    def __init__(
        self, store: ClusterWarehouse, settings: Settings, job: str, progress: Progress, lock: ClusterLock
    ) -> None:
        self.store, self.settings, self.job, self.progress, self.lock = store, settings, job, progress, lock
        self.started_at = datetime.now(UTC)
        self.run_id = store.new_run(self.started_at)
        store.session.set(tune_upkeep)
        self.published = store.published()
        stored = self.published.counts.get("total_bytes", 0)
        store.session.set(partial(tune_for_size, read_bytes=stored, stored_bytes=stored))
        self.versions = store.restore(SPECS, self.published)
        self.counts = {
            name: value
            for name, value in self.published.counts.items()
            if is_handed_on(name) or name == PARTS_LEFT
        }
        self.counts["load_seq"] = self.published.counts.get("load_seq", 0)
        self.watermarks = dict(self.published.watermarks)

    @property
    def tables(self) -> list[TableSpec]:
        """Declarations of the tables that are there."""
        return [spec for spec in SPECS if spec.name in self.versions]

    def built(self) -> set[str]:
        """Names of the tables that some run built from other tables than the records themselves."""
        tables = (table for table in TABLES if table.refresh is not Refresh.APPEND)
        return {table.spec.name for table in tables if table.spec.name in self.watermarks}

    def rebuild(self, names: Collection[str]) -> None:
        """Builds tables from all that was read, and gates them. GateFailed: nothing is published."""
        written = ClusterTables(self.store, self.run_id, self.versions)
        night = Night(written, self.settings, self.store.cluster_id, self.run_id, 0, frozenset())
        if placement_of(self.settings, self.counts.get("total_bytes", 0)) is Placement.EXECUTORS:
            night.executors = SparkExecutors(written)
        gate = QualityGate(self.store.cluster_id, self.run_id)
        builder = Builder(night, gate.sift)
        tables = [table for table in TABLES if table.spec.name in names and table.build is not None]
        self.progress.stage("build", f"{len(tables)} tables")
        builder.build(tables)
        results = gate.verdicts()
        failed = gate.refused(results)
        if failed:
            raise gate_failure(self.store.cluster_id, failed, "what was published before stays")
        self.versions[quality_result.SPEC.name] = self.store.append_quality(results, self.run_id)
        self.note_watermarks(names)
        if finding.SPEC.name in names:
            self.counts |= open_findings(builder.at_hand.whole(finding.SPEC.table))

    def note_watermarks(self, names: Collection[str]) -> None:
        """Tables that were built are as they would be built now if all that they stand on is, too: else the next run
        builds them again."""
        metadata_seq = self.counts.get(METADATA_SEQ, 0)
        of_run = (self.counts["load_seq"], self.settings, self.store.cluster_id, metadata_seq)
        fresh = tables_on_fresh_inputs(names, fresh_tables(self.published.watermarks, *of_run))
        built = (name for name in names if name in self.watermarks)
        self.watermarks |= {name: table_watermark(name, *of_run) if name in fresh else "" for name in built}

    def publish(self) -> None:
        """The heads of all tables, with one row of ops.run."""
        self.versions = {spec.name: int(self.store.delta.head(spec) or 0) for spec in self.tables}
        published = self.published
        outcome = "published" if self.versions != published.versions else "nothing_new"
        row = run_row(
            published=published,
            job=self.job,
            started_at=self.started_at,
            ended_at=datetime.now(UTC),
            outcome=outcome,
            cluster_id=self.store.cluster_id,
            run_id=self.run_id,
            settings_fingerprint=published.settings_fingerprint,
            knowledge_fingerprint=published.knowledge_fingerprint,
            settings=published.settings,
            table_versions=self.versions,
            counts=self.counts,
            watermarks=self.watermarks,
        )
        self.lock.require_mine()
        written = ClusterTables(self.store, self.run_id, self.versions)
        require_conserved(self.store, written, self.versions, self.counts)
        self.store.publish(row)


def require_same_settings(store: ClusterWarehouse, published: Published, settings: Settings) -> None:
    """What is built anew is to be judged as the last run did. SettingsError: by other settings."""
    wanted = settings.fingerprint(store.cluster_id)
    if published.settings_fingerprint not in (None, wanted):
        raise SettingsError(
            expected=f"the settings that cluster {store.cluster_id} was judged by in run {published.run_id}",
            found="others, or another release",
            todo="give the nightly job's --conf, --zone, --server-properties and --server-log, or run that first",
        )
