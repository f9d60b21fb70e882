"""Time on a drawing: where a moment stands, marks at round times, and bars from one moment until another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from jobs.report.elements import Markup, html_element
from jobs.text import clock_text, shorten_line
from pipeline.core.clocks import day_clock

LEFT, RIGHT = 170.0, 1110.0  # of what is drawn; labels stand left of it
HEIGHT = 16  # of a lane
LEAST = 1.5  # of a bar
MOST_LANES = 40  # of a kind
MOST_BARS = 2000
ROWS = 6  # below each other where bars overlap
LABEL = 25  # characters
TITLE = 300
ROUND_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
TICKS = 8
DAY = 86400
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class Lane:
    """Marks beside a label, drawn from y 0 down; a heading has none."""

    label: str
    marks: Sequence[Markup] = field(default_factory=list)
    height: int = HEIGHT
    is_heading: bool = False


@dataclass(frozen=True)
class Bar:
    """until_at: None, it goes on. href: where it leads on the page. name: written beside it."""

    from_at: datetime
    until_at: datetime | None
    class_: str
    title: str
    href: str | None = None
    name: str = ""


@dataclass(frozen=True)
class Scale:
    first: datetime
    last: datetime

    def x(self, at: datetime) -> float:
        """What is out of it stands at its edge."""
        return round(self.place(at), 1)

    def place(self, at: datetime) -> float:
        part = (at - self.first) / (self.last - self.first)
        return LEFT + (RIGHT - LEFT) * min(max(part, 0.0), 1.0)

    def at(self, offset: int) -> datetime:
        """The time so many milliseconds from the first."""
        return self.first + offset * MILLISECOND

    def times(self, from_at: datetime | None, until_at: datetime | None) -> str:
        """As the script of the page reads them to draw a part of the time: milliseconds from the first."""
        ends = (from_at or self.first, until_at or self.last)
        return ",".join(str(round((one - self.first) / MILLISECOND)) for one in ends)

    def bar(
        self,
        class_: str,
        from_at: datetime | None,
        until_at: datetime | None,
        title: str,
        *,
        y: float = 2,
        height: float = HEIGHT - 4,
    ) -> list[Markup]:
        """None where it is out of the time drawn. from_at, until_at: None, it goes beyond."""
        begin, end = from_at or self.first, until_at or self.last
        if begin > self.last or end < self.first:
            return []
        left, right = self.x(begin), self.x(end)
        wide = round(max(right - left, LEAST), 1)
        left = min(left, RIGHT - wide)
        said = html_element("title", shorten_line(title, TITLE))
        size = {"x": round(left, 1), "y": y, "width": wide, "height": height}
        return [html_element("rect", said, class_=class_, data_t=self.times(begin, end), **size)]

    def written(self, from_at: datetime | None, until_at: datetime | None, text: str) -> list[Markup]:
        """A text inside a bar that is wide enough."""
        left, right = self.x(from_at or self.first), self.x(until_at or self.last)
        if right - left < 7 * len(text) + 4:
            return []
        times = self.times(from_at, until_at)
        return [html_element("text", text, class_="inside", data_t=times, x=round(left + 4, 1), y=12)]

    def beside(self, from_at: datetime, until_at: datetime | None, text: str) -> list[Markup]:
        """A text behind a bar; where there is no room before it, where there is none either in it."""
        begin, end = from_at, until_at or self.last
        if not text or begin > self.last or end < self.first:
            return []
        left, right, wide = self.x(begin), max(self.x(end), self.x(begin) + LEAST), text_width(text)
        class_, anchor, x = "beside", None, right + 3
        if right + wide > RIGHT:
            class_, anchor, x = "beside", "end", left - 3
            if left - wide < LEFT:
                class_, anchor, x = "beside over", None, left + 4
        times = self.times(begin, end)
        return [
            html_element("text", text, class_=class_, data_t=times, text_anchor=anchor, x=round(x, 1), y=12)
        ]

    def ticks(self) -> list[tuple[float, str]]:
        """At round times, with the day where more than one is drawn."""
        seconds = (self.last - self.first).total_seconds()
        step = next((one for one in ROUND_SECONDS if seconds / one <= TICKS), None)
        step = step or DAY * (int(seconds / DAY / TICKS) + 1)
        begin = self.first.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        skipped = int((self.first - begin).total_seconds()) // step + 1
        times = [begin + timedelta(seconds=step * (skipped + place)) for place in range(TICKS + 1)]
        return [(self.x(at), self.written_time(at, step)) for at in times if at <= self.last]

    def written_time(self, at: datetime, step: int) -> str:
        if (self.last - self.first).total_seconds() > DAY:
            return day_clock(at)[5:10] if step >= DAY else day_clock(at)[5:16]
        return clock_text(at)[:5] if step >= 60 else clock_text(at)[:8]


def text_width(text: str) -> float:
    """About, of small digits and letters."""
    return 6.5 * len(text) + 4 if text else 0.0


def times_text(from_at: datetime | None, until_at: datetime | None) -> str:
    begin = day_clock(from_at) if from_at else "?"
    return f"{begin} to {day_clock(until_at) if until_at else 'the end'} UTC"


def stack_bars(label: str, bars: Sequence[Bar], scale: Scale) -> Iterator[Lane]:
    """In lanes below each other where they overlap; the first has the label."""
    ends: list[float] = []
    marks: list[list[Markup]] = []
    for one in sorted(bars[:MOST_BARS], key=lambda one: one.from_at):
        left, right = scale.x(one.from_at), scale.x(one.until_at or scale.last)
        if right + text_width(one.name) > RIGHT:
            left -= text_width(one.name)
        else:
            right += text_width(one.name)
        free = next((place for place, used in enumerate(ends) if used < left), None)
        row = min(len(ends), ROWS - 1) if free is None else free
        is_new = row == len(ends)
        if is_new:
            ends.append(0.0)
            marks.append([])
        ends[row] = max(ends[row], right, left + 3)
        drawn = scale.bar(one.class_, one.from_at, one.until_at, one.title)
        drawn += scale.beside(one.from_at, one.until_at, one.name) if free is not None or is_new else []
        marks[row] += [html_element("a", *drawn, href=one.href)] if one.href and drawn else drawn
    hidden = len(bars) - MOST_BARS
    for place, own in enumerate(marks):
        more = f", {hidden:,} not drawn" if hidden > 0 else ""
        yield Lane(f"{label}{more}" if place == 0 else "", own)
