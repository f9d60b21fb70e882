"""What nights cost while one ZooKeeper controller stays in office: the production builder in memory."""

from functools import partial

from pipeline.core.frames import frame_of
from tests.bench.long_term import long_term_logs
from tests.bench.runs import Cost, cost_of, median
from tests.incremental.nights import in_nights, segments_of
from tests.tables import log_table

SHOWN = (2, 11, 51)
BESIDE = 3  # a night counts as the median of itself and those after it
HEADING = f"{'':26}{'wall s':>9}{'x':>7}{'processor s':>13}{'x':>7}"


def long_term(days: int) -> list[str]:
    """Lines of a table: nights of one term, x times night 2."""
    records = frame_of(log_table(long_term_logs(days + BESIDE)))
    nights = in_nights(segments_of(records))
    costs = [cost_of(partial(next, nights)) for _ in range(days + BESIDE)]
    shown = [*(night for night in SHOWN if night < days), days + 1]
    found = {night: median(costs[night - 1 : night - 1 + BESIDE]) for night in shown}
    return [
        f"{records.height / (days + BESIDE):.0f} lines a night",
        HEADING,
        *(line(night, cost, found[shown[0]]) for night, cost in found.items()),
    ]


def line(night: int, cost: Cost, first: Cost) -> str:
    walls = f"{cost.wall:9.3f}{cost.wall / first.wall:7.2f}"
    return f"{f'night {night}':26}{walls}{cost.processor:13.3f}{cost.processor / first.processor:7.2f}"
