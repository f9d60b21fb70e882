"""The bronze part of a run: records of its segments, what was read of which file, which records came twice."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import polars as pl
import pyarrow as pa
from polars import col

from jobs.engine.incremental.night import Night, without_bytes
from jobs.engine.incremental.placement import Placement
from jobs.engine.intake.changed_while_read import without_lost
from jobs.engine.intake.executors import IntakeExecutors
from jobs.engine.intake.metadata_log import MetadataLoad
from jobs.engine.intake.parts import parts_by_size
from jobs.engine.intake.segments import COUNTED, Loader
from pipeline.bronze import duplicate_record as duplicates
from pipeline.bronze.planning import Plan, Segment
from pipeline.bronze.shared_files import without_nodes_where_shared
from pipeline.bronze.told_again import lap_begins, lap_stretches, repeated_time_spans, with_laps
from pipeline.catalog.tables import SPECS, TABLES, Refresh
from pipeline.core.conditions import Condition, IsNull, column_before, column_since, is_in
from pipeline.core.expectations import expectation_of
from pipeline.core.frames import declared_table, frame_of
from pipeline.core.stored_tables import SegmentTables
from schemas.bronze import duplicate_record, log_record, source_file
from schemas.spec import TableSpec

EXPECTED = expectation_of(log_record.SPEC)
PLACED = ("file_id", "byte_offset", "byte_length", "logged_at", "raw")
NEXT = timedelta(microseconds=1)
Done = Callable[[TableSpec, pa.Table], None]


class Intake:
    """Loads the segments of one run; `done` hears of each table and the rows that are written of it. executors: None:
    all is read here. `metadata`: what was read of copies of the metadata log."""

    def __init__(
        self,
        loader: Loader,
        tables: SegmentTables,
        night: Night,
        done: Done,
        executors: IntakeExecutors | None = None,
    ) -> None:
        self.loader, self.tables, self.night, self.done = loader, tables, night, done
        self.executors = executors
        self.totals: dict[str, int] = {}
        self.metadata = MetadataLoad()

    def of_run(self) -> Condition | None:
        """Rows of segments that this run loads or derives anew; None: all."""
        return self.night.is_of_run() if self.night.before else None

    def load(self, planned: Plan, *, is_reparsing: bool) -> tuple[Plan, dict[str, tuple[str, str | None]]]:
        """The plan as it came out, and by path what is said of files that changed meanwhile.

        Missing tables are created beside the reading; what follows from records waits for those that came twice.
        """
        tables, segments = self.tables, planned.segments
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(tables.create_missing, log_record.SPEC)
            rest = pool.submit(tables.create_missing, *SPECS)
            if is_reparsing:
                rest.result()
                self.reparse()
            if segments:
                rows = self.read_here(segments)
                first.result()
                self.reopen([load_seq for one in segments for load_seq in one.reopens])
                self.write_records(segments, rows)
            rest.result()
        if not segments:
            return planned, {}
        if not self.night.derived:
            self.night.parts = parts_by_size(segments)
        counted: dict[int, dict[str, Any]] = {}
        for records in self.night.columns_of_run(COUNTED):
            counted |= self.loader.counted(records.filter(col("load_seq") > self.night.before))
        planned, lost = without_lost(tables, planned, counted, self.loader.look_again)
        if lost:
            self.night.forget_records()
        for records in self.night.columns_of_run(EXPECTED.columns):
            self.done(log_record.SPEC, records.to_arrow())
        if planned.segments:
            tables.append(source_file.SPEC, self.loader.manifest(planned.segments, counted))
            self.done(source_file.SPEC, tables.read(source_file.SPEC, self.of_run()))
            if self.find_duplicates():
                self.night.forget_records()
            self.total(planned.segments, counted)
        return planned, lost

    def read_here(self, segments: Sequence[Segment]) -> pa.Table | None:
        """The records of the segments, if the driver reads them."""
        is_here = self.executors is None or self.loader.looker.placement is Placement.DRIVER
        return self.loader.read_here(segments) if is_here else None

    def write_records(self, segments: Sequence[Segment], rows: pa.Table | None) -> None:
        """Bronze gets the records of the segments. What the driver has read stays at hand."""
        if rows is None and self.executors is not None:
            self.executors.read(self.loader.ranges(segments), self.loader.masking)
            return
        self.tables.append(log_record.SPEC, rows)
        if not self.night.derived:
            self.night.records = without_bytes(rows)

    def reparse(self) -> None:
        """All stored records understood anew, in the zones that the settings now give their nodes."""
        if self.executors is None:
            raise TypeError("executors read anew what is stored")
        self.executors.reparse(self.loader.recounted({}))
        records = self.tables.read(log_record.SPEC, None, tuple({*EXPECTED.columns, *COUNTED}))
        self.done(log_record.SPEC, records)
        files = self.loader.recounted(self.loader.counted(frame_of(records)))
        self.tables.replace(source_file.SPEC, files)
        self.done(source_file.SPEC, files)

    def reopen(self, load_seqs: Sequence[int]) -> None:
        """Takes out the segments that others replace: their last record turned out longer, or all are another's.

        Segments that left out records because one of these had them are derived anew.
        """
        if not load_seqs:
            return
        leaning = self.tables.read(duplicate_record.SPEC, is_in("of_load_seq", load_seqs), ("load_seq",))
        self.night.derived = frozenset(leaning["load_seq"].to_pylist()) - frozenset(load_seqs)
        self.night.gone = frame_of(self.tables.read(source_file.SPEC, is_in("load_seq", load_seqs)))
        for table in TABLES:
            if table.refresh is Refresh.LOADED and table.spec is not duplicate_record.SPEC:
                self.tables.delete_segments(table.spec, load_seqs)
        self.tables.delete_segments(duplicate_record.SPEC, [*load_seqs, *self.night.derived])
        self.forget_derived([*load_seqs, *self.night.derived])

    def forget_derived(self, load_seqs: Collection[int]) -> None:
        """Takes out what follows from single records of these segments."""
        for table in TABLES:
            if table.refresh is Refresh.APPEND:
                self.tables.delete_segments(table.spec, load_seqs)

    def find_duplicates(self) -> bool:
        """Compares the new segments with those of other files of their nodes that tell of the same time.

        Whether older segments have to be derived anew: see `take_back`.
        """
        found = self.overlap_of_logs()
        if found.is_empty():
            return False
        segments = frame_of(self.tables.read(source_file.SPEC))
        overlap = duplicates.of_whole_files(found, segments)
        load_seqs = overlap["load_seq"].unique().to_list()
        begins = lap_begins(self.times_of_files(overlap, segments))
        compared = duplicates.comparable_records(
            with_laps(self.records_at_once(overlap, load_seqs), begins), overlap
        )
        named = frame_of(self.tables.read(duplicate_record.SPEC, is_in("load_seq", load_seqs)))
        cut = self.cut_short(compared, named, segments)
        twice = duplicates.build(compared, cut)
        of_run = self.of_run()
        self.append_named(twice if of_run is None else twice.filter(of_run.polars()))
        is_late = cut is not None and self.take_back(twice)
        self.done(duplicate_record.SPEC, self.tables.read(duplicate_record.SPEC, self.of_run()))
        return is_late

    def append_named(self, twice: pl.DataFrame) -> None:
        if not twice.is_empty():
            self.tables.append(duplicate_record.SPEC, declared_table(twice, duplicate_record.SPEC))

    def times_of_files(self, overlap: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
        """When which record of the files of these segments was written."""
        files = segments.join(overlap, on="load_seq", how="semi")["file_id"].unique().to_list()
        load_seqs = segments.filter(col("file_id").is_in(files))["load_seq"].to_list()
        names = ("file_id", "node_id", "byte_offset", "logged_at")
        return frame_of(self.tables.read(log_record.SPEC, is_in("load_seq", load_seqs), names))

    def records_at_once(self, overlap: pl.DataFrame, load_seqs: Sequence[int]) -> pl.DataFrame:
        """The records that `compared` looks at."""
        first, last = overlap["from_at"].to_list(), overlap["until_at"].to_list()
        is_at_once = column_since("logged_at", min(first)) & column_before("logged_at", max(last) + NEXT)
        asked = is_in("load_seq", load_seqs) & (is_at_once | IsNull("logged_at"))
        names = (*duplicates.SAME, *duplicates.RECORD, "byte_length")
        return frame_of(self.tables.read(log_record.SPEC, asked, names))

    def overlap_of_logs(self) -> pl.DataFrame:
        """Segments of one log of one node that tell of the same time as a new one of another file, or whose file has
        told of it before."""
        segments = frame_of(self.tables.read(source_file.SPEC))
        files = without_nodes_where_shared(segments)
        is_new = (col("load_seq") > self.night.before) | col("load_seq").is_in(sorted(self.night.derived))
        near = duplicates.overlapping_segments(files, files.filter(is_new))
        earlier = is_in("load_seq", near["load_seq"].to_list()) & ~self.night.is_of_run()
        names = (*duplicates.SEGMENT, "log", "logged_at", "byte_offset")
        stored = frame_of(self.tables.read(log_record.SPEC, earlier, names))
        of_segments, laps = [duplicates.segment_log_spans(stored, near)], []
        for own in self.night.columns_of_run(names):
            of_segments.append(duplicates.segment_log_spans(own, near))
            laps.append(lap_stretches(own))
        spans = pl.concat(of_segments)
        of_others = duplicates.overlapping_segments(spans, spans.filter(is_new), "log")
        again = repeated_time_spans(pl.concat(laps), segments)
        return duplicates.merge_overlaps(pl.concat([of_others, again]))

    def cut_short(
        self, compared: pl.DataFrame, named: pl.DataFrame, segments: pl.DataFrame
    ) -> pl.DataFrame | None:
        """Which of these records end with their file and are whole in another; None: none."""
        pairs = duplicates.may_be_cut(compared, named)
        if pairs.is_empty():
            return None
        of_files = segments.filter(col("file_id").is_in({*pairs["file_id"], *pairs["of_file_id"]}))
        ends = {*pairs["byte_offset"], *pairs["of_byte_offset"]}
        # Of these alone bytes are put together.
        lengths = frame_of(
            self.tables.read(log_record.SPEC, is_in("load_seq", of_files["load_seq"].to_list()), PLACED[:3])
        )
        ended = lengths.filter((col("byte_offset") + col("byte_length")).is_in(ends))
        asked = is_in("load_seq", of_files["load_seq"].to_list()) & is_in(
            "byte_offset", ended["byte_offset"].unique().to_list()
        )
        return duplicates.cut_short(frame_of(self.tables.read(log_record.SPEC, asked, PLACED)), pairs)

    def take_back(self, twice: pl.DataFrame) -> bool:
        """Names the records of older segments that are cut short of a new one, and derives these segments anew."""
        night = self.night
        of_new = twice.filter((~night.is_of_run()).polars(), col("of_load_seq") > night.before)
        named = frame_of(self.tables.read(duplicate_record.SPEC, None, duplicates.RECORD))
        late = of_new.join(named, on=duplicates.RECORD, how="anti")
        if late.is_empty():
            return False
        self.append_named(late)
        load_seqs = set(late["load_seq"])
        night.derived |= load_seqs
        self.forget_derived(load_seqs)
        return True

    def total(self, segments: Sequence[Segment], counted: Mapping[int, Mapping[str, Any]]) -> None:
        rows = [counted[one.load_seq] for one in segments]
        self.totals = {
            "records": sum(one["record_count"] for one in rows),
            "understood": sum(one["understood_count"] for one in rows),
            "bytes": sum(one["record_bytes"] for one in rows),
            "files": len({one.file_id for one in segments}),
            "segments": len(segments),
        }
