"""One run on one locked cluster, by the commit protocol: restore, load, build, gate, publish."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.builder import tables_to_build
from jobs.engine.incremental.fingerprints import (
    ABOUT_FILES,
    FORMS_READ,
    TEMPLATES_READ,
    forms_read,
    fresh_tables,
    table_watermark,
    templates_read,
)
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.placement import shards_of
from jobs.engine.intake.bronze_writer import Intake
from jobs.engine.intake.on_executors import SparkIntake
from jobs.engine.run.conservation import require_conserved
from jobs.engine.run.looking import LogLook, LogLookResult
from jobs.engine.run.masked_run import made_by, require_same_masking
from jobs.engine.run.metadata_news import read_metadata_news
from jobs.engine.run.preconditions import require_same_zones
from jobs.engine.run.progress import Progress
from jobs.engine.run.quality_gate import (
    QualityGate,
    expectation_text,
    gate_failure,
    open_findings,
    unmet_expectations,
)
from jobs.engine.run.request import IS_KRAFT, METADATA_SEQ, PARTS_LEFT, RunRequest, RunResult, is_handed_on
from jobs.engine.run.spans import span_text
from jobs.engine.run.tables_of_run import TablesOfRun
from jobs.engine.run.unread import excerpt_files, unread_files, unreadable_files
from jobs.engine.run.work import Work
from jobs.engine.run.zones import zones_at_hand
from pipeline.bronze.planning import Plan
from pipeline.catalog.jobs import JOBS
from pipeline.catalog.tables import SPECS, CatalogTable, Refresh
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.cluster_tables import ClusterTables
from pipeline.store.executors import SparkExecutors
from pipeline.store.locks.lock import ClusterLock
from pipeline.store.runs.published import Published
from pipeline.store.spark.session import tune_for_size
from pipeline.store.warehouse import ClusterWarehouse, run_row
from schemas.gold import finding
from schemas.ops import quality_result


class Run:
    """The state of a run while it goes on."""

    def __init__(
        self,
        store: ClusterWarehouse,
        request: RunRequest,
        progress: Progress,
        lock: ClusterLock,
    ) -> None:
        self.store, self.request, self.progress, self.lock = store, request, progress, lock
        self.started_at = datetime.now(UTC)
        self.run_id = store.new_run(self.started_at)
        self.published: Published = store.published()
        self.versions: dict[str, int] = store.restore(SPECS, self.published)
        self.written = ClusterTables(store, self.run_id, self.versions)
        self.executors = SparkIntake(self.written)
        self.counts: dict[str, int] = {}
        self.left_out: list[str] = []
        self.watermarks = dict(self.published.watermarks)
        self.at_hand: AtHand | None = None

    def look(self) -> LogLookResult:
        """What there is to read."""
        request = self.request
        if not request.is_reparsing:
            require_same_zones(self.written, request.cluster_id, request.settings, self.published)
        require_same_masking(
            self.store, self.published, request.settings, is_new=not self.published.counts.get("load_seq")
        )
        looking = LogLook(
            self.written, request, self.run_id, self.published, self.progress, self.executors, self.tune
        )
        return looking.look()

    def part_of(self, found: LogLookResult, part: Plan, parts_left: int) -> LogLookResult:
        """What this run reads of what another one has found."""
        self.progress.stage("span", f"{span_text(part)}, {parts_left} to come")
        if parts_left:
            self.counts[PARTS_LEFT] = parts_left
        size = sum(one.limit - one.start_offset for one in part.segments)
        self.tune(size, size + self.published.counts.get("total_bytes", 0))
        return found.part(part, size, self.run_id, self.written)

    def execute(self, found: LogLookResult) -> RunResult:
        request, planned, written = self.request, found.planned, self.written
        before = self.published.counts.get("load_seq", 0)
        self.counts |= {
            name: self.published.counts[name] for name in self.published.counts if is_handed_on(name)
        }
        self.counts["load_seq"] = max((one.load_seq for one in planned.segments), default=before)
        if found.is_kraft:
            self.counts[IS_KRAFT] = 1
        if found.states:
            self.watermarks[FORMS_READ] = forms_read(request.settings, request.cluster_id)
        if request.is_reparsing:
            # What other jobs built stands on records as they were understood before.
            self.watermarks |= {one.name: "" for one in SPECS if one.name in self.watermarks}
        fresh = self.fresh(before, found)
        self.note_templates(before)
        metadata = read_metadata_news(found, request, self.written, self.counts, self.progress)
        has_news = bool(planned.segments or metadata.parts)
        tables = tables_to_build(JOBS[request.job], fresh, has_segments=has_news)
        tables = tables if self.counts["load_seq"] else []
        if is_new := bool(has_news or tables or planned.sightings):
            night = Night(written, request.settings, request.cluster_id, self.run_id, before, fresh)
            night.goes_on = bool(self.published.counts.get(PARTS_LEFT))
            night.metadata_before = self.published.counts.get(METADATA_SEQ, 0)
            night.shards = shards_of(
                request.settings, self.taken_bytes(night, tables, found.new_bytes), written
            )
            if night.shards:
                self.store.session.get()
                night.executors = SparkExecutors(written)
            gate = QualityGate(request.cluster_id, self.run_id)
            intake = Intake(found.loader, written, night, gate.enter, self.executors)
            intake.metadata = metadata
            found.states.update(self.write_all(planned, intake, tables, gate))
        self.publish("published" if is_new else "nothing_new")
        return self.result("published" if has_news or tables else "nothing_new", found.states)

    def tune(self, read_bytes: int, stored_bytes: int) -> None:
        self.store.session.set(partial(tune_for_size, read_bytes=read_bytes, stored_bytes=stored_bytes))

    def fresh(self, before: int, found: LogLookResult) -> frozenset[str]:
        """Names of the tables that what is stored, the settings and the files at hand would give again."""
        if self.request.is_reparsing:
            return frozenset()
        settings, cluster_id = self.request.settings, self.request.cluster_id
        metadata_seq = self.published.counts.get(METADATA_SEQ, 0)
        fresh = fresh_tables(self.published.watermarks, before, settings, cluster_id, metadata_seq)
        return fresh - ABOUT_FILES if found.is_other_problem else fresh

    def taken_bytes(self, night: Night, tables: Sequence[CatalogTable], new_bytes: int) -> int:
        """The bytes of all records that kernels take: by them it is decided where these run."""
        is_anew = any(one.refresh is Refresh.APPEND and not night.is_fresh(one) for one in tables)
        return new_bytes + (self.published.counts.get("total_bytes", 0) if is_anew else 0)

    def tables(self) -> ReadableTables:
        """The tables as the run leaves them."""
        return TablesOfRun(ClusterTables(self.store, self.run_id, self.versions), self.at_hand)

    def result(self, outcome: str, found: Mapping[str, tuple[str, str | None]]) -> RunResult:
        return RunResult(
            self.store.cluster_id,
            self.run_id,
            outcome,
            self.versions,
            self.counts,
            self.watermarks,
            dict(Counter(state for state, _ in found.values())),
            unreadable_files(found),
            unread=unread_files(found),
            excerpts=excerpt_files(found),
            left_out=self.left_out,
            other_zones=zones_at_hand(self.store.cluster_id, self.at_hand),
            is_judged=self.watermarks.get(finding.SPEC.name) == self.watermark(finding.SPEC.name),
            before=0 if self.request.is_reparsing else self.published.counts.get("load_seq", 0),
        )

    def note_templates(self, before: int) -> None:
        """Says if what is stored was understood by other templates than what this run reads."""
        if not before or self.request.is_reparsing:
            self.watermarks[TEMPLATES_READ] = templates_read()
        elif self.watermarks.get(TEMPLATES_READ) != templates_read():
            self.progress.stage(
                "templates", "others than what is stored was read with; --reparse reads it anew"
            )

    def watermark(self, name: str) -> str:
        of_run = (self.counts["load_seq"], self.request.settings, self.request.cluster_id)
        return table_watermark(name, *of_run, self.counts.get(METADATA_SEQ, 0))

    def write_all(
        self, planned: Plan, intake: Intake, tables: Sequence[CatalogTable], gate: QualityGate
    ) -> dict[str, tuple[str, str | None]]:
        """Bronze, silver, gold and the gate. By path what turned out otherwise than planned.

        GateFailed: stored, and nothing else is published.
        """
        work = Work(intake, gate, self.progress)
        lost = work.load(planned, is_reparsing=self.request.is_reparsing)
        self.counts["load_seq"] = work.load_seq
        if intake.totals:
            self.counts |= intake.totals
            self.counts["total_bytes"] = self.counts.get("total_bytes", 0) + self.counts["bytes"]
        self.at_hand = work.build(tables)
        self.watermarks |= {one.spec.name: self.watermark(one.spec.name) for one in tables}
        self.progress.stage("gate", f"{len(gate.entered)} tables, Great Expectations")
        results = gate.verdicts()
        self.versions[quality_result.SPEC.name] = self.store.append_quality(results, self.run_id)
        if refused := gate.refused(results):
            self.refuse(refused)
        self.left_out = [expectation_text(one) for one in unmet_expectations(results)]
        if finding.SPEC.name in {one.spec.name for one in tables}:
            self.counts |= open_findings(self.at_hand.whole(finding.SPEC.table))
        return lost

    def refuse(self, failed: Sequence[dict[str, Any]]) -> None:
        """Publishes the last good versions again, and what the gate said."""
        sentence = expectation_text(failed[0])
        kept = {name: self.store.bases.get(name, 0) for name in self.versions}
        kept[quality_result.SPEC.name] = self.versions[quality_result.SPEC.name]
        self.versions, self.counts = kept, dict(self.published.counts)
        self.watermarks = dict(self.published.watermarks)
        self.publish("gate_failed", sentence, self.published.stated())
        todo = f"look at ops.quality_result of run {self.run_id}; what was published before stays"
        raise gate_failure(self.store.cluster_id, failed, todo)

    def publish(
        self, outcome: str, sentence: str | None = None, stated: Mapping[str, str] | None = None
    ) -> None:
        """stated: what the tables were made by, where that is not this run."""
        row = run_row(
            published=self.published,
            job=self.request.job,
            started_at=self.started_at,
            ended_at=datetime.now(UTC),
            outcome=outcome,
            sentence=sentence,
            cluster_id=self.store.cluster_id,
            run_id=self.run_id,
            table_versions=self.versions,
            counts={name: int(value or 0) for name, value in self.counts.items()},
            watermarks=self.watermarks,
            **(stated or made_by(self.request.settings, self.request.cluster_id)),
        )
        self.lock.require_mine()
        if stated is None:
            written = ClusterTables(self.store, self.run_id, self.versions)
            require_conserved(self.store, written, self.versions, self.counts)
        self.store.publish(row)
