"""The records of a cluster whose logs go on: what is new is read at each look, what is older than the window goes."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

import polars as pl
import pyarrow as pa
from polars import col

from jobs.engine.incremental.night import Night
from jobs.engine.intake.bronze_writer import Intake
from jobs.engine.intake.segments import SEEN
from jobs.engine.run.looking import LogLookResult
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import IS_KRAFT, RunRequest
from jobs.engine.run.work import Work
from jobs.incident.in_memory import (
    AnalyzedLogs,
    Loaded,
    RecordsInMemory,
    judge_loaded,
    load_into_memory,
    note_files,
    run_id_now,
    zones_of,
)
from pipeline.core.frames import declared_table, frame_of
from pipeline.store.runs.published import Published
from schemas.bronze import duplicate_record, file_sighting, log_record, source_file

# Of a file with more segments those before the newest become one: each look brings one.
MOST_SEGMENTS = 8
# What is over the window goes down to this share of it, so that not each look takes some away.
KEPT_SHARE = 0.75
COUNTED = ("record_count", "understood_count", "record_bytes")
PLACED = ("file_id", "byte_offset", "byte_length", "logged_at")


class HeldLogs:
    """Of one cluster. window_bytes: so many of its logs are held; from_at: records before it are held no more; None:
    all are there. refused: why files are left out of the answer that were read."""

    def __init__(self, window_bytes: int) -> None:
        self.window_bytes = window_bytes
        self.stored = RecordsInMemory()
        self.from_at: datetime | None = None
        self.load_seq, self.is_kraft = 0, False
        self.refused: dict[str, str] = {}
        self.answer: AnalyzedLogs | None = None

    def look(
        self, request: RunRequest, progress: Progress, require_room: Callable[[LogLookResult], None]
    ) -> AnalyzedLogs:
        """The answer by what is there now: that of the look before where nothing came.

        NothingToRead: no file is a log of Kafka so far. GateFailed: as analyze_logs.
        """
        run_id = run_id_now()
        before = Published(counts={"load_seq": self.load_seq, IS_KRAFT: int(self.is_kraft)})
        read = load_into_memory(request, run_id, progress, require_room, {}, self.stored, before)
        self.load_seq, self.is_kraft = read.work.load_seq, read.found.is_kraft
        read.found.states.update(read_states(read.found))
        if self.answer is not None and not read.work.planned.segments:
            self.stored.append(file_sighting.SPEC, read.found.loader.sightings(read.work.planned))
            read.found.states.update(refused_states(read, self.refused))
            note_files(self.answer.result, read.found.states)
        else:
            if self.trim():
                read.work.intake.night.forget_records()
            self.stored.built = set()
            self.answer = judge_loaded(request, run_id, self.in_one_zone(request, run_id, read))
        self.forget_sightings()
        self.join_segments()
        return self.answer

    def in_one_zone(self, request: RunRequest, run_id: str, read: Loaded) -> Loaded:
        """Without the records of nodes that log in another time zone than most, whose files are told as refused: they
        may be known to be of the same zone once more is read."""
        zones = zones_of(request.cluster_id, self.stored)
        if not zones:
            self.refused = {}
            return read
        files = frame_of(self.stored.read(source_file.SPEC))
        is_other = col("node_id").is_in([*zones]) & ~col("is_shared").fill_null(value=False)
        others = dict(files.filter(is_other).select("path", "node_id").iter_rows())
        view = without_segments(self.stored, files.filter(is_other)["load_seq"].to_list())
        said = pl.DataFrame({"path": [*others], "said": [zones[one] for one in others.values()]})
        seen = frame_of(read.found.loader.sightings(read.work.planned))
        rows = pl.concat([frame_of(self.stored.read(file_sighting.SPEC)), seen])
        rows = rows.join(said, on="path", how="left") if others else rows.with_columns(said=pl.lit(None))
        refused = rows.with_columns(
            state=pl.when(col("said").is_null()).then("state").otherwise(pl.lit("contradictory")),
            sentence=pl.coalesce("said", "sentence"),
        )
        view.append(file_sighting.SPEC, declared_table(refused.drop("said"), file_sighting.SPEC))
        self.refused = {path: zones[node] for path, node in others.items()}
        read.found.states.update(refused_states(read, self.refused))
        self.stored.append(file_sighting.SPEC, declared_table(seen, file_sighting.SPEC))
        night = Night(view, request.settings, request.cluster_id, run_id, self.load_seq, frozenset())
        work = Work(Intake(read.found.loader, view, night, read.gate.enter), read.gate, read.work.progress)
        work.intake.totals = read.work.intake.totals
        return Loaded(view, read.found, work, read.gate)

    def trim(self) -> bool:
        """Takes out the oldest records where there are more than the window holds, and says so. The newest stay however
        long they are, all where none has a time. What files were read is known on."""
        lengths = self.stored.records["byte_length"].to_numpy()
        if not lengths.size or lengths.sum() <= self.window_bytes:
            return False
        placed = frame_of(self.stored.records.select(PLACED)).with_row_index("row")
        in_order = placed.sort("file_id", "byte_offset").with_columns(
            at=col("logged_at").forward_fill().over("file_id")
        )
        newest = in_order.sort("at", descending=True, nulls_last=True).with_columns(
            held=col("byte_length").cum_sum()
        )
        within = newest.filter(col("held") <= self.window_bytes * KEPT_SHARE)
        kept = within["at"].min() or newest["at"].max()
        if not isinstance(kept, datetime):
            return False
        is_kept = (in_order.sort("row")["at"] >= kept).fill_null(value=False)
        if is_kept.all():
            return False
        self.from_at = kept
        self.stored.records = self.stored.records.filter(is_kept.to_arrow())
        self.count_records_anew()
        return True

    def count_records_anew(self) -> None:
        """bronze.source_file says of each segment what is held of it."""
        files = frame_of(self.stored.read(source_file.SPEC))
        held = frame_of(
            self.stored.read(log_record.SPEC, None, ("load_seq", "event", "byte_length", "logged_at"))
        )
        counted = held.group_by("load_seq").agg(
            pl.len().cast(pl.Int64).alias("record_count"),
            col("event").is_not_null().sum().cast(pl.Int64).alias("understood_count"),
            col("byte_length").sum().cast(pl.Int64).alias("record_bytes"),
            col("logged_at").min().alias("first_logged_at"),
            col("logged_at").max().alias("last_logged_at"),
        )
        names = counted.columns[1:]
        rows = (
            files.drop(names)
            .join(counted, on="load_seq", how="left")
            .with_columns(col(*COUNTED).fill_null(0))
        )
        self.stored.replace(source_file.SPEC, declared_table(rows, source_file.SPEC))

    def forget_sightings(self) -> None:
        """But for the newest of each path."""
        rows = frame_of(self.stored.read(file_sighting.SPEC))
        newest = rows.sort("run_id", *SEEN).unique("path", keep="last")
        self.stored.replace(file_sighting.SPEC, declared_table(newest, file_sighting.SPEC))

    def join_segments(self) -> None:
        """The newest segment of a file stays apart: what it ends with may turn out longer."""
        files = frame_of(self.stored.read(source_file.SPEC)).sort("load_seq")
        many = files.filter(pl.len().over("file_id") > MOST_SEGMENTS)
        older = many.filter(col("load_seq") < col("load_seq").max().over("file_id"))
        if older.is_empty():
            return
        joined = older.group_by("file_id", maintain_order=True).agg(
            col(*COUNTED).sum(),
            col("start_offset", "first_logged_at").min(),
            col("last_logged_at").max(),
            col("load_seq").alias("of"),
            pl.exclude("file_id", "start_offset", "first_logged_at", "last_logged_at", *COUNTED).last(),
        )
        became = dict(joined.select("of", "load_seq").explode("of").iter_rows())
        rest = files.join(older, on="load_seq", how="anti")
        rows = pl.concat([rest, joined.select(rest.columns)])
        self.stored.replace(source_file.SPEC, declared_table(rows, source_file.SPEC))
        records = self.stored.records
        numbers = pl.Series(records["load_seq"]).replace(became)
        at = records.schema.get_field_index("load_seq")
        column = pa.chunked_array([numbers.to_arrow()], records.schema.field(at).type)
        self.stored.records = records.set_column(at, records.schema.field(at), column).combine_chunks()
        twice = frame_of(self.stored.read(duplicate_record.SPEC))
        if not twice.is_empty():
            renamed = twice.with_columns(col("load_seq", "of_load_seq").replace(became))
            self.stored.replace(duplicate_record.SPEC, declared_table(renamed, duplicate_record.SPEC))


def refused_states(read: Loaded, refused: Mapping[str, str]) -> dict[str, tuple[str, str | None]]:
    """refused: by path as tables name it."""
    stored = {path: read.found.loader.stored_path(path) for path in read.found.states}
    return {path: ("contradictory", refused[at]) for path, at in stored.items() if at in refused}


def read_states(found: LogLookResult) -> dict[str, tuple[str, str | None]]:
    """Of files whose bytes earlier looks had read under this or another name."""
    return {
        path: ("read", None)
        for path, one in found.states.items()
        if one in (("known", None), ("held_back", None))
    }


def without_segments(stored: RecordsInMemory, load_seqs: Collection[int]) -> RecordsInMemory:
    """The same tables without what these segments hold; without sightings."""
    view = RecordsInMemory()
    view.records = stored.records
    view.rows = {name: rows for name, rows in stored.rows.items() if name != file_sighting.SPEC.name}
    for spec in (log_record.SPEC, source_file.SPEC, duplicate_record.SPEC):
        view.delete_segments(spec, load_seqs)
    return view
