"""Times that people give: `--at`, `--since`, `--until` of every command, one parser and one sentence when it fails."""

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import NoReturn
from zoneinfo import ZoneInfo

from jobs.argument_types import Takes
from jobs.text import printable_line
from pipeline.core.clocks import day_clock
from pipeline.core.errors import InputProblem

# As people write them: as timedelta names them.
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
ALL_UNITS = UNITS | {"ms": "milliseconds", "min": "minutes"}
PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)", re.ASCII)
LENGTH = rf"(?:{PART.pattern}\s*)+"
AGO = re.compile(rf"-\s*({LENGTH})|({LENGTH})\s+ago", re.ASCII)
DAY = re.compile(r"(today|yesterday)(?:[ T](.+))?", re.IGNORECASE)
EPOCH = re.compile(r"\d{9,10}(?:\.\d+)?|\d{12,13}", re.ASCII)
MILLISECONDS = 100_000_000_000  # from so many on
FORMS = "2026-11-21T09:00:13, 09:00:13 or yesterday 22:00 of the last day of the data, -10m or '10m ago' before its end"
SHOWN = 40
Resolve = Callable[[datetime, tzinfo], datetime]


@dataclass(frozen=True)
class AskedTime:
    """A time as it was given. resolve: which time it is, of the data's end and the zone of times that name none."""

    text: str
    resolve: Resolve
    zone: tzinfo = UTC

    def before_end(self, last: datetime) -> datetime:
        """last: the end of the data, which a clock, a day and what is so long ago go by. InputProblem: the calendar
        ends before."""
        try:
            return self.resolve(last.astimezone(self.zone), self.zone).astimezone(UTC)
        except OverflowError:
            raise InputProblem(
                expected=f"a time of the years 1 to 9999, from the end of the data, {day_clock(last)} UTC",
                found=printable_line(self.text[:SHOWN]),
                todo="give another time",
            ) from None

    def __repr__(self) -> str:
        return self.text


Moment = datetime | time | AskedTime | None


def asked_moment(given: Moment, last: datetime) -> datetime | None:
    """last: the end of the data."""
    if isinstance(given, AskedTime):
        return given.before_end(last)
    return datetime.combine(last.date(), given).astimezone(UTC) if isinstance(given, time) else given


def parse_moment(text: str) -> AskedTime:
    """ISO, a clock, a day and a clock, a length before the end of the data, or seconds since 1970."""
    said = text.strip()
    if EPOCH.fullmatch(said):
        number = float(said)
        seconds = number / 1000 if number >= MILLISECONDS else number
        return AskedTime(text, lambda _, __: datetime.fromtimestamp(seconds, UTC))
    if AGO.fullmatch(said):
        length = length_of(said)
        return AskedTime(text, lambda last, _: last - length)
    if day := DAY.fullmatch(said):
        back = timedelta(days=day[1].lower() == "yesterday")
        of_day = parse_clock(day[2] or "00:00", text)
        return AskedTime(text, lambda last, zone: at_clock(last - back, of_day, zone))
    if (clock := clock_or_none(said)) is not None:
        return AskedTime(text, lambda last, zone: at_clock(last, clock, zone))
    return iso_moment(said, text)


def parse_asked(text: str) -> AskedTime:
    """The same of a program's text. InputProblem: it is none."""
    try:
        return parse_moment(text)
    except argparse.ArgumentTypeError as problem:
        raise InputProblem(
            expected=f"a time such as {FORMS}", found=text[:SHOWN], todo="give it so"
        ) from problem


def iso_moment(said: str, text: str) -> AskedTime:
    try:
        found = datetime.fromisoformat(said)
        found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        refuse(text)
    return AskedTime(text, lambda _, zone: found if found.tzinfo else found.replace(tzinfo=zone))


def refuse(text: str) -> NoReturn:
    raise argparse.ArgumentTypeError(
        f"expected a time such as {FORMS}, or seconds since 1970; found {text[:SHOWN]!r}"
    )


def length_of(said: str) -> timedelta:
    try:
        parts = (timedelta(**{ALL_UNITS[unit]: float(count)}) for count, unit in PART.findall(said))
        return sum(parts, timedelta())
    except OverflowError:
        refuse(said)


def clock_or_none(said: str) -> time | None:
    try:
        return time.fromisoformat(said) if ":" in said else None
    except ValueError:
        return None


def parse_clock(said: str, text: str) -> time:
    clock = clock_or_none(said)
    if clock is None:
        refuse(text)
    return clock


def at_clock(day: datetime, clock: time, zone: tzinfo) -> datetime:
    return datetime.combine(day.date(), clock, clock.tzinfo or zone)


def on_zone(arguments: Takes) -> None:
    """Of a question of a warehouse, whose logs have their zones already."""
    arguments.add_argument(
        "--zone", type=parse_zone_name, metavar="AREA/CITY", help="of times given here that name none (UTC)"
    )


def parse_zone_name(text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (OSError, ValueError, KeyError):
        raise argparse.ArgumentTypeError(
            f"expected a zone such as UTC or Europe/Berlin, found {text[:SHOWN]!r}"
        ) from None


def with_zone(given: argparse.Namespace) -> argparse.Namespace:
    """Its times that name no zone are of the one that it names for the logs. One that is none is refused with the
    settings."""
    try:
        zone = ZoneInfo(getattr(given, "zone", None) or "UTC")
    except (OSError, ValueError, KeyError):
        return given
    for dest, value in vars(given).items():
        if isinstance(value, AskedTime):
            setattr(given, dest, replace(value, zone=zone))
    return given


def joined_lengths(words: Sequence[str], flags: Sequence[str] = ("--at", "--since", "--until")) -> list[str]:
    """Arguments of which a length such as -10m, which looks like a flag, is one with the flag before it."""
    found: list[str] = []
    for word in words:
        is_length = bool(found) and found[-1] in flags and AGO.fullmatch(word)
        found[-1:] = [f"{found[-1]}={word}"] if is_length else [*found[-1:], word]
    return found
