"""The block of the first screen: what people and tools asked for in what the run brought, alike changes together."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from jobs.layout import screen_width, wrap_text
from jobs.questions.changes.asked import change_sentence
from jobs.text import clock_by, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.views.changes.kinds import KINDS
from pipeline.views.reading.rows import Row

SHOWN, WIDTH, HANG = 6, 150, 8
GLANCED = 2


def change_lines(
    rows: Sequence[Row] | None, last: datetime | None, since: datetime | None, command: str = "changes"
) -> list[str]:
    """None where nobody asked for anything. command: what tells those that are not shown."""
    groups = change_groups(rows)
    if not groups:
        return []
    lines = [group_line(group, last) for group in groups[:SHOWN]]
    left = sum(map(len, groups[SHOWN:]))
    begin = f" --since {day_clock(since).replace(' ', 'T')}" if since else ""
    more = [f"{HANG * ' '}{left:,} more: {command}{begin}"] if left else []
    told = [f"{'CHANGES ' if not place else HANG * ' '}{line}" for place, line in enumerate(lines)]
    return [*(one for line in told for one in wrap_text(line, HANG + 4)), *more, ""]


def change_groups(rows: Sequence[Row] | None) -> list[list[Row]]:
    """What people and tools asked for, by kind, the gravest kinds first."""
    asked = [row for row in rows or [] if row["asked_by"] != "broker"]
    ranks = {kind: number for number, kind in enumerate(KINDS)}
    in_order = sorted(asked, key=lambda row: (KINDS[row["kind"]].rank, ranks[row["kind"]], row["at"]))
    return [list(alike) for _, alike in groupby(in_order, lambda row: row["kind"])]


def change_glance(rows: Sequence[Row] | None, last: datetime | None, command: str) -> list[str]:
    """How many there were in the first line, and the gravest kinds of them. command: what tells all."""
    groups = change_groups(rows)
    if not groups:
        return []
    count = sum(map(len, groups))
    told = [
        shorten_line(f"{HANG * ' '}{group_line(group, last)}", screen_width()) for group in groups[:GLANCED]
    ]
    return [f"CHANGES {count:,} were asked for by people and tools: {command}", *told]


def group_line(group: Sequence[Row], last: datetime | None) -> str:
    first = group[0]
    at = clock_by(first["at"], last)
    if len(group) == 1:
        return f"{at} {shorten_line(change_sentence(first), WIDTH)}"
    words = KINDS[first["kind"]].many.format(count=f"{len(group):,}")
    topics = list(dict.fromkeys(topic for row in group for topic in row["topics"] or []))
    named = f" ({', '.join(topics[:3])}{', …' if len(topics) > 3 else ''})" if topics else ""
    return f"{at} {shorten_line(f'{words}{named}', WIDTH)}"
