"""The bronze part of a run: records of its segments, what was read of which file, which records came twice."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import functions as F

from jobs.building import Builder
from jobs.loading import Loader
from pipeline.bronze import duplicate_record as duplicates
from pipeline.bronze import log_record as log_record_table
from pipeline.bronze.planning import Segment
from pipeline.catalog.tables import SPECS, TABLES, Refresh
from pipeline.store.rows import collect_one, collect_rows
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import duplicate_record, log_record, source_file
from schemas.spec import TableSpec


class Intake:
    """Loads the segments of one run; `done` hears of each table that is written."""

    def __init__(
        self, store: ClusterWarehouse, loader: Loader, builder: Builder, done: Callable[[TableSpec], None]
    ) -> None:
        self.store, self.loader, self.builder, self.done = store, loader, builder, done

    def load(self, segments: Sequence[Segment], *, is_reparsing: bool) -> None:
        """Missing tables are created meanwhile; what follows from records waits for those that came twice."""
        versions = self.builder.versions
        self.store.create_missing((log_record.SPEC,), versions)
        with ThreadPoolExecutor(1) as pool:
            rest = pool.submit(self.store.create_missing, SPECS, versions)
            if is_reparsing:
                rest.result()
                self.reparse()
            if segments:
                self.reopen([one.reopens for one in segments if one.reopens is not None])
                self.builder.write(log_record.SPEC, self.loader.read(segments))
                self.done(log_record.SPEC)
            rest.result()
        if segments:
            records = self.builder.rows_of_run(log_record.SPEC).where(F.col("load_seq") > self.builder.before)
            self.builder.write(source_file.SPEC, self.loader.manifest(segments, records))
            self.done(source_file.SPEC)
            self.find_duplicates()

    def reparse(self) -> None:
        """All stored records understood anew, in the zones that the settings now give their nodes."""
        read, builder = self.store.delta.read, self.builder
        files = self.loader.in_zones(read(source_file.SPEC))
        builder.replace(log_record.SPEC, log_record_table.reparsed(read(log_record.SPEC), files))
        self.done(log_record.SPEC)
        builder.replace(source_file.SPEC, self.loader.recounted(files, read(log_record.SPEC)))
        self.done(source_file.SPEC)

    def reopen(self, load_seqs: Sequence[int]) -> None:
        """Takes out the segments whose last record turned out longer; they are read again.

        Segments that left out records because one of these had them are derived anew.
        """
        if not load_seqs:
            return
        delta = self.store.delta
        leaning = delta.read(duplicate_record.SPEC).where(F.col("of_load_seq").isin(*load_seqs))
        found = {row["load_seq"] for row in collect_rows(leaning.select("load_seq").distinct())}
        self.builder.derived = frozenset(found - set(load_seqs))
        anew = [*load_seqs, *self.builder.derived]
        for table in TABLES:
            is_read = table.refresh is Refresh.LOADED and table.spec is not duplicate_record.SPEC
            if is_read or table.refresh is Refresh.SEGMENTS or table.spec is duplicate_record.SPEC:
                delta.delete_segments(table.spec, load_seqs if is_read else anew)
                self.builder.note_version(table.spec)

    def find_duplicates(self) -> None:
        """Compares the new segments with those of other files of their nodes that tell of the same time."""
        delta, builder = self.store.delta, self.builder
        found = duplicates.overlaps(delta.read(source_file.SPEC), builder.rows_of_run(source_file.SPEC))
        overlap = collect_rows(found)
        if not overlap:
            return
        rows = self.store.spark.createDataFrame(overlap, found.schema)
        least = min(one["load_seq"] for one in overlap)
        records = delta.read(log_record.SPEC).where(F.col("load_seq") >= least)
        twice = duplicates.build(records, rows).transform(builder.of_run)
        builder.write(duplicate_record.SPEC, twice)
        self.done(duplicate_record.SPEC)

    def count(self, segments: Sequence[Segment]) -> dict[str, int]:
        """What this run read."""
        new = self.builder.rows_of_run(source_file.SPEC).where(F.col("load_seq") > self.builder.before)
        totals = collect_one(
            new.agg(
                F.sum("record_count").alias("records"),
                F.sum("understood_count").alias("understood"),
                F.sum("record_bytes").alias("bytes"),
            )
        )
        return {**totals, "files": len({one.file_id for one in segments}), "segments": len(segments)}
