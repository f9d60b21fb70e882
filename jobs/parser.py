"""Arguments of a command: what is wrong with them is said in one line."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from jobs.moments import joined_lengths, with_zone
from jobs.text import printable_line

HINT = " (--help says what it takes)"


class Parser(argparse.ArgumentParser):
    """Times stand in the zone that is named for the logs, and may be a length before the end of the data."""

    def parse_known_args(  # type: ignore[override]  # it is overloaded, and this takes what each of them takes
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        words = joined_lengths(sys.argv[1:] if args is None else args)
        given, left = super().parse_known_args(words, namespace)
        return with_zone(given), left

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{printable_line(f'{self.prog}: error: {message}')}{HINT}\n")
