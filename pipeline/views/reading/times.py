"""Conditions on rows of a time."""

from datetime import UTC, datetime, timedelta

from pipeline.core.conditions import (
    Condition,
    IsNull,
    all_conditions,
    column_before,
    column_reaching,
)


def holds_at(at: datetime | None, begin: str = "valid_from_at", end: str = "valid_until_at") -> Condition:
    """The interval of a row holds at a time; at the end of the data if none is given."""
    if at is None:
        return IsNull(end)
    # Times are whole microseconds: what begins before the next one has begun by then.
    following = at + timedelta(microseconds=1)
    return column_before(begin, following) & column_reaching(end, following)


def reached_since(column: str, since: datetime | None) -> Condition | None:
    """Rows that are not before a time; all if none is given."""
    return None if since is None else column_reaching(column, since)


def moved_since(since: datetime | None) -> Condition | None:
    """Moves of that time or later; by the running maximum of their times, which is no earlier, they are stored."""
    return all_conditions(reached_since("logged_at", since), reached_since("ordered_at", since))


def begin_of_utc_day(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
