"""One run on one cluster, by the commit protocol: lock, restore, load, build, gate, publish."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.discovery import Candidate
from jobs.loading import Loader
from jobs.progress import Progress
from jobs.settings import Settings
from pipeline.bronze.planning import Plan, Segment
from pipeline.catalog.knowledge import knowledge_fingerprint
from pipeline.catalog.tables import BY_NAME, BY_SHORT_NAME, JOBS, SPECS, TABLES, Refresh, Table, waves
from pipeline.core.errors import GateFailed, InputProblem
from pipeline.store.gate import expectation_of, judge, warm_up
from pipeline.store.lock import cluster_lock
from pipeline.store.rows import collect_one
from pipeline.store.warehouse import ClusterWarehouse, Published, run_row
from schemas.bronze import file_sighting, log_record, source_file
from schemas.gold import finding
from schemas.ops import quality_result
from schemas.spec import TableSpec

AT_ONCE = 4
NOT_GATED = ("ops.quality_result",)


@dataclass(frozen=True)
class RunRequest:
    """What a job asks for on one cluster."""

    job: str
    warehouse: str
    cluster_id: str
    candidates: Sequence[Candidate]
    settings: Settings
    since: datetime | None = None
    until: datetime | None = None


@dataclass
class RunResult:
    """What came of it: the published versions, and what was read."""

    cluster_id: str
    run_id: str
    outcome: str
    versions: dict[str, int]
    counts: dict[str, int]
    states: dict[str, int] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)


def run_cluster(
    spark: SparkSession, request: RunRequest, progress: Progress, then: Callable[[ClusterWarehouse, RunResult], None]
) -> RunResult:
    """Runs a job on one cluster; `then` is told of the result while the lock is still held.

    Locked; GateFailed, after which the last good versions stay published.
    """
    started_at = datetime.now(UTC)
    run_id = started_at.strftime("%Y%m%dT%H%M%S.%fZ")
    store = ClusterWarehouse(spark, request.warehouse, request.cluster_id)
    with cluster_lock(store.files, store.folder, run_id):
        result = Run(store, request, progress, run_id, started_at).execute()
        then(store, result)
    return result


class Run:
    """The state of a run while it goes on."""

    def __init__(
        self, store: ClusterWarehouse, request: RunRequest, progress: Progress, run_id: str, started_at: datetime
    ) -> None:
        self.store, self.request, self.progress = store, request, progress
        self.run_id, self.started_at = run_id, started_at
        self.published: Published = store.published()
        self.versions: dict[str, int] = {}
        self.counts: dict[str, int] = {}

    def execute(self) -> RunResult:
        self.versions = self.store.restore(SPECS, self.published)
        loader = Loader(self.store, self.request.settings, self.run_id, self.versions)
        changed = loader.changed(self.request.candidates)
        self.progress.stage("files", f"{len(self.request.candidates)} found, {len(changed)} new or changed")
        planned = loader.plan(changed, self.request.since, self.request.until) if changed else Plan((), ())
        before = self.published.counts.get("load_seq", 0)
        states = dict(Counter(one.state for one in planned.sightings))
        if not planned.segments and before == 0:
            self.require_kafka(states)
        stale = self.stale_tables(bool(planned.segments))
        self.counts |= {key: value for key, value in self.published.counts.items() if key.startswith("built:")}
        self.counts["load_seq"] = max((one.load_seq for one in planned.segments), default=before)
        problems = [(one.found.path, one.sentence or "") for one in planned.sightings if one.state in ("unreadable", "contradictory")]
        if not planned.segments and not stale and not self.has_news(planned):
            self.publish("nothing_new")
        else:
            warm_up()
            self.load(loader, planned, before)
            self.build(stale)
            self.gate(before)
            self.publish("published")
        outcome = "published" if planned.segments or stale else "nothing_new"
        return RunResult(self.store.cluster_id, self.run_id, outcome, self.versions, self.counts, states, problems)

    def require_kafka(self, states: dict[str, int]) -> None:
        """Nothing was ever read and nothing can be: said before anything is written."""
        found = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(states.items()))
        raise InputProblem(
            expected=f"a controller.log or state-change.log of Kafka for cluster {self.store.cluster_id}",
            found=f"{len(self.request.candidates)} files, none to read ({found or 'none'})",
            todo="point --logs to the brokers' log folder; a server.log alone needs --server-log",
        )

    def has_news(self, planned: Plan) -> bool:
        """Sightings that are not as they were: paths that hold no new bytes are noted, not read again."""
        return bool(planned.sightings)

    def stale_tables(self, has_segments: bool) -> list[str]:
        """Tables of the job that were built from other rows, settings or knowledge than there are now."""
        names = JOBS[self.request.job]
        load_seq = self.published.counts.get("load_seq", 0)
        same = (
            self.published.settings_fingerprint == self.settings_fingerprint()
            and self.published.knowledge_fingerprint == knowledge_fingerprint()
        )
        if not has_segments and load_seq == 0:
            return []
        return [
            name
            for name in names
            if has_segments or not same or self.published.counts.get(f"built:{name}", 0) != load_seq
        ]

    def settings_fingerprint(self) -> str:
        return self.request.settings.fingerprint(self.request.cluster_id)

    def load(self, loader: Loader, planned: Plan, before: int) -> None:
        """Bronze and the silver rows of the run's segments; tables are created while the files are read."""
        segments = planned.segments
        self.store.create_missing((log_record.SPEC,), self.versions)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            rest = pool.submit(self.store.create_missing, SPECS, self.versions)
            if segments:
                self.read(loader, segments)
            rest.result()
        self.write(file_sighting.SPEC, loader.sightings(planned))
        if not segments:
            return
        records = self.rows_of_run(log_record.SPEC, before)
        derived = [table for table in TABLES if table.refresh is Refresh.SEGMENTS]
        writes = [lambda: self.write(source_file.SPEC, loader.manifest(segments, records))]
        writes += [partial(self.write_built, table, records) for table in derived]
        at_once(writes)
        totals = collect_one(
            self.rows_of_run(source_file.SPEC, before).agg(
                F.sum("record_count").alias("records"),
                F.sum("understood_count").alias("understood"),
                F.sum("record_bytes").alias("bytes"),
            )
        )
        self.counts |= {**totals, "files": len({one.file_id for one in segments}), "segments": len(segments)}
        self.progress.stage("understood", f"{totals['understood']:,} of {totals['records']:,} records")

    def read(self, loader: Loader, segments: Sequence[Segment]) -> None:
        reopened = [one.reopens for one in segments if one.reopens is not None]
        size = sum(one.limit - one.start_offset for one in segments)
        self.progress.stage("read", f"{len(segments)} segments, {size:,} bytes")
        if reopened:
            for table in TABLES:
                if table.refresh in (Refresh.LOADED, Refresh.SEGMENTS):
                    self.store.delta.delete_segments(table.spec, reopened)
        self.write(log_record.SPEC, loader.read(segments))

    def write_built(self, table: Table, records: DataFrame) -> None:
        self.write(table.spec, self.built(table, {"log_record": records}))

    def rows_of_run(self, spec: TableSpec, before: int) -> DataFrame:
        """The rows that this run appended, read back from where they were written."""
        rows = self.store.delta.read(spec)
        return rows.where(F.col("load_seq") > before) if before else rows

    def build(self, stale: Sequence[str]) -> None:
        for wave in waves(stale):
            self.progress.stage("build", ", ".join(table.spec.name for table in wave))
            at_once([partial(self.rebuild, table) for table in wave])

    def rebuild(self, table: Table) -> None:
        replace = self.store.delta.overwrite if self.versions[table.spec.name] else self.store.delta.append
        replace(table.spec, self.built(table, {}), self.run_id)
        self.versions[table.spec.name] = int(self.store.delta.head(table.spec) or 0)
        self.counts[f"built:{table.spec.name}"] = self.counts["load_seq"]

    def built(self, table: Table, given: dict[str, DataFrame]) -> DataFrame:
        """The table's build, with its inputs as this run left them: under the lock the heads are its own.

        A read of the head takes Delta's cached snapshot, one of a named version builds its own (some jobs each).
        """
        assert table.build is not None
        return table.build(**{name: given[name] if name in given else self.input(name) for name in table.inputs})

    def input(self, name: str) -> DataFrame:
        settings, spark, cluster_id = self.request.settings, self.store.spark, self.store.cluster_id
        if name == "imbalance_limit":
            return imbalance_limits(spark, settings, cluster_id)
        if name == "audit_limit":
            source = self.store.delta.read(source_file.SPEC)
            return audit_limits(source, settings, cluster_id)
        if name == "published_finding":
            published = self.published.versions.get(finding.SPEC.name, 0)
            return self.store.delta.read(finding.SPEC, published)
        return self.store.delta.read(BY_SHORT_NAME[name].spec)

    def write(self, spec: TableSpec, rows: DataFrame) -> None:
        self.store.delta.append(spec, rows, self.run_id)
        self.versions[spec.name] = int(self.store.delta.head(spec) or 0)

    def gate(self, before: int) -> None:
        """Great Expectations on what this run wrote. GateFailed: stored, and nothing else is published."""
        written = [name for name in self.versions if self.versions[name] != self.published.versions.get(name, 0)]
        by_layer: dict[str, list[TableSpec]] = {}
        for name in written:
            if name not in NOT_GATED:
                by_layer.setdefault(BY_NAME[name].spec.layer, []).append(BY_NAME[name].spec)
        self.progress.stage("gate", f"{len(written)} tables in {len(by_layer)} suites")
        results: list[dict[str, Any]] = []
        for layer, specs in sorted(by_layer.items()):
            rows = {spec.name: self.rows_to_judge(spec, before) for spec in specs}
            expectations = tuple(expectation_of(spec) for spec in specs)
            results += judge(self.store.cluster_id, self.run_id, layer, rows, expectations)
        self.versions[quality_result.SPEC.name] = self.store.append_quality(results, self.run_id)
        failed = [one for one in results if one["severity"] == "critical" and not one["is_met"]]
        if failed:
            self.refuse(failed)

    def rows_to_judge(self, spec: TableSpec, before: int) -> DataFrame:
        if BY_NAME[spec.name].refresh in (Refresh.LOADED, Refresh.SEGMENTS):
            return self.rows_of_run(spec, before)
        rows = self.store.delta.read(spec)
        return rows.where(F.col("run_id") == self.run_id) if "run_id" in spec.columns else rows

    def refuse(self, failed: Sequence[dict[str, Any]]) -> None:
        """Publishes the last good versions again, and what the gate said."""
        first = failed[0]
        sentence = f"{first['table']} {first['expectation']}: {first['sentence'] or first['unexpected_count']}"
        kept = {name: self.published.versions.get(name, 0) for name in self.versions}
        kept[quality_result.SPEC.name] = self.versions[quality_result.SPEC.name]
        self.versions, self.counts = kept, dict(self.published.counts)
        self.publish("gate_failed", sentence)
        raise GateFailed(
            expected=f"every critical expectation to hold in cluster {self.store.cluster_id}",
            found=f"{len(failed)} broken, first {sentence}",
            todo=f"look at ops.quality_result of run {self.run_id}; what was published before stays",
        )

    def publish(self, outcome: str, sentence: str | None = None) -> None:
        request = self.request
        settings = request.settings.model_dump(mode="json", by_alias=True)
        row = run_row(
            published=self.published,
            job=request.job,
            started_at=self.started_at,
            ended_at=datetime.now(UTC),
            outcome=outcome,
            sentence=sentence,
            cluster_id=self.store.cluster_id,
            run_id=self.run_id,
            product_version=product_version(),
            settings_fingerprint=self.settings_fingerprint(),
            knowledge_fingerprint=knowledge_fingerprint(),
            settings=json.dumps(settings, sort_keys=True),
            table_versions=self.versions,
            counts={name: int(value or 0) for name, value in self.counts.items()},
        )
        self.store.publish(row)


def at_once(acts: Sequence[Callable[[], None]]) -> None:
    """Independent tables side by side: small Delta commits wait on the driver more than on the executors."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result()


def imbalance_limits(spark: SparkSession, settings: Settings, cluster_id: str) -> DataFrame:
    """(cluster_id, broker_id, threshold_ratio): the cluster's own with broker_id null, and each broker's that differs."""
    general = settings.cluster(cluster_id).leader_imbalance.per_broker_percentage / 100
    rows: list[tuple[str, int | None, float]] = [(cluster_id, None, general)]
    for broker_id in settings.cluster(cluster_id).brokers:
        rows.append((cluster_id, broker_id, settings.threshold_ratio(cluster_id, broker_id)))
    return spark.createDataFrame(rows, "cluster_id string, broker_id int, threshold_ratio double")


def audit_limits(source: DataFrame, settings: Settings, cluster_id: str) -> DataFrame:
    """One row: the limits of the rules of gold.finding, and until_at, the end of the data."""
    limits = settings.findings
    checks = settings.cluster(cluster_id).leader_imbalance.check_interval_seconds * limits.imbalance_checks
    return source.groupBy("cluster_id").agg(
        F.max("last_logged_at").alias("until_at"),
        F.lit(checks).alias("standing_seconds"),
        F.lit(limits.overlap_ms).alias("overlap_ms"),
        F.lit(limits.no_controller_ms).alias("no_controller_ms"),
    )


def product_version() -> str:
    try:
        return version("kafka-controller-audit")
    except PackageNotFoundError:
        return "not installed"
