"""Lanes with more marks than they have room for: those that stand close are drawn as one that says how many."""

import re
from collections.abc import Iterable, Iterator, Sequence

from jobs.report.elements import Markup, html_element
from jobs.report.scale import LEAST, LEFT, RIGHT, Scale, times_text
from jobs.text import format_count

TIMES = re.compile(r' data-t="(-?\d+),(-?\d+)"')
NAME = re.compile(r' class="([^"]*)"')
HIGH = re.compile(r' y="([\d.]+)" width="[\d.]+" height="([\d.]+)"')
BAR = ("2", "12")  # of what has no height of its own
CLOSE = (3, 6, 12, 24, 48)  # points of the drawing


def fair_share(sizes: Iterable[int], room: int) -> int:
    """What each may take at most, where those that are smaller leave the rest to the others."""
    ordered, left = sorted(sizes), room
    for place, size in enumerate(ordered):
        if size * (len(ordered) - place) > left:
            return left // (len(ordered) - place)
        left -= size
    return room


def byte_count_of_marks(marks: Sequence[Markup]) -> int:
    return sum(len(one.encode()) for one in marks)


def condense_marks(marks: Sequence[Markup], most: int, scale: Scale) -> list[Markup]:
    """As far as it takes to fit into so many bytes."""
    found = [*marks]
    for close in CLOSE:
        if byte_count_of_marks(found) <= most:
            break
        found = [*merge_close_marks(marks, close, scale)]
    return found


def merge_close_marks(marks: Sequence[Markup], close: int, scale: Scale) -> Iterator[Markup]:
    """Long ones, and what has no time, stay as they are; of many names none is left."""
    groups: dict[tuple[str, int], list[tuple[int, int, Markup]]] = {}
    lasting = (scale.last - scale.first).total_seconds() * 1000
    for one in marks:
        times, name = TIMES.search(one), NAME.search(one)
        begin, end = map(int, times.groups()) if times else (0, 0)
        left = LEFT + (RIGHT - LEFT) * max(begin, 0) / lasting
        if times is None or name is None or (end - begin) * (RIGHT - LEFT) / lasting > close:
            yield one
        else:
            groups.setdefault((name[1], int(left / close)), []).append((begin, end, one))
    for (name_of, _), own in groups.items():
        if len(own) == 1:
            yield own[0][2]
        elif not own[0][2].startswith("<text"):
            yield merged_mark(name_of, own, scale)


def merged_mark(name: str, own: Sequence[tuple[int, int, Markup]], scale: Scale) -> Markup:
    begin, end = min(one[0] for one in own), max(one[1] for one in own)
    heights = (found.groups() if (found := HIGH.search(one[2])) else BAR for one in own)
    y, height = min(heights, key=lambda one: float(one[0]))
    first, last = scale.at(begin), scale.at(end)
    marks = format_count(len(own), "mark")
    said = f"{marks} that stand close, {times_text(first, last)}: --since and --until show each"
    wide = round(max(scale.x(last) - scale.x(first), LEAST), 1)
    size = {"x": round(min(scale.x(first), RIGHT - wide), 1), "y": y, "width": wide, "height": height}
    return html_element(
        "rect", html_element("title", said), class_=f"{name} many", data_t=f"{begin},{end}", **size
    )
