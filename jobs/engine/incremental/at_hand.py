"""What a run knows of each table: the rows that it built, and those of earlier runs, read when a kernel asks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from polars import col

from jobs.engine.incremental.night import Night
from pipeline.bronze.shared_files import without_nodes_where_shared
from pipeline.catalog.tables import BY_NAME, BY_SHORT_NAME, SPECS, CatalogTable, Refresh
from pipeline.core.conditions import (
    Condition,
    all_conditions,
    column_before,
    column_differs,
    column_reaching,
    column_since,
    is_in,
)
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.packed_rows import TOPIC
from schemas.bronze import source_file
from schemas.spec import TableSpec

LOGS = ("controller", "state-change")  # of which a file of several loggers may have both


@dataclass(frozen=True)
class Built:
    """Rows that this run built of a table. is_all: there are no others; else `since` is the time of its
    `ordered_by` from which on they replace what was stored, or None where they stand beside it."""

    rows: pl.DataFrame
    is_all: bool
    since: datetime | None = None


@dataclass(frozen=True)
class Held:
    """What executors hold of a table: the rows that the run built, and their topics, which of rows that stand beside
    what is stored may be asked for alone. is_all, since: as of Built."""

    bring: Callable[[], pl.DataFrame]
    topics: Callable[[], Sequence[str]]
    is_all: bool
    since: datetime | None = None


class AtHand:
    """Tables of one cluster during one run.

    stored_names: tables that hold rows of earlier runs. held: by name what executors hold. Reads go to the heads, which
    under the lock are this run's own.
    """

    def __init__(self, night: Night) -> None:
        self.night = night
        self.stored_names = frozenset(one.name for one in SPECS if night.tables.has_rows(one))
        self.built: dict[str, Built] = {}
        self.held: dict[str, Held] = {}
        self.kept: dict[tuple[str, str], pl.DataFrame] = {}
        self.stretches: dict[tuple[str, datetime], tuple[datetime, pl.DataFrame]] = {}
        self.reaching: dict[datetime, tuple[int, ...]] = {}

    def note(self, spec: TableSpec, built: Built) -> None:
        self.built[spec.name] = built

    def built_of(self, spec: TableSpec) -> Built | None:
        """What the run built of a table, brought here if executors hold it."""
        held = self.held.get(spec.name)
        if spec.name not in self.built and held is not None:
            self.note(spec, Built(held.bring(), held.is_all, held.since))
        return self.built.get(spec.name)

    def release(self, name: str) -> None:
        """What executors held of that table is stored."""
        self.held.pop(name, None)
        if name not in self.built and self.night.tables.has_rows(BY_NAME[name].spec):
            self.kept = {key: rows for key, rows in self.kept.items() if key[0] != name}
            self.stretches = {key: rows for key, rows in self.stretches.items() if key[0] != name}
            self.stored_names |= {name}

    def stored(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Rows of earlier runs that meet the condition; each question is asked once in a run."""
        key = (spec.name, f"{condition} {columns}")
        if key not in self.kept:
            self.kept[key] = self.read_stored(spec, condition, columns)
        return self.kept[key]

    def read_stored(
        self, spec: TableSpec, condition: Condition | None, columns: Sequence[str] | None
    ) -> pl.DataFrame:
        if spec.name not in self.stored_names:
            return empty_frame(spec).select(columns or spec.columns)
        return frame_of(self.night.tables.read(spec, condition, columns))

    def whole(self, name: str, counting: Condition | None = None) -> pl.DataFrame:
        """All rows of the table of that short name; counting: of those of earlier runs that meet it."""
        table = BY_SHORT_NAME[name]
        spec, built = table.spec, self.built_of(table.spec)
        if built is None:
            return self.stored(spec, counting)
        if built.is_all:
            return built.rows
        earlier = all_conditions(self.is_earlier(table, built.since), counting)
        return pl.concat([self.stored(spec, earlier), built.rows])

    def is_earlier(self, table: CatalogTable, since: datetime | None) -> Condition:
        """True for stored rows that stand beside those that the run built; since: of Built."""
        if table.refresh is Refresh.RUN:
            return column_differs("run_id", self.night.run_id)
        return (
            ~self.night.is_of_run() if since is None else column_before(table.incremental.ordered_by, since)
        )

    def is_reaching(self, table: CatalogTable, start: datetime) -> Condition:
        """True for the rows that since() gives."""
        if table.refresh is Refresh.APPEND:
            return is_in("load_seq", self.segments_reaching(start))
        return column_reaching(table.incremental.ordered_by, start)

    def topics_since(self, name: str, start: datetime) -> list[str]:
        """The topics of these rows, and of others that the run brings, in order."""
        table = BY_SHORT_NAME[name]
        held = self.held.get(table.spec.name)
        if held is None or table.spec.name in self.built:
            return topics_of(self.since(name, start))
        asked = self.is_reaching(table, start) & self.is_earlier(table, held.since)
        stored = [] if held.is_all else topics_of(self.stored(table.spec, asked, (TOPIC,)))
        return sorted({*stored, *held.topics()})

    def since(self, name: str, start: datetime) -> pl.DataFrame:
        """The rows that may tell of the time from `start` on: of a table by segments those of segments that reach it,
        of one by days those that are ordered at or after it, or at no time yet."""
        table = BY_SHORT_NAME[name]
        if table.refresh is Refresh.APPEND:
            return self.of_segments(table, start)
        spec, ordered_by = table.spec, table.incremental.ordered_by
        built = self.built_of(spec)
        if built is None:
            return self.stored(spec, column_reaching(ordered_by, start))
        rows = built.rows.filter(column_reaching(ordered_by, start).polars())
        if built.is_all or built.since is None or built.since <= start:
            return rows
        return pl.concat([self.stretch(table, start, built.since), rows])

    def stretch(self, table: CatalogTable, start: datetime, until: datetime) -> pl.DataFrame:
        """Stored rows that are ordered from the start on and before `until`. Kernels ask for several starts: the
        longest stretch alone is kept."""
        ordered_by = table.incremental.ordered_by
        key = (table.spec.name, until)
        kept = self.stretches.get(key)
        if kept is None or start < kept[0]:
            asked = column_since(ordered_by, start) & column_before(ordered_by, until)
            kept = self.stretches[key] = (start, self.read_stored(table.spec, asked, None))
        return kept[1].filter(column_since(ordered_by, start).polars()) if kept[0] < start else kept[1]

    def of_segments(self, table: CatalogTable, start: datetime) -> pl.DataFrame:
        numbers, built = self.segments_reaching(start), self.built_of(table.spec)
        among = is_in("load_seq", numbers)
        if built is None:
            return self.stored(table.spec, among)
        rows = built.rows.filter(col("load_seq").is_in(numbers))
        return (
            rows
            if built.is_all
            else pl.concat([self.stored(table.spec, among & ~self.night.is_of_run()), rows])
        )

    def source_files(self) -> pl.DataFrame:
        """bronze.source_file, this run's rows included."""
        if source_file.SPEC.name not in self.built:
            rows = frame_of(self.night.tables.read(source_file.SPEC))
            self.note(source_file.SPEC, Built(rows, is_all=True))
        return self.built[source_file.SPEC.name].rows

    def segments_reaching(self, start: datetime) -> tuple[int, ...]:
        """load_seq of the segments that may hold lines whose running maximum of time reaches `start`.

        The maximum runs over the files of a log of a node in order of their first line: after one that reaches it all
        do.
        """
        if start not in self.reaching:
            files = of_each_log(self.source_files())
            order = ("file_from_at", "file_id", "start_offset")
            of_log = ("cluster_id", "node_id", "log")
            reached = col("last_logged_at").cum_max().forward_fill().over(of_log)
            # In a shared file the lines of one node may begin later than the file.
            late = col("file_from_at").filter(col("last_logged_at") >= start).min().over(of_log)
            may_reach = col("has_shared") & (late <= col("last_logged_at"))
            found = files.sort(*order).filter((reached >= start) | may_reach)
            self.reaching[start] = tuple(found["load_seq"].unique().sort().to_list())
        return self.reaching[start]


def topics_of(rows: pl.DataFrame) -> list[str]:
    return rows[TOPIC].drop_nulls().unique().sort().to_list()


def of_each_log(segments: pl.DataFrame) -> pl.DataFrame:
    """Segments with_file_from_at(), without_nodes_where_shared(), of a file of several loggers once for each of
    LOGS."""
    logs = pl.when(col("log") == "mixed").then(pl.lit(list(LOGS))).otherwise(pl.concat_list("log"))
    return with_file_from_at(without_nodes_where_shared(segments)).with_columns(log=logs).explode("log")


def with_file_from_at(segments: pl.DataFrame) -> pl.DataFrame:
    """Segments with file_from_at, the earliest time in their file."""
    return segments.with_columns(file_from_at=col("first_logged_at").min().over("file_id"))
