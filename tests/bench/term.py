"""What nights cost while one ZooKeeper controller stays in office: the production builder in memory."""

from collections.abc import Iterator
from functools import partial
from itertools import islice

from pipeline.core.frames import frame_of
from tests.bench.long_term import long_term_logs
from tests.bench.runs import Cost, cost_of, median
from tests.incremental.cutting import Segments
from tests.incremental.nights import in_nights, segments_of
from tests.tables import log_table

SHOWN = (2, 11, 51)
BESIDE = 7  # a night counts as the median of itself and those after it
HEADING = f"{'':26}{'wall s':>9}{'x':>7}{'processor s':>13}{'x':>7}"


def long_term(days: int) -> list[str]:
    """Lines of a table: nights of one term, x: in times of the first nights but one of the same term, each built just after one of
    them, so that what else the machine does strikes both alike."""
    records = frame_of(log_table(long_term_logs(days + BESIDE)))
    segments = segments_of(records)
    nights, done = in_nights(segments), 0
    shown = [*(night for night in SHOWN if night < days), days + 1]
    lines = []
    for night in shown:
        consume(nights, night - 1 - done)
        costs, firsts = zip(*beside(nights, segments), strict=True)
        lines.append(line(night, median(costs), median(firsts)))
        done = night - 1 + BESIDE
    return [f"{records.height / (days + BESIDE):.0f} lines a night", HEADING, *lines]


def beside(nights: Iterator[object], segments: Segments) -> Iterator[tuple[Cost, Cost]]:
    """What the next nights cost, and in turn with them those after the first."""
    first = in_nights(segments)
    consume(first, 1)
    for _ in range(BESIDE):
        yield cost_of(partial(next, nights)), cost_of(partial(next, first))


def consume(nights: Iterator[object], count: int) -> None:
    for _ in islice(nights, count):
        pass


def line(night: int, cost: Cost, first: Cost) -> str:
    walls = f"{cost.wall:9.3f}{cost.wall / first.wall:7.2f}"
    return f"{f'night {night}':26}{walls}{cost.processor:13.3f}{cost.processor / first.processor:7.2f}"
