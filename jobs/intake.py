"""The bronze part of a run: records of its segments, what was read of which file, which records came twice."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jobs.building import Builder
from jobs.inputs import is_among
from jobs.loading import Loader
from jobs.lost import without_lost
from pipeline.bronze import duplicate_record as duplicates
from pipeline.bronze import log_record as log_record_table
from pipeline.bronze.planning import Plan, Segment
from pipeline.catalog.tables import SPECS, TABLES, Refresh
from pipeline.store.rows import brought, collect_rows
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import duplicate_record, log_record, source_file
from schemas.spec import TableSpec


class Intake:
    """Loads the segments of one run; `done` hears of each table that is written."""

    def __init__(
        self, store: ClusterWarehouse, loader: Loader, builder: Builder, done: Callable[[TableSpec], None]
    ) -> None:
        self.store, self.loader, self.builder, self.done = store, loader, builder, done
        self.totals: dict[str, int] = {}

    def load(self, planned: Plan, *, is_reparsing: bool) -> tuple[Plan, dict[str, tuple[str, str | None]]]:
        """The plan as it came out, and by path what is said of files that changed meanwhile.

        Missing tables are created meanwhile; what follows from records waits for those that came twice.
        """
        versions, segments = self.builder.versions, planned.segments
        self.store.create_missing((log_record.SPEC,), versions)
        with ThreadPoolExecutor(1) as pool:
            rest = pool.submit(self.store.create_missing, SPECS, versions)
            if is_reparsing:
                rest.result()
                self.reparse()
            if segments:
                self.reopen([load_seq for one in segments for load_seq in one.reopens])
                self.builder.write(log_record.SPEC, self.loader.read(segments))
            rest.result()
        if not segments:
            return planned, {}
        records = self.store.delta.read(log_record.SPEC).where(F.col("load_seq") > self.builder.before)
        counted = self.loader.counted(records)
        planned, lost = without_lost(self.store, planned, counted, versions, self.loader.look_again)
        self.done(log_record.SPEC)
        if planned.segments:
            with ThreadPoolExecutor(1) as pool:
                noted = pool.submit(self.builder.note_events)
                self.builder.write(source_file.SPEC, self.loader.manifest(planned.segments, counted))
                self.done(source_file.SPEC)
                is_more = self.find_duplicates()
                noted.result()
                if is_more:
                    self.builder.note_events()
            self.total(planned.segments, counted)
        return planned, lost

    def reparse(self) -> None:
        """All stored records understood anew, in the zones that the settings now give their nodes."""
        read, builder = self.store.delta.read, self.builder
        files = self.loader.recounted({})
        builder.replace(log_record.SPEC, log_record_table.reparsed(read(log_record.SPEC), files))
        self.done(log_record.SPEC)
        counted = self.loader.counted(read(log_record.SPEC))
        builder.replace(source_file.SPEC, self.loader.recounted(counted))
        self.done(source_file.SPEC)

    def reopen(self, load_seqs: Sequence[int]) -> None:
        """Takes out the segments that others replace: their last record turned out longer, or all are another's.

        Segments that left out records because one of these had them are derived anew.
        """
        if not load_seqs:
            return
        delta = self.store.delta
        leaning = delta.read(duplicate_record.SPEC).where(F.col("of_load_seq").isin(*load_seqs))
        found = {row["load_seq"] for row in collect_rows(leaning.select("load_seq").distinct())}
        self.builder.derived = frozenset(found - set(load_seqs))
        _, self.builder.gone = brought(delta.read(source_file.SPEC).where(F.col("load_seq").isin(*load_seqs)))
        anew = [*load_seqs, *self.builder.derived]
        for table in TABLES:
            is_read = table.refresh is Refresh.LOADED and table.spec is not duplicate_record.SPEC
            if is_read or table.refresh is Refresh.SEGMENTS or table.spec is duplicate_record.SPEC:
                delta.delete_segments(table.spec, load_seqs if is_read else anew)
                self.builder.note_version(table.spec)

    def find_duplicates(self) -> bool:
        """Compares the new segments with those of other files of their nodes that tell of the same time.

        Whether older segments have to be derived anew: see `take_back`.
        """
        delta, builder = self.store.delta, self.builder
        segments = delta.read(source_file.SPEC)
        rows, near = brought(duplicates.overlaps(segments, builder.of_run(segments)))
        if not rows:
            return False
        records = delta.read(log_record.SPEC)
        near_ones = records.where(is_among([one["load_seq"] for one in rows]))
        _, spans = brought(duplicates.spans(near_ones, near))
        rows, overlap = brought(duplicates.overlaps(spans, builder.of_run(spans), "log"))
        if not rows:
            return False
        rows, overlap = brought(duplicates.of_whole_files(overlap, segments))
        within = [min(one["from_at"] for one in rows), max(one["until_at"] for one in rows)]
        at_once = F.col("logged_at").between(*map(F.lit, within)) | F.col("logged_at").isNull()
        overlapping = records.where(is_among([one["load_seq"] for one in rows]) & at_once)
        compared = duplicates.compared(overlapping, overlap)
        named = delta.read(duplicate_record.SPEC).where(is_among([one["load_seq"] for one in rows]))
        cut = self.cut_short(compared, named)
        twice = duplicates.build(compared, cut)
        builder.write(duplicate_record.SPEC, twice.transform(builder.of_run))
        is_late = cut is not None and self.take_back(twice)
        self.done(duplicate_record.SPEC)
        return is_late

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
        delta, builder = self.store.delta, self.builder
        of_new = twice.where(~builder.is_of_run() & (F.col("of_load_seq") > builder.before))
        named = delta.read(duplicate_record.SPEC).select(*duplicates.RECORD)
        rows, late = brought(of_new.join(named, on=[*duplicates.RECORD], how="left_anti"))
        if not rows:
            return False
        builder.write(duplicate_record.SPEC, late.select(*duplicate_record.SPEC.columns))
        load_seqs = {row["load_seq"] for row in rows}
        builder.derived |= load_seqs
        for table in TABLES:
            if table.refresh is Refresh.SEGMENTS:
                delta.delete_segments(table.spec, load_seqs)
                builder.note_version(table.spec)
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
