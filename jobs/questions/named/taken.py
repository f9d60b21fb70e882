"""The arguments that questions by name take."""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from jobs.questions.ask import moment_or_clock
from jobs.questions.given_names import node_id, topic_partition

LENGTH = re.compile(r"^(\d+)(s|m|h|d)$")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def parse_length(text: str) -> timedelta:
    """5m is five minutes."""
    found = LENGTH.match(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a length such as 30s, 5m, 2h or 1d, found {text[:40]!r}")
    try:
        return timedelta(**{UNITS[found[2]]: int(found[1])})
    except OverflowError:
        raise argparse.ArgumentTypeError(f"expected at most 999999999d, found {text[:40]!r}") from None


def format_taken_value(value: object) -> str:
    """A value as people write it: a time without its zone, UTC; a length in the largest unit that divides it."""
    if isinstance(value, datetime | time):
        return value.isoformat().removesuffix("+00:00")
    if not isinstance(value, timedelta):
        return str(value)
    units = {one: timedelta(**{name: 1}) for one, name in UNITS.items()}
    unit = next((one for one in reversed(units) if value and not value % units[one]), "s")
    return f"{value // units[unit]}{unit}"


@dataclass(frozen=True)
class Taken:
    """An argument as argparse takes it."""

    flag: str
    metavar: str
    help: str
    type: Callable[[str], object] = str
    dest: str | None = None
    default: object = None

    def add_to(self, arguments: argparse.ArgumentParser) -> None:
        named = {"dest": self.dest, "default": self.default} if self.flag.startswith("-") else {}
        arguments.add_argument(self.flag, type=self.type, metavar=self.metavar, help=self.help, **named)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"{self.flag} {self.metavar}" if self.flag.startswith("-") else self.metavar


TAKES = {
    "at": Taken("--at", "TIME", "UTC (the end of the data)", moment_or_clock, "at"),
    "since": Taken("--since", "TIME", "what was so then or later, UTC (all)", moment_or_clock, "since"),
    "until": Taken("--until", "TIME", "what was so before it, UTC (all)", moment_or_clock, "until"),
    "around": Taken(
        "--around",
        "LENGTH",
        "before and after: 30s, 5m, 2h (5m)",
        parse_length,
        "around",
        timedelta(minutes=5),
    ),
    "topic": Taken("--topic", "NAME", "only this topic", dest="topic"),
    "number": Taken("--partition", "N", "with --topic: only this partition", int, "number"),
    "broker": Taken("--broker", "ID", "only this broker", node_id, "broker"),
    "partition": Taken("partition", "TOPIC-N", "for example orders-0", topic_partition),
    "node": Taken("node", "BROKER", "the id of a broker: 3 or broker-3", node_id),
}
