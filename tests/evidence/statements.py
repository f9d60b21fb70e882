"""What one statement of a part of the logs is against that of the whole: the same, less, or another one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

Row = dict[str, Any]
SAME, LESS, OTHER = "same", "less", "other"
DOUBT = "doubt"  # the whole knows less than the part: other lines make it doubt what the part is sure of
UNDETERMINED = "undetermined"
NEAR = timedelta(seconds=1)
# KRaft: brokers print one change so far apart; it is known from the first line on.
APART = timedelta(seconds=3)
LATEST_UTC = datetime.max.replace(tzinfo=UTC)


class Said(NamedTuple):
    """One statement of a part: outcome, and of one that is other what it says and what the whole says."""

    outcome: str
    what: str = ""


class Frame(NamedTuple):
    """The time that the part covers: what happens behind it it cannot say, and nothing before."""

    from_at: datetime
    until_at: datetime


Compared = Callable[[list[Row], list[Row], Frame], Iterator[Said]]


def value(row: Row, name: str, told: Any, true: Any, unknown: Sequence[Any] = ()) -> Said:
    """One value of a row of the part: told, where the whole has true."""
    if told == true:
        return Said(SAME)
    if told is None or told in unknown:
        return Said(LESS)
    if isinstance(told, datetime) and isinstance(true, datetime) and abs(told - true) <= NEAR:
        return Said(SAME)
    return Said(OTHER, f"{title(row)} {name}: {shown(told)}, whole {shown(true)}")


def title(row: Row) -> str:
    names = ("topic", "partition", "broker_id", "term_id", "controller_id", "rule", "entity")
    times = (
        "valid_from_at",
        "noticed_at",
        "elected_at",
        "joined_at",
        "checked_at",
        "logged_at",
        "started_at",
    )
    parts = [f"{name}={row[name]}" for name in names if row.get(name) is not None]
    parts += [shown(row[name]) for name in times if row.get(name) is not None][:1]
    return " ".join([*parts, str(row.get("certainty", ""))])


def shown(told: Any) -> str:
    return told.strftime("%d %H:%M:%S.%f")[:-3] if isinstance(told, datetime) else str(told)


def by(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return groups


def certain(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["certainty"] != UNDETERMINED]


def values(row: Row, true: Row, names: Iterable[str], unknown: Sequence[Any] = ()) -> Iterator[Said]:
    for name in names:
        yield value(row, name, row[name], true[name], unknown)


def nearest(choices: Iterable[list[Said]]) -> Said:
    """Of the rows of the whole that one may be, the one that it fits best."""
    best = min(choices, key=lambda said: sum(one.outcome == OTHER for one in said))
    return worst(best)


def worst(said: Sequence[Said]) -> Said:
    for outcome in (OTHER, DOUBT, LESS):
        found = [one for one in said if one.outcome == outcome]
        if found:
            return Said(outcome, "; ".join(one.what for one in found if one.what))
    return Said(SAME)


def clipped(at: datetime | None, frame: Frame) -> datetime | None:
    return None if at is None or at > frame.until_at - NEAR else at


def meeting(
    row: Row, whole: Iterable[Row], begin: Sequence[str], end: str, frame: Frame, near: timedelta = NEAR
) -> list[Row]:
    """Of the rows of the whole those that are there while the row of the part is. begin: the columns of which the first
    that is known is when one begins; end: when it ends, null while it goes on."""

    def begun(one: Row) -> datetime:
        found: datetime = next(one[name] for name in begin if one[name] is not None)
        return found - near

    until_at = row[end] or frame.until_at
    return [one for one in whole if begun(one) <= until_at and begun(row) <= (one[end] or LATEST_UTC)]
