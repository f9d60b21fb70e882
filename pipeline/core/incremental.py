"""How a table follows the nights: from when on it is built, what it carries from the time before, what reopens it.

The package of a table declares it as INCREMENTAL, in its module `incremental` or beside its build; the engine of nights
reads it from the catalog and names no table itself.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

import polars as pl
from polars import col

from pipeline.core.conditions import Condition, column_before, column_reaching, is_in
from schemas.spec import TableSpec

AFFECTS = "affects_from"
ALL_SINCE = datetime(1, 1, 1, tzinfo=UTC)
A_DAY_OF_MINUTES = 1440
# More names than this are not asked for one by one.
MOST_NAMES = 500


class TablesAtHand(Protocol):
    """The tables of one cluster as a run sees them."""

    def stored(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Rows of earlier runs that meet the condition."""

    def whole(self, name: str, counting: Condition | None = None) -> pl.DataFrame:
        """All rows of the table of that short name; counting: of those of earlier runs that meet it."""

    def since(self, name: str, start: datetime) -> pl.DataFrame:
        """The rows of a table that may tell of the time from `start` on."""

    def topics_since(self, name: str, start: datetime) -> list[str]:
        """The topics of these rows, and of others that the run brings, in order."""

    def source_files(self) -> pl.DataFrame:
        """bronze.source_file, this run's rows included."""

    def segments_reaching(self, start: datetime) -> tuple[int, ...]:
        """load_seq of the segments that may hold lines of the time from `start` on."""


TimeBefore = Callable[[TablesAtHand, datetime], datetime | None]
ReadState = Callable[..., pl.DataFrame]
RowsThatCount = Callable[[TablesAtHand], Condition | None]
# Takes tables by the names of its parameters and gives rows with AFFECTS: from when on other tables rest on them.
Watch = Callable[..., pl.DataFrame]


@dataclass(frozen=True)
class CarriedState:
    """What a kernel that begins at a day has to know of the time before it; kernels take it as a parameter.

    read: gives it, of the tables at hand and the day, and of what it takes by name besides: partials, of the time that
    its kernel takes. nothing: its columns without rows, where all is built. is_of_each_day: its table keeps it day by
    day, and kernels that take it are built by days only if it is fresh.
    """

    read: ReadState
    nothing: pl.DataFrame
    is_of_each_day: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of what it takes beside the tables at hand and the day."""
        return tuple(inspect.signature(self.read).parameters)[2:]


@dataclass(frozen=True)
class Incremental:
    """What a table declares of the nights.

    ordered_by: the column that the first day is held against; empty: the table is not built by days. lookback_days: of
    one that is built by whole days in UTC, how many before the first. begun_by: its rows rest on all that was since
    they began, which this column says: inputs begin with the first row that reaches the first day. lookback_minutes:
    inputs begin so many minutes earlier, as rows rest on what was said just before them.

    carried: by parameter, the states that rows of this table hand to kernels that begin at a day.
    changes_lines, changes_verdicts: what is watched between two versions of tables: a difference has the lines, or only
    what is judged by them, built anew from its AFFECTS on.

    Earlier times, each of the tables at hand and a day, None: no earlier one. verdicts_from: of which lines since the
    day change verdicts. reopened_from: of which they change rows of this table alone. inputs_from: of which the kernel
    takes lines. changed_from: of the rows of the kernel, what it took and the day: of which they say something
    else than is stored.

    counting: of one that is built whole, by short name of what it takes which rows of earlier runs can count; None: all
    of them.

    is_taken_whole: builds by days take all of its rows, as what they say holds until something else is said.
    is_taken_by_days: kernels that are built whole take only its days that are built anew, and find the rest in what
    they had found before. merged: of rows that add up, what makes those of all records of those that parts of the
    records gave. taken: of such rows by segments, what makes those that kernels take: the same however nights cut the
    files.
    """

    ordered_by: str = ""
    lookback_days: int | None = None
    begun_by: str = ""
    lookback_minutes: int = 0
    carried: Mapping[str, CarriedState] = field(default_factory=dict)
    changes_lines: tuple[Watch, ...] = ()
    changes_verdicts: tuple[Watch, ...] = ()
    verdicts_from: TimeBefore | None = None
    reopened_from: TimeBefore | None = None
    inputs_from: TimeBefore | None = None
    changed_from: Callable[[pl.DataFrame, Mapping[str, Any], datetime], datetime | None] | None = None
    counting: Mapping[str, RowsThatCount] = field(default_factory=dict)
    is_taken_whole: bool = False
    is_taken_by_days: bool = False
    merged: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    taken: Callable[[pl.DataFrame], pl.DataFrame] | None = None


def watched_tables(watch: Watch) -> tuple[str, ...]:
    """Short names of the tables that it takes."""
    return tuple(inspect.signature(watch).parameters)


def begin_of_day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def earliest_time(*times: datetime | None) -> datetime | None:
    """The first of the times that there are."""
    return min((one for one in times if one is not None), default=None)


def first_time(rows: pl.DataFrame, name: str) -> datetime | None:
    """The earliest time in a column; None: it has none."""
    found = rows[name].min()
    return found if isinstance(found, datetime) else None


def affected_from(now: pl.DataFrame, before: pl.DataFrame) -> datetime | None:
    """The earliest AFFECTS of rows that only one of two versions of watched columns has; None: none affects any."""
    names = now.columns
    both = pl.concat([now.select(names), before.select(names)]).group_by(names).agg(count=pl.len())
    return first_time(both.filter(col("count") == 1), AFFECTS)


def names_condition(column: str, names: pl.Series) -> Condition | None:
    """Rows of these names, of which some may be null or stand there twice; None, all rows, where there are too many to
    ask for."""
    each = names.drop_nulls().unique().sort()
    return is_in(column, each.to_list()) if len(each) <= MOST_NAMES else None


def intervals_before(
    at_hand: TablesAtHand, spec: TableSpec, from_column: str, until_column: str, start: datetime
) -> pl.DataFrame:
    """Rows of an interval table that begin before the day and reach it: the table is its own state."""
    return at_hand.stored(spec, column_before(from_column, start) & column_reaching(until_column, start))
