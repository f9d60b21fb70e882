"""How lines keep within the width of what shows them: prose wraps at its words, a table at its columns."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from jobs.text import printable_line

WIDTH = 80  # where nobody says another one, as through a pipe
NARROWEST = 60
MOST_LINES = 3  # of a cell whose words wrap
HANG = 4
COMMAND = "kafka-controller-audit"
# What stands between the items of a line, which are not torn apart where they fit.
BETWEEN = re.compile(r"( {2,}| \| )")
HELD = "\x00"  # a blank at which no line ends
# A number and its unit, a node and its number.
PAIRS = (
    (re.compile(r"(?<=\d) (?=(?:ms|s|min|h|d|B|kB|MB|GB|%)\b)"), HELD),
    (re.compile(r"\b(brokers?|controllers?|nodes?|epoch|partition|term) (?=\d)"), rf"\1{HELD}"),
)
WIDTH_HELP = f"Lines are as wide as the terminal, else {WIDTH} columns; COLUMNS=N sets another width."


def screen_width() -> int:
    """By COLUMNS, else by the terminal on stdout."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def wrap_text(text: str, hang: int = HANG) -> list[str]:
    """One printable line, or several: all after the first are indented by `hang`. A word is never torn apart."""
    shown, room = printable_line(text), screen_width()
    if len(shown) <= room:
        return [shown]
    parts = BETWEEN.split(shown)
    items = [hold_blanks(one, room - hang) for one in parts[::2]]
    between = [one.replace(" | ", f"{HELD}| ") for one in parts[1::2]]
    joined = "".join(one for pair in zip(items, [*between, ""], strict=True) for one in pair)
    lines = textwrap.wrap(
        hold_pairs(joined),
        room,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return [line.replace(HELD, " ") for line in lines]


def wrap_lines(lines: Sequence[str], hang: int) -> list[str]:
    return [line for one in lines for line in wrap_text(one, hang)]


def hold_blanks(item: str, room: int) -> str:
    return item.replace(" ", HELD) if len(item) <= room else item


def command_lines(words: Sequence[str], first: str, hang: int = HANG) -> list[str]:
    """A command that can be pasted: a line that goes on ends as a shell wants it to. first: what stands before it."""
    lines, line = [], first
    for word in words:
        is_begun = line not in (first, " " * hang)
        more = f"{line}{' ' if is_begun else ''}{word}"
        if is_begun and len(more) > screen_width() - 2:
            lines.append(f"{line} \\")
            more = f"{' ' * hang}{word}"
        line = more
    return [*lines, line]


def installed_command() -> str:
    """The command of this environment, as it can be pasted from where the job runs."""
    found = program_to_paste()
    return os.path.relpath(found) if Path(found).is_relative_to(Path.cwd()) else found


def program_to_paste() -> str:
    """The command of this environment as it runs from any folder of this machine."""
    installed = Path(sys.executable).parent / COMMAND
    is_found = not installed.is_file() or shutil.which(COMMAND) == str(installed)
    return COMMAND if is_found else str(installed)


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their longest cell, without those in which nothing stands. Where they do not fit beside each
    other the words of the last one wrap, or later ones stand below the first ones, under their heads as these do."""
    used = [place for place, column in enumerate(zip(head, *rows, strict=True)) if any(column)]
    head, rows = [head[one] for one in used], [[row[one] for one in used] for row in rows]
    widths = [max(len(one) for one in column) for column in zip(head, *rows, strict=True)]
    room = screen_width()
    left = room - sum(widths[:-1]) - 2 * (len(widths) - 1)
    if left >= widths[-1]:
        return [line for row in (head, *rows) for line in format_table_row(row, widths)]
    if left > 0 and all(is_cell_within(wrap_cell(row[-1], left), left) for row in (head, *rows)):
        return [line for row in (head, *rows) for line in format_table_row(row, [*widths[:-1], left])]
    parts = list(below_each_other(widths, room))
    return [
        line
        for row in (head, *rows)
        for number, (since, until) in enumerate(parts)
        for line in format_table_row(row[since:until], widths[since:until], HANG if number else 0)
        if line
    ]


def format_table_row(cells: Sequence[str], widths: Sequence[int], indent: int = 0) -> Iterator[str]:
    """One line of a table; more where its last cell is wider than its column."""
    start = indent + sum(widths[:-1]) + 2 * (len(widths) - 1)
    first, *more = wrap_cell(cells[-1], widths[-1])
    padded = [cell.ljust(width) for cell, width in zip(cells[:-1], widths[:-1], strict=True)]
    yield (" " * indent + "  ".join([*padded, first])).replace(HELD, " ").rstrip()
    yield from (" " * start + line for line in more)


def wrap_cell(cell: str, room: int) -> list[str]:
    """Lines of a cell within so many columns; a word is never torn apart."""
    if len(cell) <= room:
        return [cell]
    lines = textwrap.wrap(hold_pairs(cell), room, break_long_words=False, break_on_hyphens=False)
    return [line.replace(HELD, " ") for line in lines]


def is_cell_within(lines: Sequence[str], room: int) -> bool:
    return len(lines) <= MOST_LINES and all(len(line) <= room for line in lines)


def hold_pairs(text: str) -> str:
    """Blanks of PAIRS held."""
    for pair, said in PAIRS:
        text = pair.sub(said, text)
    return text


def below_each_other(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Which columns, from one and before another, share a line."""
    since, used = 0, 0
    for number, width in enumerate(widths):
        if number > since and used + width > room:
            yield since, number
            since, used = number, HANG
        used += width + 2
    yield since, len(widths)
