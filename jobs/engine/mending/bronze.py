"""What was read, after damage: whole segments stay, those that a log still holds are read again, the rest is lost."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pyarrow as pa
from polars import col, lit

from jobs.engine.incremental.night import Night
from jobs.engine.intake.bronze_writer import Intake
from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.file_probe import Looker
from jobs.engine.intake.segments import Loader
from jobs.engine.mending import segments as of_segments
from jobs.engine.mending.logs_at_hand import files_at_hand
from jobs.engine.mending.uncounted import count_missing_records, read_again, uncounted_row
from jobs.engine.run.request import IS_KRAFT
from jobs.engine.run.upkeep import Upkeep
from pipeline.core.conditions import is_in
from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.model.lines.lost_segments import UNNAMED, still_lost
from pipeline.store.cluster_tables import ClusterTables
from pipeline.store.health.mending import rows_left
from pipeline.store.runs.published import EXPIRED_BEFORE
from pipeline.store.tables.delta import sql_literal
from schemas.bronze import duplicate_record, file_sighting, log_record, lost_segment, source_file
from schemas.spec import TableSpec

PLACES = ("file_id", "load_seq", "byte_offset", "byte_length")
TOLD = ("cluster_id", "node_id", "log", *PLACES, "event", "logged_at")
# Of these a table stands on.
READ = (log_record.SPEC, source_file.SPEC)
TYPES = empty_frame(lost_segment.SPEC).schema


@dataclass
class BronzeMending:
    """Of one cluster, under its lock. left_in: by damaged table where its data files lie now. candidates: the files
    below --logs; none if no logs were given.

    is_taken_over: of what is published no run is known; all of it is looked at.

    again: files that the next run reads anew. lost: rows of bronze.lost_segment that this repair adds. uncounted:
    records of which nothing is left but their count, settled: such of a repair before that were read again.
    """

    upkeep: Upkeep
    left_in: Mapping[str, Path]
    candidates: Sequence[Candidate]
    is_taken_over: bool = False
    again: frozenset[str] = frozenset()
    lost: pl.DataFrame = field(default_factory=pl.DataFrame)
    uncounted: int = 0
    settled: int = 0

    def __post_init__(self) -> None:
        upkeep = self.upkeep
        self.tables = ClusterTables(upkeep.store, upkeep.run_id, upkeep.versions)

    def mend(self) -> None:
        """All of it; afterwards each row of the manifest has its records, and each record its row. A file of which a
        repair before had to give up a part is read again, too, where a log holds all of it by now."""
        given_up = still_lost(self.read(lost_segment.SPEC), self.read(source_file.SPEC))
        is_damaged = bool({spec.name for spec in READ} & self.left_in.keys())
        if not (is_damaged or self.is_taken_over) and given_up.is_empty():
            return
        self.settle(given_up.filter(col("file_id") == UNNAMED))
        self.take_manifest_left()
        self.take_records_left()
        segments, counts = self.read(source_file.SPEC), self.counts()
        self.note_uncounted(segments, counts)
        if self.is_taken_over:
            self.forget_later_sightings(segments)
        missing = of_segments.segments_with_lost_records(segments, counts, self.expired_before)
        unnamed = of_segments.segments_without_row(segments, counts)
        files = {*missing["file_id"], *unnamed["file_id"], *given_up["file_id"]}
        asked = segments.filter(col("file_id").is_in(sorted(files)))
        self.again = files_at_hand(self.looker(), self.candidates, asked, unnamed["file_id"].to_list())
        self.forget_files(segments, unnamed)
        is_left = ~col("file_id").is_in(sorted(self.again))
        self.name_unnamed(unnamed.filter(is_left), segments)
        self.give_up(missing.filter(is_left))
        left, counts_of_run = self.read(source_file.SPEC), self.upkeep.counts
        counts_of_run["load_seq"] = max(left["load_seq"].to_list(), default=0)
        counts_of_run["total_bytes"] = sum(left["record_bytes"].to_list())

    @property
    def expired_before(self) -> int:
        return self.upkeep.published.counts.get(EXPIRED_BEFORE, 0)

    def read(self, spec: TableSpec, columns: Sequence[str] | None = None) -> pl.DataFrame:
        return frame_of(self.tables.read(spec, None, columns))

    def counts(self) -> pl.DataFrame:
        return of_segments.count_segment_records(self.read(log_record.SPEC, PLACES))

    def left(self, spec: TableSpec) -> pl.DataFrame | None:
        return rows_left(self.left_in[spec.name], spec) if spec.name in self.left_in else None

    def take_manifest_left(self) -> None:
        """Takes back rows of the manifest whose records are there, and out what they replaced before it was damaged."""
        left = self.left(source_file.SPEC)
        if left is None:
            return
        counts = self.counts()
        self.append(source_file.SPEC, of_segments.manifest_left(left, self.read(source_file.SPEC), counts))
        segments = self.read(source_file.SPEC)
        stale = of_segments.replaced_segments(segments)
        if log_record.SPEC.name not in self.left_in:
            gone = of_segments.segments_with_lost_records(segments, counts, self.expired_before)
            stale = pl.concat([stale, gone]).unique()
        self.tables.delete_segments(source_file.SPEC, stale["load_seq"].to_list())

    def take_records_left(self) -> None:
        """Takes back records of segments that become whole by it, and out those of segments that were replaced."""
        left = self.left(log_record.SPEC)
        if left is None:
            return
        segments = self.read(source_file.SPEC)
        missing = of_segments.segments_with_lost_records(segments, self.counts(), self.expired_before)
        found = of_segments.records_left(left, self.read(log_record.SPEC, PLACES), missing)
        self.append(log_record.SPEC, found)
        if source_file.SPEC.name not in self.left_in:
            stale = of_segments.segments_without_row(segments, self.counts())
            self.tables.delete_segments(log_record.SPEC, stale["load_seq"].to_list())

    def name_unnamed(self, unnamed: pl.DataFrame, segments: pl.DataFrame) -> None:
        """Segments of which no log and no row of the manifest is left are told from their records."""
        if unnamed.is_empty():
            return
        load_seqs = unnamed["load_seq"].to_list()
        records = frame_of(self.tables.read(log_record.SPEC, is_in("load_seq", load_seqs), TOLD))
        sighted = self.read(file_sighting.SPEC, ("file_id", "path"))
        rows = of_segments.manifest_of(records, pl.concat([sighted, segments], how="diagonal_relaxed"))
        zone, cluster = self.upkeep.settings.zone_of, self.upkeep.store.cluster_id
        zones = pl.Series("zone", [zone(cluster, node) for node in rows["node_id"]], pl.String)
        self.append(source_file.SPEC, rows.with_columns(zones, run_id=lit(self.upkeep.run_id)))
        torn = set(load_seqs) - set(rows["load_seq"])
        self.tables.delete_segments(log_record.SPEC, torn)

    def note_uncounted(self, segments: pl.DataFrame, counts: pl.DataFrame) -> None:
        """Of tables that are older than what was published: their gap."""
        published = self.upkeep.published
        self.uncounted = count_missing_records(published, segments, counts)
        if not self.uncounted:
            return
        row = uncounted_row(published, segments, self.uncounted)
        ours = {"cluster_id": self.upkeep.store.cluster_id, "lost_run_id": self.upkeep.run_id}
        self.append(lost_segment.SPEC, pl.DataFrame([row | ours], schema_overrides=TYPES))
        self.forget_later_sightings(segments)

    def forget_later_sightings(self, segments: pl.DataFrame) -> None:
        """No path is taken for read because of what a run said of it whose segments may be gone."""
        last = max(segments["run_id"].to_list(), default="")
        self.tables.delete(file_sighting.SPEC, f"run_id >= {sql_literal(last)}")

    def settle(self, gaps: pl.DataFrame) -> None:
        """Takes out what a repair before could not name, where as much was read since."""
        if gaps.is_empty():
            return
        records = self.read(log_record.SPEC, ("load_seq", "logged_at"))
        over = [one for one in gaps.to_dicts() if read_again(one, records)]
        for one in over:
            of_row = f"file_id = {sql_literal(UNNAMED)} AND lost_run_id = {sql_literal(one['lost_run_id'])}"
            self.tables.delete(lost_segment.SPEC, of_row)
        self.settled = sum(one["record_count"] for one in over)

    def forget_files(self, segments: pl.DataFrame, unnamed: pl.DataFrame) -> None:
        """Takes out all that is stored of files that are read again."""
        if not self.again:
            return
        names = pl.concat([one.select("file_id", "load_seq") for one in (segments, unnamed)])
        load_seqs = names.filter(col("file_id").is_in(sorted(self.again)))["load_seq"].to_list()
        for spec in READ:
            self.tables.delete_segments(spec, load_seqs)
        self.forget_sightings(self.again)

    def forget_sightings(self, files: Collection[str]) -> None:
        """So that their paths are looked into anew, and their names are free for the same content."""
        if files:
            among = ", ".join(sql_literal(one) for one in sorted(files))
            self.tables.delete(file_sighting.SPEC, f"file_id IN ({among})")

    def give_up(self, missing: pl.DataFrame) -> None:
        """What is lost for good becomes rows of bronze.lost_segment."""
        self.lost = missing.with_columns(lost_run_id=lit(self.upkeep.run_id))
        self.append(lost_segment.SPEC, self.lost)
        for spec in READ:
            self.tables.delete_segments(spec, missing["load_seq"].to_list())
        left = self.read(source_file.SPEC, ("file_id",))["file_id"]
        self.forget_sightings(set(missing["file_id"]) - set(left))

    def append(self, spec: TableSpec, rows: pl.DataFrame) -> None:
        if not rows.is_empty():
            self.tables.append(spec, declared_table(rows, spec))

    def looker(self) -> Looker:
        settings, cluster_id = self.upkeep.settings, self.upkeep.store.cluster_id
        is_kraft = bool(self.upkeep.published.counts.get(IS_KRAFT))
        return Looker(cluster_id, settings, None, None, is_kraft=is_kraft)

    def find_duplicates(self, done: Callable[[TableSpec, pa.Table], None]) -> None:
        """Compares all segments with one another, as if they had just been read."""
        upkeep = self.upkeep
        self.tables.replace(duplicate_record.SPEC, duplicate_record.SPEC.arrow.empty_table())
        cluster_id, settings = upkeep.store.cluster_id, upkeep.settings
        loader = Loader(cluster_id, settings, upkeep.run_id, self.tables, self.looker())
        night = Night(self.tables, settings, cluster_id, upkeep.run_id, 0, frozenset())
        Intake(loader, self.tables, night, done).find_duplicates()
