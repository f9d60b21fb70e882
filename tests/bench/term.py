"""What nights cost while one ZooKeeper controller stays in office: the production builder in memory."""

import gc
import statistics
import time
from collections.abc import Iterator

import polars as pl

from pipeline.core.frames import frame_of
from tests.bench.long_term import long_term_logs
from tests.bench.runs import Cost
from tests.incremental.nights import in_nights, segments_of
from tests.tables import log_table

SHOWN = (2, 11, 51)
BESIDE = 3  # a night counts as the median of itself and those after it
HEADING = f"{'':26}{'wall s':>9}{'x':>7}{'processor s':>13}{'x':>7}"


def long_term(days: int) -> list[str]:
    """Lines of a table: nights of one term, x times night 2."""
    records = frame_of(log_table(long_term_logs(days + BESIDE)))
    costs = list(timed(in_nights(segments_of(records))))
    shown = [*(night for night in SHOWN if night < days), days + 1]
    found = {night: median(costs[night - 1 : night - 1 + BESIDE]) for night in shown}
    return [
        f"{records.height / (days + BESIDE):.0f} lines a night",
        HEADING,
        *(line(night, cost, found[shown[0]]) for night, cost in found.items()),
    ]


def timed(nights: Iterator[dict[str, pl.DataFrame]]) -> Iterator[Cost]:
    while True:
        gc.collect()
        began, began_processor = time.perf_counter(), time.process_time()
        if next(nights, None) is None:
            return
        yield Cost(time.perf_counter() - began, time.process_time() - began_processor)


def median(costs: list[Cost]) -> Cost:
    return Cost(
        statistics.median(one.wall for one in costs), statistics.median(one.processor for one in costs)
    )


def line(night: int, cost: Cost, first: Cost) -> str:
    walls = f"{cost.wall:9.3f}{cost.wall / first.wall:7.2f}"
    return f"{f'night {night}':26}{walls}{cost.processor:13.3f}{cost.processor / first.processor:7.2f}"
