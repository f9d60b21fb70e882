"""One run on one cluster, by the commit protocol: lock, restore, load, build, gate, publish."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs.building import Builder, mark, tables_to_build
from jobs.judging import Gate, open_findings
from jobs.loading import Loader
from jobs.looking import Looker
from jobs.progress import Progress
from jobs.request import PROBLEMS, RunRequest, RunResult, is_kept, news
from pipeline.bronze.planning import Plan, Segment
from pipeline.catalog.knowledge import knowledge_fingerprint
from pipeline.catalog.tables import JOBS, SPECS, TABLES, Refresh
from pipeline.core.errors import GateFailed, NothingToRead, SettingsError
from pipeline.store.lock import cluster_lock, require_mine
from pipeline.store.rows import collect_one, collect_rows
from pipeline.store.session import tune_for_size
from pipeline.store.warehouse import ClusterWarehouse, Published, run_row
from schemas.bronze import file_sighting, log_record, source_file
from schemas.gold import finding
from schemas.ops import quality_result
from schemas.spec import TableSpec


def run_cluster(
    spark: SparkSession,
    request: RunRequest,
    progress: Progress,
    then: Callable[[ClusterWarehouse, RunResult], None],
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
        self,
        store: ClusterWarehouse,
        request: RunRequest,
        progress: Progress,
        run_id: str,
        started_at: datetime,
    ) -> None:
        self.store, self.request, self.progress = store, request, progress
        self.run_id, self.started_at = run_id, started_at
        self.published: Published = store.published()
        self.versions: dict[str, int] = {}
        self.counts: dict[str, int] = {}

    def execute(self) -> RunResult:
        request = self.request
        self.versions = self.store.restore(SPECS, self.published)
        self.require_same_zones()
        total = self.published.counts.get("total_bytes", 0)
        tune_for_size(self.store.spark, total + sum(one.listed.size_bytes for one in request.candidates))
        loader = Loader(self.store, request.settings, self.run_id, self.versions)
        seen = loader.seen()
        changed = loader.changed(request.candidates, seen)
        self.progress.stage("files", f"{len(request.candidates)} found, {len(changed)} new or changed")
        looker = Looker(self.store, request.settings, request.since, request.until)
        planned = (
            news(loader.plan(changed, request.candidates, seen, looker), seen) if changed else Plan((), ())
        )
        before = self.published.counts.get("load_seq", 0)
        states = {path: (one["state"], one["sentence"]) for path, one in seen.items()}
        states |= {one.found.path: (one.state, one.sentence) for one in planned.sightings}
        found = {one.listed.path: states[one.listed.path] for one in request.candidates}
        if not planned.segments and before == 0:
            self.require_kafka(found)
        self.counts |= {name: self.published.counts[name] for name in self.published.counts if is_kept(name)}
        self.counts["load_seq"] = max((one.load_seq for one in planned.segments), default=before)
        stale = self.stale_tables(has_segments=bool(planned.segments))
        is_new = bool(planned.segments or stale or planned.sightings)
        if is_new:
            self.write_all(loader, planned, stale, before)
        self.publish("published" if is_new else "nothing_new")
        return self.result("published" if planned.segments or stale else "nothing_new", found)

    def result(self, outcome: str, found: Mapping[str, tuple[str, str | None]]) -> RunResult:
        problems = [(path, said or "") for path, (state, said) in found.items() if state in PROBLEMS]
        return RunResult(
            self.store.cluster_id,
            self.run_id,
            outcome,
            self.versions,
            self.counts,
            dict(Counter(state for state, _ in found.values())),
            problems,
            is_judged=self.counts.get(f"built:{finding.SPEC.name}") == self.mark(finding.SPEC.name),
        )

    def require_same_zones(self) -> None:
        """Rows that are stored keep the zone they were read in: another zone needs them read again."""
        if self.published.settings_fingerprint in (None, self.settings_fingerprint()):
            return
        if not self.versions.get(source_file.SPEC.name):
            return
        read = self.store.delta.read(source_file.SPEC).select("node_id", "zone").distinct()
        for row in collect_rows(read):
            wanted = self.request.settings.zone_of(self.store.cluster_id, row["node_id"])
            if wanted != row["zone"]:
                raise SettingsError(
                    expected=f"zone {row['zone']}, in which the logs of node {row['node_id']} were read",
                    found=f"zone {wanted}",
                    todo="keep the zone, or read all logs anew into another --warehouse",
                )

    def require_kafka(self, states: Mapping[str, tuple[str, str | None]]) -> None:
        """Nothing was ever read and nothing can be: said before anything is written."""
        counts = Counter(state for state, _ in states.values())
        found = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(counts.items()))
        raise NothingToRead(
            expected=f"a controller.log or state-change.log of Kafka for cluster {self.store.cluster_id}",
            found=f"{len(self.request.candidates)} files, none to read ({found or 'none'})",
            todo="point --logs to the brokers' log folder; a server.log alone needs --server-log",
        )

    def stale_tables(self, *, has_segments: bool) -> list[str]:
        """Tables of the job that were built from other rows, settings or knowledge than there are now."""
        load_seq = self.counts["load_seq"]
        return [
            name
            for name in JOBS[self.request.job]
            if has_segments or (load_seq and self.published.counts.get(f"built:{name}") != self.mark(name))
        ]

    def mark(self, name: str) -> int:
        return mark(name, self.counts["load_seq"], self.request.settings, self.request.cluster_id)

    def settings_fingerprint(self) -> str:
        return self.request.settings.fingerprint(self.request.cluster_id)

    def write_all(self, loader: Loader, planned: Plan, stale: Sequence[str], before: int) -> None:
        """Bronze, silver, gold and the gate. GateFailed: stored, and nothing else is published."""
        segments = planned.segments
        builder = Builder(self.store, self.request.settings, self.run_id, self.versions, before)
        gate = Gate(builder)
        self.load(loader, builder, segments)
        if segments:
            gate.enter(log_record.SPEC)

        def note_files() -> None:
            builder.write(file_sighting.SPEC, loader.sightings(planned))
            gate.enter(file_sighting.SPEC)
            if segments:
                builder.write(
                    source_file.SPEC, loader.manifest(segments, builder.rows_of_run(log_record.SPEC))
                )
                gate.enter(source_file.SPEC)
                self.count(builder, segments)

        tables = tables_to_build(stale, has_segments=bool(segments))
        self.progress.stage("build", f"{len(tables)} tables")
        builder.build(tables, [note_files] if planned.sightings else [], self.entering(gate))
        self.counts |= {f"built:{name}": self.mark(name) for name in stale}
        self.progress.stage("gate", f"{len(gate.results)} tables, Great Expectations")
        results = gate.verdicts()
        self.versions[quality_result.SPEC.name] = self.store.append_quality(results, self.run_id)
        failed = [one for one in results if one["severity"] == "critical" and not one["is_met"]]
        if failed:
            self.refuse(failed)
        if finding.SPEC.name in stale:
            self.counts |= open_findings(self.store.delta.read(finding.SPEC))

    def entering(self, gate: Gate) -> Callable[[TableSpec], None]:
        def enter(spec: TableSpec) -> None:
            self.progress.detail(spec.name)
            gate.enter(spec)

        return enter

    def load(self, loader: Loader, builder: Builder, segments: Sequence[Segment]) -> None:
        """The records of the run's segments; missing tables are created meanwhile."""
        self.store.create_missing((log_record.SPEC,), self.versions)
        with ThreadPoolExecutor(1) as pool:
            rest = pool.submit(self.store.create_missing, SPECS, self.versions)
            if segments:
                size = sum(one.limit - one.start_offset for one in segments)
                self.progress.stage("read", f"{len(segments)} segments, {size:,} bytes")
                self.reopen([load_seq for one in segments for load_seq in one.reopens])
                builder.write(log_record.SPEC, loader.read(segments))
            rest.result()

    def reopen(self, load_seqs: Sequence[int]) -> None:
        """Takes out the segments that others replace: their last record turned out longer, or all of them another's."""
        for table in TABLES if load_seqs else ():
            if table.refresh in (Refresh.LOADED, Refresh.SEGMENTS):
                self.store.delta.delete_segments(table.spec, load_seqs)

    def count(self, builder: Builder, segments: Sequence[Segment]) -> None:
        totals = collect_one(
            builder.rows_of_run(source_file.SPEC).agg(
                F.sum("record_count").alias("records"),
                F.sum("understood_count").alias("understood"),
                F.sum("record_bytes").alias("bytes"),
            )
        )
        self.counts |= {**totals, "files": len({one.file_id for one in segments}), "segments": len(segments)}
        self.counts["total_bytes"] = self.counts.get("total_bytes", 0) + self.counts["bytes"]
        self.progress.stage("understood", f"{totals['understood']:,} of {totals['records']:,} records")

    def refuse(self, failed: Sequence[dict[str, Any]]) -> None:
        """Publishes the last good versions again, and what the gate said."""
        first = failed[0]
        sentence = (
            f"{first['table']} {first['expectation']}: {first['sentence'] or first['unexpected_count']}"
        )
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
        require_mine(self.store.files, self.store.folder, self.run_id)
        self.store.publish(row)


def product_version() -> str:
    try:
        return version("kafka-controller-audit")
    except PackageNotFoundError:
        return "not installed"
