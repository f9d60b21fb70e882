"""The bronze part of a run: records of its segments, what was read of which file, which records came twice."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl
import pyarrow as pa
from polars import col
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jobs.incremental.night import Night, without_bytes
from jobs.incremental.placement import Placement
from jobs.intake.changed_while_read import without_lost
from jobs.intake.segments import COUNTED, Loader
from pipeline.bronze import duplicate_record as duplicates
from pipeline.bronze import log_record as log_record_table
from pipeline.bronze.planning import Plan, Segment
from pipeline.bronze.shared_files import as_one_node
from pipeline.catalog.tables import SPECS, TABLES, Refresh
from pipeline.core.conditions import is_in
from pipeline.core.expectations import expectation_of
from pipeline.core.frames import frame_of
from pipeline.store.cluster_tables import ClusterTables, column_of
from pipeline.store.delta import is_among
from pipeline.store.rows import brought, collect_rows
from schemas.bronze import duplicate_record, log_record, source_file
from schemas.spec import TableSpec

OVERLAP = "load_seq long, from_at timestamp, until_at timestamp"
EXPECTED = expectation_of(log_record.SPEC)
Done = Callable[[TableSpec, pa.Table], None]


class Intake:
    """Loads the segments of one run; `done` hears of each table and the rows that are written of it."""

    def __init__(self, loader: Loader, tables: ClusterTables, night: Night, done: Done) -> None:
        self.store, self.tables, self.loader, self.night, self.done = (
            tables.store,
            tables,
            loader,
            night,
            done,
        )
        self.totals: dict[str, int] = {}

    def of_run(self, rows: DataFrame) -> DataFrame:
        """Those of the rows that belong to segments which this run loads or derives anew."""
        return rows.where(column_of(self.night.is_of_run())) if self.night.before else rows

    def rows_of_run(self, spec: TableSpec) -> pa.Table:
        return self.tables.read(spec, self.night.is_of_run() if self.night.before else None)

    def load(self, planned: Plan, *, is_reparsing: bool) -> tuple[Plan, dict[str, tuple[str, str | None]]]:
        """The plan as it came out, and by path what is said of files that changed meanwhile.

        Missing tables are created beside the reading; what follows from records waits for those that came twice.
        """
        versions, segments = self.tables.versions, planned.segments
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(self.store.create_missing, (log_record.SPEC,), versions)
            rest = pool.submit(self.store.create_missing, SPECS, versions)
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
        records = self.night.columns_of_run(COUNTED).filter(col("load_seq") > self.night.before)
        counted = self.loader.counted(records)
        planned, lost = without_lost(self.store, planned, counted, versions, self.loader.look_again)
        if lost:
            self.night.forget_records()
        self.done(log_record.SPEC, self.night.columns_of_run(EXPECTED.columns).to_arrow())
        if planned.segments:
            self.tables.append_rows(source_file.SPEC, self.loader.manifest(planned.segments, counted))
            self.done(source_file.SPEC, self.rows_of_run(source_file.SPEC))
            if self.find_duplicates():
                self.night.forget_records()
            self.total(planned.segments, counted)
        return planned, lost

    def read_here(self, segments: Sequence[Segment]) -> pa.Table | None:
        """The records of the segments, if the driver reads them."""
        is_here = self.loader.looker.placement is Placement.DRIVER
        return self.loader.read_here(segments) if is_here else None

    def write_records(self, segments: Sequence[Segment], rows: pa.Table | None) -> None:
        """Bronze gets the records of the segments. What the driver has read stays at hand."""
        if rows is None:
            self.tables.append_rows(log_record.SPEC, self.loader.read(segments))
            return
        self.tables.append(log_record.SPEC, rows)
        if not self.night.derived:
            self.night.records = without_bytes(rows)

    def reparse(self) -> None:
        """All stored records understood anew, in the zones that the settings now give their nodes."""
        read = self.store.delta.read
        files = self.loader.recounted({})
        self.tables.replace_rows(log_record.SPEC, log_record_table.reparsed(read(log_record.SPEC), files))
        records = self.tables.read(log_record.SPEC, None, tuple({*EXPECTED.columns, *COUNTED}))
        self.done(log_record.SPEC, records)
        self.tables.replace_rows(
            source_file.SPEC, self.loader.recounted(self.loader.counted(frame_of(records)))
        )
        self.done(source_file.SPEC, self.tables.read(source_file.SPEC))

    def reopen(self, load_seqs: Sequence[int]) -> None:
        """Takes out the segments that others replace: their last record turned out longer, or all are another's.

        Segments that left out records because one of these had them are derived anew.
        """
        if not load_seqs:
            return
        delta = self.store.delta
        leaning = delta.read(duplicate_record.SPEC).where(F.col("of_load_seq").isin(*load_seqs))
        found = {row["load_seq"] for row in collect_rows(leaning.select("load_seq").distinct())}
        self.night.derived = frozenset(found - set(load_seqs))
        self.night.gone = frame_of(self.tables.read(source_file.SPEC, is_in("load_seq", load_seqs)))
        anew = [*load_seqs, *self.night.derived]
        for table in TABLES:
            is_read = table.refresh is Refresh.LOADED and table.spec is not duplicate_record.SPEC
            if is_read or table.refresh is Refresh.APPEND or table.spec is duplicate_record.SPEC:
                delta.delete_segments(table.spec, load_seqs if is_read else anew)
                self.tables.note_version(table.spec)

    def find_duplicates(self) -> bool:
        """Compares the new segments with those of other files of their nodes that tell of the same time.

        Whether older segments have to be derived anew: see `take_back`.
        """
        found = self.overlap_of_logs()
        if found.is_empty():
            return False
        delta = self.store.delta
        segments = delta.read(source_file.SPEC)
        overlap = self.store.spark.createDataFrame(found.to_dicts(), OVERLAP)
        rows, overlap = brought(duplicates.of_whole_files(overlap, segments))
        within = [min(one["from_at"] for one in rows), max(one["until_at"] for one in rows)]
        at_once = F.col("logged_at").between(*map(F.lit, within)) | F.col("logged_at").isNull()
        overlapping = delta.read(log_record.SPEC).where(is_among([one["load_seq"] for one in rows]) & at_once)
        compared = duplicates.compared(overlapping, overlap)
        named = delta.read(duplicate_record.SPEC).where(is_among([one["load_seq"] for one in rows]))
        cut = self.cut_short(compared, named)
        twice = duplicates.build(compared, cut)
        self.tables.append_rows(duplicate_record.SPEC, twice.transform(self.of_run))
        is_late = cut is not None and self.take_back(twice)
        self.done(duplicate_record.SPEC, self.rows_of_run(duplicate_record.SPEC))
        return is_late

    def overlap_of_logs(self) -> pl.DataFrame:
        """Segments of one log of one node that tell of the same time as a new one of another file."""
        files = as_one_node(frame_of(self.tables.read(source_file.SPEC)))
        is_new = (col("load_seq") > self.night.before) | col("load_seq").is_in(sorted(self.night.derived))
        near = duplicates.overlaps(files, files.filter(is_new))
        earlier = is_in("load_seq", near["load_seq"].to_list()) & ~self.night.is_of_run()
        names = (*duplicates.SEGMENT, "log", "logged_at")
        own = self.night.columns_of_run(names)
        stored = frame_of(self.tables.read(log_record.SPEC, earlier, names))
        spans = duplicates.spans(pl.concat([own, stored]), near)
        return duplicates.overlaps(spans, spans.filter(is_new), "log")

    def cut_short(self, compared: DataFrame, named: DataFrame) -> DataFrame | None:
        """Which of these records end with their file and are whole in another; None: none."""
        read = self.store.delta.read
        pairs, may_be_cut = brought(duplicates.may_be_cut(compared, named))
        if not pairs:
            return None
        names = {one[name] for one in pairs for name in ("file_id", "of_file_id")}
        of_files = read(source_file.SPEC).where(F.col("file_id").isin(*names)).select("load_seq")
        load_seqs = [row["load_seq"] for row in collect_rows(of_files)]
        # Of these alone bytes are put together.
        ends = {one[name] for one in pairs for name in ("byte_offset", "of_byte_offset")}
        is_before = (F.col("byte_offset") + F.col("byte_length")).isin(*ends)
        records = read(log_record.SPEC).where(is_among(load_seqs) & is_before)
        return brought(duplicates.cut_short(records, may_be_cut))[1]

    def take_back(self, twice: DataFrame) -> bool:
        """Names the records of older segments that are cut short of a new one, and derives these segments anew."""
        delta, night = self.store.delta, self.night
        of_new = twice.where(~column_of(night.is_of_run()) & (F.col("of_load_seq") > night.before))
        named = delta.read(duplicate_record.SPEC).select(*duplicates.RECORD)
        rows, late = brought(of_new.join(named, on=[*duplicates.RECORD], how="left_anti"))
        if not rows:
            return False
        self.tables.append_rows(duplicate_record.SPEC, late.select(*duplicate_record.SPEC.columns))
        load_seqs = {row["load_seq"] for row in rows}
        night.derived |= load_seqs
        for table in TABLES:
            if table.refresh is Refresh.APPEND:
                delta.delete_segments(table.spec, load_seqs)
                self.tables.note_version(table.spec)
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
