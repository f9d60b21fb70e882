"""How long lasts what begins by the clock of one node and ends by that of another, where lines bound the clocks."""

from collections.abc import Mapping
from datetime import date, datetime

from pipeline.rules.shared.clocks import DAY, bounds_of_days
from pipeline.views.reading.answers import Answers

TABLE = "gold.clock_skew"
# By node, other node and day (UTC): the other's clock less the node's, ms, at least and at most.
ClockBounds = Mapping[tuple[int, int, date], tuple[int | None, int | None]]
Passed = tuple[int | None, int | None]


def clock_bounds(answers: Answers) -> ClockBounds:
    """Either way round; without days on which a clock was set."""
    rows = bounds_of_days(answers.rows(TABLE))
    names = ("controller_id", "next_id", DAY, "clock_low_ms", "clock_high_ms")
    return {(one, other, day): (low, high) for one, other, day, low, high in rows.select(names).iter_rows()}


def passed_ms(bounds: ClockBounds, from_node: int | None, to_node: int, from_at: datetime, ms: int) -> Passed:
    """At least and at most so many milliseconds passed from from_at, by the clock of from_node, until ms later, by that
    of to_node; None: no line bounds it. What is after the other lasts 0 at least."""
    if from_node == to_node:
        return ms, ms
    if from_node is None:
        return None, None
    low, high = bounds.get((from_node, to_node, from_at.date()), (None, None))
    least, most = (None if bound is None else max(ms - bound, 0) for bound in (high, low))
    return least, most
