"""A line that names few partitions beside one that names many, through the kernels that take it apart."""

import statistics
import time
from collections.abc import Callable
from functools import partial

import polars as pl
import pyarrow as pa

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import declared_table, frame_of
from tests.tables import log_table

COUNTS = (1_000, 4_000, 16_000)
HEADING = f"{'':46}{'named':>9}{'rows':>9}{'seconds':>9}{'x time':>9}"
LOGGER = "(kafka.controller.KafkaController)"
# By table a line that feeds it; {names}: partitions, {lists}: with their replicas, {states}: with a state.
LINES = {
    "assignment": f"[Controller id=1] New partitions to be added Map({{lists}}) {LOGGER}",
    "leader_and_isr": f"[Controller id=1] New partitions to be added Map({{lists}}) {LOGGER}",
    "election_event": "[Controller id=1] Starting preferred replica leader election for partitions {names} "
    f"{LOGGER}",
    "reassignment_event": f"[Controller id=1] Partitions being reassigned: Map({{lists}}) {LOGGER}",
    "topic_event": f"[Controller id=1] Starting topic deletion for topics {{topics}} {LOGGER}",
    "state_dump": "[PartitionStateMachine controllerId=1] Started partition state machine with initial state -> "
    "Map({states}) (kafka.controller.PartitionStateMachine)",
}


def long_lines(rounds: int) -> list[str]:
    """Lines of a table; x time: of so many times as many names. RuntimeError: a line was not taken apart."""
    told = [HEADING]
    for name, line in LINES.items():
        smallest = 0.0
        for count in COUNTS:
            lines = frame_of(log_table({(1, "controller"): named(line, count)}))
            rows, seconds = measured(partial(built, name, lines), rounds)
            if rows < count:
                raise RuntimeError(f"{name}: {rows} rows of a line that names {count}")
            smallest = smallest or seconds
            told.append(f"{'silver.' + name:46}{count:9,}{rows:9,}{seconds:9.3f}{seconds / smallest:9.2f}")
    return told


def built(name: str, lines: pl.DataFrame) -> pa.Table:
    """The rows as they pass the border of kernels."""
    table = BY_SHORT_NAME[name]
    if table.build is None:
        raise TypeError(f"{name} has no build")
    return declared_table(table.build(lines), table.spec)


def named(line: str, count: int) -> str:
    partitions = [f"orders-{number}" for number in range(count)]
    given = {
        "names": ",".join(partitions),
        "topics": ",".join(f"orders_{number}" for number in range(count)),
        "lists": ", ".join(f"{one} -> Vector(1, 2, 3)" for one in partitions),
        "states": ", ".join(f"{one} -> OnlinePartition" for one in partitions),
    }
    return f"[2026-11-21 00:00:02,000] INFO {line.format(**given)}"


def measured(rows_of: Callable[[], pa.Table], rounds: int) -> tuple[int, float]:
    """How many rows, and the median of seconds, without the first round."""
    taken, count = [], 0
    for _ in range(rounds + 1):
        began = time.perf_counter()
        count = rows_of().num_rows
        taken.append(time.perf_counter() - began)
    return count, statistics.median(taken[1:])
