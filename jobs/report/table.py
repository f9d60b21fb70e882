"""A table on a page: cells that sort, rows that know their time, and how many more there are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from jobs.report.elements import Markup, Room, html_element, join_markup, linked_heading
from jobs.text import length_text, ratio_text, shorten_line
from pipeline.core.clocks import day_clock

MOST_ROWS = 500
WIDTH = 200


@dataclass(frozen=True)
class Cell:
    """sort: what it is sorted by where that is not its text. href: where it leads on the page."""

    text: str
    sort: float | None = None
    class_: str | None = None
    href: str | None = None

    def element(self) -> Markup:
        shown: str = shorten_line(self.text, WIDTH)
        if self.href:
            shown = html_element("a", shown, href=self.href)
        return html_element("td", shown, data_sort=self.sort, class_=self.class_)


@dataclass(frozen=True)
class TableLine:
    """A row of a table. from_at, until_at: its time; None: it has none, or it goes on."""

    cells: Sequence[Cell]
    from_at: datetime | None = None
    until_at: datetime | None = None

    def element(self) -> Markup:
        times = {"data_from": page_time_millis(self.from_at), "data_until": page_time_millis(self.until_at)}
        return html_element("tr", *(one.element() for one in self.cells), **times)


@dataclass(frozen=True)
class PageTable:
    """name: its anchor. more: the command that tells all; all_count: how many there are."""

    name: str
    title: str
    head: Sequence[str]
    lines: Sequence[TableLine]
    notes: Sequence[str] = ()
    all_count: int | None = None
    more: str = ""
    empty: str = "none"
    parts: Sequence[Markup] = field(default_factory=list)

    def element(self, prefix: str, room: Room) -> Markup:
        rows = list(rows_within_room(self.lines[:MOST_ROWS], room))
        hidden = (len(self.lines) if self.all_count is None else self.all_count) - len(rows)
        shown = (
            html_element(
                "div",
                html_element(
                    "table",
                    html_element(
                        "thead",
                        html_element("tr", *(html_element("th", one, scope="col") for one in self.head)),
                    ),
                    html_element("tbody", *rows),
                ),
                class_="wide",
            )
            if rows
            else html_element("p", self.empty, class_="note")
        )
        more = f"{hidden:,} more{': ' + self.more if self.more else ''}"
        count = f"{len(rows) + hidden:,}" if rows else "none"
        return html_element(
            "details",
            html_element(
                "summary",
                linked_heading(self.title, f"{prefix}{self.name}"),
                html_element("span", count, class_="note"),
            ),
            *(html_element("p", one, class_="note") for one in self.notes),
            shown,
            html_element("p", more, class_="note") if hidden > 0 else join_markup([]),
            *self.parts,
            id=f"{prefix}{self.name}",
            class_="table",
        )


def rows_within_room(lines: Iterable[TableLine], room: Room) -> Iterable[Markup]:
    for one in lines:
        row = one.element()
        if not room.takes(row):
            return
        yield row


def page_time_millis(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp() * 1000)


def text_cell(text: object, class_: str | None = None) -> Cell:
    return Cell("" if text is None else str(text), class_=class_)


def words_cell(text: str | None) -> Cell:
    return Cell((text or "not known").replace("_", " "))


def time_cell(moment: datetime | None, absent: str = "") -> Cell:
    """Sorted by its text."""
    return Cell(absent) if moment is None else Cell(day_clock(moment), class_="time")


def number_cell(count: int | None, absent: str = "?") -> Cell:
    return Cell(absent) if count is None else Cell(f"{count:,}", count, "number")


def duration_cell(ms: int | None, absent: str = "?") -> Cell:
    return Cell(absent) if ms is None else Cell(length_text(ms), ms, "number")


def ratio_cell(value: float | None) -> Cell:
    return Cell(ratio_text(value), value, "number")
