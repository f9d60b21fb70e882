"""The arguments of `incident --follow`."""

import argparse
import re
from dataclasses import dataclass

from jobs.argument_types import parse_seconds

EVERY, SETTLE, WINDOW = 5.0, 10.0, 64_000_000
SIZE = re.compile(r"([0-9]{1,12})(?: ?([kMG])?i?B?)?", re.IGNORECASE)
UNITS = {"": 1, "k": 1000, "m": 1_000_000, "g": 1_000_000_000}
LEAST_WINDOW = 1_000_000


@dataclass(frozen=True)
class FollowOptions:
    """Seconds between two looks, and for which a thing stands before it is told; bytes of logs that are held; whether
    metadata logs are read at the end, as `incident` reads them."""

    every: float
    settle: float
    window_bytes: int
    is_metadata_read: bool


def on_following(arguments: argparse.ArgumentParser) -> None:
    arguments.add_argument(
        "--follow",
        action="store_true",
        help="read on as files grow and roll, print what changes; Ctrl-C ends with the whole screen",
    )
    arguments.add_argument(
        "--every",
        type=parse_seconds,
        default=EVERY,
        metavar="SECONDS",
        help="with --follow: between two looks (5)",
    )
    arguments.add_argument(
        "--settle",
        type=parse_seconds,
        default=SETTLE,
        metavar="SECONDS",
        help="with --follow: how long a thing stands in all answers before it is told (10)",
    )
    arguments.add_argument(
        "--window",
        type=parse_window,
        default=WINDOW,
        metavar="SIZE",
        help="with --follow: so much of the newest logs of a cluster is held (64MB)",
    )


def parse_window(text: str) -> int:
    found = SIZE.fullmatch(text.strip())
    size = int(found[1]) * UNITS[(found[2] or "").lower()] if found else 0
    if size < LEAST_WINDOW:
        raise argparse.ArgumentTypeError(f"expected a size of 1MB or more such as 64MB, found {text!r}")
    return size
