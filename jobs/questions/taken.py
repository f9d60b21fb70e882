"""The arguments that questions take."""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path

from jobs.argument_types import Takes
from jobs.moments import UNITS, parse_moment
from jobs.questions.gauges import parse_step_seconds
from jobs.questions.given_names import finding_name, node_id, term_name, topic_partition
from jobs.questions.imbalance import parse_percentage

LENGTH = re.compile(r"^(\d+)(s|m|h|d)$")


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
    """An argument as argparse takes it.

    program: its type as programs give it, an assistant for one.
    is_file: it names a file of who asks, which nobody else may.
    """

    flag: str
    metavar: str
    help: str
    parse: Callable[[str], object] = str
    dest: str | None = None
    default: object = None
    program: type = str
    is_file: bool = False

    def add_to(self, arguments: Takes) -> None:
        """Adds it to a parser or a group of one. An argument without metavar is given or not."""
        if not self.metavar:
            arguments.add_argument(self.flag, action="store_true", dest=self.dest, help=self.help)
            return
        named = {"dest": self.dest, "default": self.default} if self.flag.startswith("-") else {}
        arguments.add_argument(self.flag, type=self.parse, metavar=self.metavar, help=self.help, **named)

    def __str__(self) -> str:
        return f"{self.flag} {self.metavar}".rstrip() if self.flag.startswith("-") else self.metavar


TIME_HELP = (
    "2026-11-21T09:00:13, 09:00:13, 'yesterday 22:00', -10m or '10m ago' before the end of the data; UTC"
)
TAKES = {
    "at": Taken("--at", "TIME", f"{TIME_HELP} (the end of the data)", parse_moment, "at"),
    "since": Taken("--since", "TIME", "what was so then or later, UTC (all)", parse_moment, "since"),
    "until": Taken("--until", "TIME", "what was so before it, UTC (all)", parse_moment, "until"),
    "around": Taken(
        "--around",
        "LENGTH",
        "before and after: 30s, 5m, 2h (5m)",
        parse_length,
        "around",
        timedelta(minutes=5),
    ),
    "all": Taken("--all", "", "also what matters less", dest="all", program=bool),
    "every_line": Taken(
        "--every-line",
        "",
        "all lines of both sides about the partition, not the first two of each request",
        dest="every_line",
        program=bool,
    ),
    "topic": Taken("--topic", "NAME", "only this topic", dest="topic"),
    "number": Taken("--partition", "N", "with --topic: only this partition", int, "number", program=int),
    "broker": Taken("--broker", "ID", "only this broker", node_id, "broker", program=int),
    "controller": Taken(
        "--controller",
        "N",
        "as controller N itself knew it then, by its own lines; also one that was deposed and did not know it",
        int,
        "controller",
        program=int,
    ),
    "partitions": Taken(
        "--partitions", "", "every partition, also those that are well", dest="partitions", program=bool
    ),
    "open": Taken(
        "--open", "", "by partition those that go on at the end of the data", dest="open", program=bool
    ),
    "threshold": Taken(
        "--threshold",
        "PERCENT",
        "what if the limit were so (that of the settings)",
        parse_percentage,
        "threshold",
        program=float,
    ),
    "every": Taken(
        "--every",
        "SECONDS",
        "openmetrics: a sample so often while a value holds, below 300 (60)",
        parse_step_seconds,
        "every",
        60,
        program=int,
    ),
    "compare": Taken(
        "--compare",
        "FILE",
        "what kafka-topics --describe printed then: leader, replicas and ISR of each partition beside the logs'",
        Path,
        "compare",
        is_file=True,
    ),
    "output": Taken("--output", "FILE", "where --format parquet goes", dest="output", is_file=True),
    "partition": Taken("partition", "TOPIC-N", "for example orders-0", topic_partition),
    "node": Taken("node", "BROKER", "the id of a broker: 3 or broker-3", node_id),
    "finding": Taken("finding", "F1", "number on the first screen, or finding_id", finding_name),
    "term": Taken("term", "N", "controller epoch, or term_id such as 1-7", term_name),
}
