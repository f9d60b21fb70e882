"""The night of a cluster of which nothing is stored: read, built and judged in this process, and kept in memory."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from jobs.engine.incremental.builder import tables_to_build
from jobs.engine.incremental.night import Night
from jobs.engine.intake.bronze_writer import Intake
from jobs.engine.intake.metadata_log import MetadataLoad
from jobs.engine.run.looking import LogLook, LogLookResult
from jobs.engine.run.progress import Progress
from jobs.engine.run.quality_gate import (
    QualityGate,
    expectation_text,
    gate_failure,
    open_findings,
    unmet_expectations,
)
from jobs.engine.run.request import RunRequest, RunResult
from jobs.engine.run.tables_of_run import TablesOfRun
from jobs.engine.run.unread import States, excerpt_files, unread_files, unreadable_files
from jobs.engine.run.work import Work
from jobs.engine.run.zones import zone_sentences
from pipeline.catalog.jobs import JOBS
from pipeline.catalog.tables import BY_NAME, CatalogTable
from pipeline.core.conditions import Condition
from pipeline.core.frames import frame_of, no_rows
from pipeline.core.record_bytes import SAID_IN, raw_record_bytes
from pipeline.core.stored_tables import MemoryTables, ReadableTables, columns_to_read, select_from_memory
from pipeline.store.runs.published import Published
from schemas.bronze import log_record
from schemas.gold import finding
from schemas.ops import quality_result
from schemas.spec import TableSpec

JOB = "nightly"
RAW = "raw"
NOTHING = Published()


class RecordsInMemory(MemoryTables):
    """What is held twice costs twice: of the records the run shares the columns, and of tables that it builds it holds
    all rows itself. Bytes that other columns give are put together for those records alone that are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.records = no_rows(log_record.SPEC.arrow)
        self.built: set[str] = set()

    def has_rows(self, spec: TableSpec) -> bool:
        if spec == log_record.SPEC:
            return bool(self.records.num_rows)
        return spec.name in self.built or super().has_rows(spec)

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        wanted = columns or spec.columns
        if spec != log_record.SPEC:
            return super().read(spec, condition, wanted)
        is_whole = RAW in wanted
        names = columns_to_read(condition, [*wanted, *(SAID_IN if is_whole else ())])
        rows = frame_of(self.records.select(names))
        rows = rows if condition is None else rows.filter(condition.polars())
        return select_from_memory(
            rows.with_columns(raw_record_bytes(rows).alias(RAW)) if is_whole else rows, None, wanted
        )

    def append(self, spec: TableSpec, rows: pa.Table) -> None:
        if spec == log_record.SPEC:
            self.records = pa.concat_tables([self.records, rows])
        elif BY_NAME[spec.name].build is None:
            super().append(spec, rows)
        else:
            self.built.add(spec.name)

    def delete_segments(self, spec: TableSpec, load_seqs: Collection[int]) -> None:
        if spec == log_record.SPEC:
            is_gone = pc.is_in(self.records["load_seq"], pa.array(list(load_seqs), pa.int64()))
            self.records = self.records.filter(pc.invert(is_gone))
        else:
            super().delete_segments(spec, load_seqs)


@dataclass(frozen=True)
class AnalyzedLogs:
    """What the logs of one cluster gave: all tables, and what was read."""

    tables: ReadableTables
    result: RunResult


def analyze_logs(
    request: RunRequest, progress: Progress, require_room: Callable[[LogLookResult], None]
) -> AnalyzedLogs:
    """As the nightly job works on a cluster of which it never read anything; request: of that job.

    require_room: is told what is to be read before it is read. NothingToRead: no file is a log of Kafka.
    GateFailed: rows break what their table promises, and what was read is at stake.
    """
    run_id = run_id_now()
    read = load_into_memory(request, run_id, progress, require_room, {})
    if zones := zones_of(request.cluster_id, read.stored):
        read = load_into_memory(request, run_id, progress, require_room, zones)
    return judge_loaded(request, run_id, read)


def run_id_now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")


class Loaded(NamedTuple):
    stored: RecordsInMemory
    found: LogLookResult
    work: Work
    gate: QualityGate


def load_into_memory(
    request: RunRequest,
    run_id: str,
    progress: Progress,
    require_room: Callable[[LogLookResult], None],
    other_zones: Mapping[int, str],
    stored: RecordsInMemory | None = None,
    before: Published = NOTHING,
) -> Loaded:
    """The records of all files but those of the nodes in other_zones, by which the sentence that their files get.
    stored: what earlier looks read, which stays; before: what they came to."""
    stored, cluster_id = RecordsInMemory() if stored is None else stored, request.cluster_id
    found = LogLook(stored, request, run_id, before, progress, other_zones=other_zones).look()
    require_room(found)
    night = Night(stored, request.settings, cluster_id, run_id, before.counts.get("load_seq", 0), frozenset())
    gate = QualityGate(cluster_id, run_id, is_counted=True)
    intake = Intake(found.loader, stored, night, gate.enter)
    intake.metadata = request.metadata or MetadataLoad()
    work = Work(intake, gate, progress)
    found.states.update(work.load(found.planned))
    return Loaded(stored, found, work, gate)


def judge_loaded(request: RunRequest, run_id: str, read: Loaded) -> AnalyzedLogs:
    """All tables from all records that are stored. GateFailed: as analyze_logs."""
    stored, found, work, gate = read
    tables = tables_to_build(JOBS[JOB], frozenset(), has_segments=True) if work.load_seq else []
    at_hand = work.build(tables)
    stored.built |= {one.spec.name for one in tables}
    results = gate.verdicts()
    stored.append(quality_result.SPEC, pa.Table.from_pylist(results, schema=quality_result.SPEC.arrow))
    refused = gate.refused(results)
    if refused:
        todo = "report it with the name of the table; nothing is told of this cluster"
        raise gate_failure(request.cluster_id, refused, todo)
    result = result_of(request, run_id, found, work, tables)
    result.left_out = [expectation_text(one) for one in unmet_expectations(results)]
    if tables:
        result.counts |= open_findings(at_hand.whole(finding.SPEC.table))
    return AnalyzedLogs(TablesOfRun(stored, at_hand), result)


def zones_of(cluster_id: str, stored: RecordsInMemory) -> dict[int, str]:
    """As said_of_zones, by the records."""
    named = stored.read(log_record.SPEC, None, ("cluster_id", "node_id", "controller_epoch", "logged_at"))
    return zone_sentences(cluster_id, frame_of(named).rename({"logged_at": "first_at"}))


def result_of(
    request: RunRequest, run_id: str, found: LogLookResult, work: Work, tables: Sequence[CatalogTable]
) -> RunResult:
    result = RunResult(
        request.cluster_id,
        run_id,
        "published",
        {},
        {"load_seq": work.load_seq, **work.intake.totals},
        {one.spec.name: run_id for one in tables},
        is_judged=bool(tables),
    )
    note_files(result, found.states)
    return result


def note_files(result: RunResult, states: States) -> None:
    """What is known of each file."""
    result.states = dict(Counter(state for state, _ in states.values()))
    result.problems, result.unread = unreadable_files(states), unread_files(states)
    result.excerpts = excerpt_files(states)
