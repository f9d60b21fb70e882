"""From when on each table of a run is built: the dirty day, an earlier one of which verdicts change, and lookbacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
from polars import col

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.dirty_days import LATE, dirty_at, first_affected_time, watched_difference
from jobs.engine.incremental.night import Night
from pipeline.catalog.tables import (
    BY_SHORT_NAME,
    CARRIED_BY_DAY,
    LINES_BY_DAYS,
    TABLES,
    CatalogTable,
    Refresh,
)
from pipeline.core.conditions import column_before, column_reaching
from pipeline.core.incremental import Watch, begin_of_day, earliest_time, watched_tables
from pipeline.core.span import Span
from pipeline.model.metadata.stretches import changed_since
from schemas.bronze import metadata_part

NEVER = datetime(9999, 1, 1, tzinfo=UTC)
CHANGES_LINES = tuple(watch for table in TABLES for watch in table.incremental.changes_lines)
CHANGES_VERDICTS = tuple(watch for table in TABLES for watch in table.incremental.changes_verdicts)
# Tables of which the rows of before are compared with those of now.
WATCHED = tuple(sorted({name for one in (*CHANGES_LINES, *CHANGES_VERDICTS) for name in watched_tables(one)}))


@dataclass(frozen=True)
class BuildDays:
    """start: from when on, by its `ordered_by`, a run replaces the rows of a table; None: all of them, or none, as rows
    of its segments are added. inputs: the time of which its kernel takes rows."""

    start: datetime | None
    inputs: Span


class Starts:
    """Days of one run. Before any table is written it keeps the watched tables as they were.

    dirty_from: the first day of which lines are new or other ones; None: there is none. judged_from: that day, or an
    earlier one of which verdicts change.
    """

    def __init__(self, night: Night, at_hand: AtHand) -> None:
        self.night, self.at_hand = night, at_hand
        self.earlier = {name: at_hand.stored(BY_SHORT_NAME[name].spec) for name in WATCHED}
        self.dirty_from: datetime | None = None
        self.judged_from: datetime | None = None
        self.reopened_from: dict[str, datetime] = {}
        self.is_dirty_known = self.is_judged_known = False

    @property
    def is_by_days(self) -> bool:
        """False if the lines of controllers are built from everything, and so what stands on them."""
        return all(self.night.is_fresh(one) for one in LINES_BY_DAYS)

    def days_of(self, table: CatalogTable) -> BuildDays | None:
        """The days of a table, once the tables that they follow from are built; None: nothing of it changes."""
        self.find_days(table)
        is_tail = table.refresh is Refresh.INCREMENTAL and self.night.is_fresh(table)
        if is_tail and self.is_by_days and self.dirty_from is None:
            return None
        return BuildDays(self.start_of(table), Span(self.begin_of(table)))

    def find_days(self, table: CatalogTable) -> None:
        """Finds the days of the run that the table asks for."""
        if table.refresh is not Refresh.INCREMENTAL or not self.is_by_days:
            return
        if not self.is_dirty_known:
            self.find_dirty_day()
        if table.incremental.lookback_days is not None and not self.is_judged_known:
            self.find_judged_day()
        start = self.start_of(table)
        if table.incremental.reopened_from is not None and start is not None:
            reopened = table.incremental.reopened_from(self.at_hand, start)
            self.reopened_from |= {} if reopened is None else {table.spec.name: reopened}

    def find_dirty_day(self) -> None:
        segments = self.segments()
        lines_at = dirty_at(segments, self.difference(CHANGES_LINES))
        records_at = changed_since(self.at_hand.stored(metadata_part.SPEC), self.night.metadata_before)
        at = earliest_time(
            lines_at and first_affected_time(segments, lines_at), records_at and records_at - LATE
        )
        self.dirty_from = at and begin_of_day(at)
        self.is_dirty_known = True

    def find_judged_day(self) -> None:
        """The dirty day, or an earlier one of which its lines change verdicts."""
        self.is_judged_known = True
        if self.dirty_from is None:
            return
        of_lines = (
            one.incremental.verdicts_from(self.at_hand, self.dirty_from)
            for one in TABLES
            if one.incremental.verdicts_from is not None
        )
        at = earliest_time(self.difference(CHANGES_VERDICTS), *of_lines)
        self.judged_from = self.dirty_from if at is None else min(self.dirty_from, begin_of_day(at))

    def difference(self, watches: tuple[Watch, ...]) -> datetime | None:
        """The earliest time that a difference between the watched tables now and as they were reaches."""
        now = {name: self.at_hand.whole(name) for one in watches for name in watched_tables(one)}
        return watched_difference(watches, now, self.earlier)

    def earlier_days(
        self, table: CatalogTable, days: BuildDays, rows: pl.DataFrame, given: Mapping[str, Any]
    ) -> BuildDays | None:
        """Where rows of the table tell of the time before its start something else than what is stored: days from the
        first of these on, of this table and of all that follow. given: what its kernel took; None: they do not."""
        changed_from = table.incremental.changed_from
        at = None if days.start is None or changed_from is None else changed_from(rows, given, days.start)
        if at is None:
            return None
        self.judged_from = begin_of_day(at)
        return self.days_of(table)

    def segments(self) -> pl.DataFrame:
        """All of bronze.source_file and those that were taken out, with status: old, new or gone."""
        night = self.night
        is_new = (col("load_seq") > night.before) | col("load_seq").is_in(sorted(night.derived))
        status = pl.when(is_new).then(pl.lit("new")).otherwise(pl.lit("old"))
        gone = night.gone.with_columns(status=pl.lit("gone"))
        return pl.concat([self.at_hand.source_files().with_columns(status=status), gone])

    def start_of(self, table: CatalogTable) -> datetime | None:
        """From when on, by its `ordered_by`, the run builds a table; None: all of it, or the rows of its segments."""
        kept_in = {kept for name, kept in CARRIED_BY_DAY.items() if name in table.inputs}
        carries_on = kept_in <= self.night.fresh
        if table.refresh is not Refresh.INCREMENTAL or not self.night.is_fresh(table) or not carries_on:
            return None
        lookback = table.incremental.lookback_days
        if lookback is None or self.judged_from is None:
            return self.dirty_from
        start = self.judged_from - timedelta(days=lookback)
        return min(start, self.reopened_from.get(table.spec.name, start))

    def begin_of(self, table: CatalogTable) -> datetime | None:
        """Where the inputs of a table begin: at its start, or with its first row that reaches it; earlier where what
        was said before it counts, and where it asks for more."""
        if table.refresh is Refresh.FULL:
            return self.begin_of_days(table)
        start, incremental = self.start_of(table), table.incremental
        if start is None:
            return None
        begin = start
        if incremental.begun_by:
            reaches = column_before(incremental.begun_by, start) & column_reaching(
                incremental.ordered_by, start
            )
            first = self.at_hand.stored(table.spec, reaches)[incremental.begun_by].min()
            begin = min(begin, first) if isinstance(first, datetime) else begin
        return self.with_earlier_inputs(table, begin - timedelta(minutes=incremental.lookback_minutes))

    def begin_of_days(self, table: CatalogTable) -> datetime | None:
        """From when on a table that is built whole takes lines that are taken by days; None: all of them, as nothing
        of it is kept."""
        takes_days = any(is_taken_by_days(name) for name in table.inputs)
        if not takes_days or not (self.is_by_days and self.night.is_fresh(table)):
            return None
        changed = earliest_time(self.dirty_from, self.judged_from)
        return NEVER if changed is None else self.with_earlier_inputs(table, changed)

    def with_earlier_inputs(self, table: CatalogTable, begin: datetime) -> datetime:
        inputs_from = table.incremental.inputs_from
        earlier = None if inputs_from is None else inputs_from(self.at_hand, begin)
        return begin if earlier is None else min(begin, earlier)


def is_taken_by_days(name: str) -> bool:
    return name in BY_SHORT_NAME and BY_SHORT_NAME[name].incremental.is_taken_by_days
