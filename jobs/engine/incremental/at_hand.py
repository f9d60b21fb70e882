"""What a run knows of each table: the rows that it built, and those of earlier runs, read when a kernel asks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from polars import col

from jobs.engine.incremental.night import Night
from pipeline.bronze.shared_files import without_nodes_where_shared
from pipeline.catalog.tables import BY_SHORT_NAME, SPECS, CatalogTable, Refresh
from pipeline.core.conditions import (
    Condition,
    column_before,
    column_differs,
    column_reaching,
    column_since,
    is_in,
)
from pipeline.core.frames import empty_frame, frame_of
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


class AtHand:
    """Tables of one cluster during one run.

    stored_names: tables that hold rows of earlier runs. elsewhere: by name what brings the rows that executors hold;
    None: they have stored them. Reads go to the heads, which under the lock are this run's own.
    """

    def __init__(self, night: Night) -> None:
        self.night = night
        self.stored_names = frozenset(one.name for one in SPECS if night.tables.has_rows(one))
        self.built: dict[str, Built] = {}
        self.elsewhere: dict[str, Callable[[], pl.DataFrame] | None] = {}
        self.kept: dict[tuple[str, str], pl.DataFrame] = {}
        self.reaching: dict[datetime, tuple[int, ...]] = {}

    def note(self, spec: TableSpec, built: Built) -> None:
        self.built[spec.name] = built

    def stored(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Rows of earlier runs that meet the condition; each question is asked once in a run."""
        if spec.name not in self.stored_names:
            return empty_frame(spec).select(columns or spec.columns)
        key = (spec.name, f"{condition} {columns}")
        if key not in self.kept:
            self.kept[key] = frame_of(self.night.tables.read(spec, condition, columns))
        return self.kept[key]

    def whole(self, name: str) -> pl.DataFrame:
        """All rows of the table of that short name."""
        table = BY_SHORT_NAME[name]
        spec, built = table.spec, self.built.get(table.spec.name)
        if built is None and spec.name in self.elsewhere:
            return self.brought(spec)
        if built is None:
            return self.stored(spec)
        if built.is_all:
            return built.rows
        return pl.concat([self.stored(spec, self.is_earlier(table, built)), built.rows])

    def brought(self, spec: TableSpec) -> pl.DataFrame:
        """All rows of a table that executors hold, or have stored: a first run's."""
        bring = self.elsewhere[spec.name]
        if bring is None:
            return frame_of(self.night.tables.read(spec))
        self.note(spec, Built(bring(), is_all=True))
        return self.built[spec.name].rows

    def is_earlier(self, table: CatalogTable, built: Built) -> Condition:
        """True for stored rows that stand beside those that the run built."""
        if table.refresh is Refresh.RUN:
            return column_differs("run_id", self.night.run_id)
        return (
            ~self.night.is_of_run()
            if built.since is None
            else column_before(table.incremental.ordered_by, built.since)
        )

    def since(self, name: str, start: datetime) -> pl.DataFrame:
        """The rows that may tell of the time from `start` on: of a table by segments those of segments that reach it,
        of one by days those that are ordered at or after it, or at no time yet."""
        table = BY_SHORT_NAME[name]
        if table.refresh is Refresh.APPEND:
            return self.of_segments(table, start)
        spec, ordered_by = table.spec, table.incremental.ordered_by
        built = self.built.get(spec.name)
        if built is None:
            return self.stored(spec, column_reaching(ordered_by, start))
        rows = built.rows.filter(column_reaching(ordered_by, start).polars())
        if built.is_all or built.since is None or built.since <= start:
            return rows
        between = column_since(ordered_by, start) & column_before(ordered_by, built.since)
        return pl.concat([self.stored(spec, between), rows])

    def of_segments(self, table: CatalogTable, start: datetime) -> pl.DataFrame:
        numbers, built = self.segments_reaching(start), self.built.get(table.spec.name)
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


def of_each_log(segments: pl.DataFrame) -> pl.DataFrame:
    """Segments with_file_from_at(), without_nodes_where_shared(), of a file of several loggers once for each of
    LOGS."""
    logs = pl.when(col("log") == "mixed").then(pl.lit(list(LOGS))).otherwise(pl.concat_list("log"))
    return with_file_from_at(without_nodes_where_shared(segments)).with_columns(log=logs).explode("log")


def with_file_from_at(segments: pl.DataFrame) -> pl.DataFrame:
    """Segments with file_from_at, the earliest time in their file."""
    return segments.with_columns(file_from_at=col("first_logged_at").min().over("file_id"))
