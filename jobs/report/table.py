"""A table on a page: cells that sort, rows that know their time, and how many more there are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from jobs.report.elements import Markup, Room, element, heading, joined
from jobs.text import day_clock, length_text, ratio_text, shortened

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
        shown: str = shortened(self.text, WIDTH)
        if self.href:
            shown = element("a", shown, href=self.href)
        return element("td", shown, data_sort=self.sort, class_=self.class_)


@dataclass(frozen=True)
class Line:
    """A row of a table. from_at, until_at: its time; None: it has none, or it goes on."""

    cells: Sequence[Cell]
    from_at: datetime | None = None
    until_at: datetime | None = None

    def element(self) -> Markup:
        times = {"data_from": millis(self.from_at), "data_until": millis(self.until_at)}
        return element("tr", *(one.element() for one in self.cells), **times)


@dataclass(frozen=True)
class Table:
    """name: its anchor. more: the command that tells all; all_count: how many there are."""

    name: str
    title: str
    head: Sequence[str]
    lines: Sequence[Line]
    notes: Sequence[str] = ()
    all_count: int | None = None
    more: str = ""
    empty: str = "none"
    parts: Sequence[Markup] = field(default_factory=list)

    def element(self, prefix: str, room: Room) -> Markup:
        rows = list(within(self.lines[:MOST_ROWS], room))
        hidden = (len(self.lines) if self.all_count is None else self.all_count) - len(rows)
        shown = (
            element(
                "div",
                element(
                    "table",
                    element("thead", element("tr", *(element("th", one, scope="col") for one in self.head))),
                    element("tbody", *rows),
                ),
                class_="wide",
            )
            if rows
            else element("p", self.empty, class_="note")
        )
        more = f"{hidden:,} more{': ' + self.more if self.more else ''}"
        return element(
            "section",
            heading(self.title, f"{prefix}{self.name}"),
            *(element("p", one, class_="note") for one in self.notes),
            shown,
            element("p", more, class_="note") if hidden > 0 else joined([]),
            *self.parts,
            id=f"{prefix}{self.name}",
            class_="table",
        )


def within(lines: Iterable[Line], room: Room) -> Iterable[Markup]:
    for one in lines:
        row = one.element()
        if not room.takes(row):
            return
        yield row


def millis(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp() * 1000)


def said(text: object, class_: str | None = None) -> Cell:
    return Cell("" if text is None else str(text), class_=class_)


def plain(text: str | None) -> Cell:
    return Cell((text or "not known").replace("_", " "))


def at(moment: datetime | None, absent: str = "") -> Cell:
    return Cell(absent) if moment is None else Cell(day_clock(moment), millis(moment), "time")


def number(count: int | None, absent: str = "?") -> Cell:
    return Cell(absent) if count is None else Cell(f"{count:,}", count, "number")


def length(ms: int | None, absent: str = "?") -> Cell:
    return Cell(absent) if ms is None else Cell(length_text(ms), ms, "number")


def ratio(value: float | None) -> Cell:
    return Cell(ratio_text(value), value, "number")
