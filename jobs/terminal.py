"""What stands on a terminal: lines that cannot act on it, severities in colour, one line for an interrupted command."""

import logging
import os
import re
import sys
from collections.abc import Iterable

from jobs.text import printable_line

INTERRUPTED, UNREAD = 130, 141  # as a shell says it of SIGINT, SIGPIPE
RED, YELLOW, BLUE, PLAIN = "\x1b[1;31m", "\x1b[33m", "\x1b[36m", "\x1b[0m"
# Where a line tells how bad something is.
SEVERITIES = (
    (re.compile(r"^(CRIT|CRITICAL|VERDICT  NOT (?:OK|ENOUGH EVIDENCE))\b"), RED),
    (re.compile(r"^(WARN|WARNING)\b"), YELLOW),
    (re.compile(r"^(INFO)\b"), BLUE),
)


def print_lines(lines: Iterable[str]) -> None:
    """Prints the lines on stdout; in colour on a terminal, unless NO_COLOR is set (no-color.org)."""
    is_coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    shown = map(printable_line, lines)
    print("\n".join(map(colour_line, shown) if is_coloured else shown), flush=True)


def colour_line(line: str) -> str:
    """Only the word that tells how bad it is."""
    for word, colour in SEVERITIES:
        found = word.match(line)
        if found:
            return f"{colour}{found[1]}{PLAIN}{line[found.end() :]}"
    return line


def report_interrupt(job: str, what: str) -> int:
    """One line instead of what the threads of a run would say as they end. what: became of the run."""
    logging.disable()
    print(f"{job}: interrupted, {what}", file=sys.stderr, flush=True)
    return INTERRUPTED


def discard_stdout() -> int:
    """Whoever read stdout has seen enough, as head does; what is left in the buffer would be written at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UNREAD
