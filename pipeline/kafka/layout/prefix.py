"""A prefix of each line that is none of wrappers.tsv: a regular expression, in the name of the envelope itself."""

import re

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.errors import SettingsError
from pipeline.kafka.layout.wrapper import Wrapper

PREFIX = "prefix:"
# Up to the slash behind it; those inside are escaped.
_NAMED = re.compile(rf"({PREFIX}(?:\\.|[^\\/])+)/(.+)", re.DOTALL)
SOURCE = "what every line begins with"


def cut_off(name: str) -> tuple[Wrapper, str] | None:
    """The prefix that the name of an envelope begins with, and the rest of the name; None: it begins with none.

    SettingsError: it is no regular expression, or one that cannot be taken off line by line.
    """
    if not name.startswith(PREFIX):
        return None
    found = _NAMED.fullmatch(name)
    problem = "no layout behind it" if found is None else _problem(found[1].removeprefix(PREFIX))
    if found is None or problem is not None:
        raise SettingsError(
            expected=rf"{PREFIX}REGEX/LAYOUT, each / inside of REGEX written as \/",
            found=f"{name} ({problem})",
            todo="write a regular expression (RE2) of what stands before the time, without groups that capture",
        )
    return prefix_wrapper(found[1]), found[2]


def prefix_wrapper(name: str) -> Wrapper:
    return Wrapper(name, "line", name.removeprefix(PREFIX), "", "", SOURCE)


def _problem(pattern: str) -> str | None:
    """Why a line cannot begin with it; it is read by Python's re and by RE2."""
    try:
        groups = re.compile(pattern.encode()).groups
        takes_line_end = pc.match_substring_regex(pa.array(["\n"]), rf"\A(?:{pattern})\z")[0].as_py()
    except (re.error, pa.ArrowInvalid) as problem:
        return str(problem)
    return "groups that capture" if groups else "it matches a line end" if takes_line_end else None
