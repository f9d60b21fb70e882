"""Arguments of a command: what is wrong with them is said in one line."""

import argparse
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from jobs.moments import joined_lengths, with_zone
from jobs.text import printable_line

INVALID = re.compile(r"(?s)(?P<which>.*)invalid choice: '(?P<word>.*)' \(choose from (?P<known>.*)\)")
UNKNOWN = re.compile(r"unrecognized arguments: (?P<word>--[^ =]+)")
LIKELY = 0.6
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
        """Of a word that nothing is called by: which one may be meant."""
        message = self.with_likely_word(message)
        self.exit(2, f"{printable_line(f'{self.prog}: error: {message}')}{HINT}\n")

    def with_likely_word(self, message: str) -> str:
        if found := INVALID.match(message):
            known = [one.strip().strip("'") for one in found["known"].split(",")]
            near = likely_word(found["word"], known)
            return f"{found['which']}there is no {found['word']!r}; did you mean {near}?" if near else message
        if found := UNKNOWN.match(message):
            near = likely_word(found["word"], [*options_of_parser(self)])
            return f"{message}; did you mean {near}?" if near else message
        return message


def likely_word(word: str, known: Sequence[str]) -> str:
    """Empty: none is near."""
    return next(iter(get_close_matches(word, known, 1, LIKELY)), "")


def options_of_parser(parser: argparse.ArgumentParser) -> set[str]:
    """With those of its commands."""
    found = {*parser._option_string_actions}
    for action in parser._actions:
        if isinstance(action.choices, dict):
            found |= {
                name
                for one in action.choices.values()
                if isinstance(one, argparse.ArgumentParser)
                for name in options_of_parser(one)
            }
    return found
