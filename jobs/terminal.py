"""What stands on a terminal: lines that cannot act on it, severities in colour, one line for an interrupted command."""

import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable

from jobs.text import printable_line

PAGER, NO_PAGER = "less", "--no-pager"
INTERRUPTED, UNREAD = 130, 141  # as a shell says it of SIGINT, SIGPIPE
RED, YELLOW, BLUE, PLAIN = "\x1b[1;31m", "\x1b[33m", "\x1b[36m", "\x1b[0m"
# Where a line tells how bad something is.
SEVERITIES = (
    (re.compile(r"^(CRIT|CRITICAL|VERDICT  NOT (?:OK|ENOUGH EVIDENCE))\b"), RED),
    (re.compile(r"^(WARN|WARNING)\b"), YELLOW),
    (re.compile(r"^(INFO)\b"), BLUE),
    # A row of status: the name of a cluster has no blanks next to each other.
    (re.compile(r"^\S+(?: \S+)* {2,}(NOT OK|STILL OFFLINE) {2,}"), RED),
    (re.compile(r"^\S+(?: \S+)* {2,}(NO EVIDENCE|NOT JUDGED|BACKFILL) {2,}"), YELLOW),
)


def print_lines(lines: Iterable[str]) -> None:
    """Prints the lines on stdout; in colour on a terminal, unless NO_COLOR is set (no-color.org)."""
    print(shown_text(lines), flush=True)


def show_lines(lines: Iterable[str], last: str = "") -> None:
    """The same through a pager where they are more than the terminal has. last: the line that stands below them then,
    where the eye is once all has scrolled by."""
    shown = [*lines]
    is_longer = sys.stdout.isatty() and len(shown) >= shutil.get_terminal_size().lines
    pager = shlex.split(os.environ.get("PAGER", PAGER)) if is_longer else []
    if not pager or shutil.which(pager[0]) is None:
        print_lines([*shown, *([last] if is_longer and last else [])])
        return
    # What less does as git asks it to: nothing where one screen is enough, colours, and no other screen.
    subprocess.run(  # noqa: S603 - the pager is what the user names
        pager, input=f"{shown_text(shown)}\n", text=True, check=False, env={"LESS": "FRX", **os.environ}
    )
    if last:
        print_lines([last])


def shown_text(lines: Iterable[str]) -> str:
    is_coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    shown = map(printable_line, lines)
    return "\n".join(map(colour_line, shown) if is_coloured else shown)


def colour_line(line: str) -> str:
    """Only the word that tells how bad it is."""
    for word, colour in SEVERITIES:
        found = word.match(line)
        if found:
            return f"{line[: found.start(1)]}{colour}{found[1]}{PLAIN}{line[found.end(1) :]}"
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
