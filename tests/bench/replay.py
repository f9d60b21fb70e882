"""How fast moves are judged, beside what else judges the same moves in the same run."""

import gc
import importlib.util
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from polars import col
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.core.frames import declared_table, empty_frame
from pipeline.core.replay import Moves, replay_moves
from pipeline.core.span import ALL_TIME
from pipeline.gold import transition_audit
from pipeline.gold.transition_audit.judging import FROM_LINES, FROM_MOVES, FROM_TERM
from pipeline.kafka.machines.by_release import REPLICA, machines_by_name, move_visibility
from schemas.gold import transition_audit as audit
from schemas.state import replay_summary
from tests.replay import naive
from tests.replay.generated import DONE, Generated, audited, generate, moves, table

SEED, TERMS, PARTS = 20260101, 16, 8
BLOCK = naive.Block(REPLICA, "R2")
# Contenders of which a part of the moves tells the rate.
PLAIN_MOVES, PM4PY_MOVES = 200_000, 100_000
HEADING = f"{'':52}{'moves':>12}{'seconds':>9}{'moves/s':>13}{'x rate':>9}"


@dataclass(frozen=True)
class Judged:
    """One contender: median of the seconds that it took for so many moves."""

    name: str
    seconds: float
    count: int

    @property
    def rate(self) -> float:
        return self.count / self.seconds

    def line(self, baseline: "Judged") -> str:
        counts = f"{self.count:12,}{self.seconds:9.2f}{self.rate:13,.0f}"
        return f"{self.name:52}{counts}{self.rate / baseline.rate:9.2f}"


def replaying(folder: Path, count: int, rounds: int) -> list[str]:
    """Lines of a table; rates as ratio to plain Python. In memory: processor time; from Parquet on: wall time."""
    generated = generate(np.random.default_rng(SEED), BLOCK, "TRACE", count)
    whole = table(generated)
    stored = in_parquet(folder, whole)
    seconds = taken(lambda: audited(whole), rounds)
    found = [
        plain(),
        *pm4py(),
        kernel(generated, rounds),
        Judged("judged_moves, Arrow to Arrow", seconds, count),
        by_spark(stored, count, rounds),
        Judged("this product, all cores", taken(lambda: product(stored), rounds, time.perf_counter), count),
    ]
    return [HEADING, *(one.line(found[0]) for one in found)]


def taken(work: Callable[[], object], rounds: int, clock: Callable[[], float] = time.process_time) -> float:
    seconds = []
    for _ in range(rounds):
        gc.collect()
        began = clock()
        work()
        seconds.append(clock() - began)
    return statistics.median(seconds)


def plain() -> Judged:
    part = generate(np.random.default_rng(SEED), BLOCK, "TRACE", PLAIN_MOVES)
    rows = moves(part)
    seconds = taken(lambda: naive.judged(BLOCK, rows), 1)
    return Judged("naive judge, plain Python, one core", seconds, len(rows))


def kernel(generated: Generated, rounds: int) -> Judged:
    """pipeline.core.replay.replay on codes: sort by object, states before, continuity; without Arrow and verdicts."""
    machine, seen = machines_by_name()["R2"], move_visibility(REPLICA, "R2", is_trace_seen=True)
    states = len(machine.states)
    from_state, to_state = (
        np.where(one < states, one, -2) for one in (generated.from_state, generated.to_state)
    )
    is_startup = (from_state >= 0) & machine.is_startup[from_state]
    codes = Moves(generated.thing, from_state, to_state, generated.how == DONE, is_startup)
    seconds = taken(lambda: replay_moves(codes, seen.explained, seen.complete), rounds)
    return Judged("replay, NumPy, one core", seconds, len(generated))


def pm4py() -> list[Judged]:
    if not importlib.util.find_spec("pm4py"):
        print("PM4Py: not installed (pip install -e .[oracle])")
        return []
    from tests.replay.petri import fits, walks  # noqa: PLC0415

    machine = machines_by_name()["R2"]
    traces = walks(machine, SEED, PM4PY_MOVES // 5)
    count = sum(len(trace) for trace in traces)
    return [Judged("PM4Py, token-based replay, one core", taken(lambda: fits(machine, traces), 1), count)]


def in_parquet(folder: Path, whole: pa.Table) -> Path:
    """A folder of Parquet files with the moves, divided among terms."""
    count = len(whole)
    terms = pa.array((np.arange(count) * TERMS // count).astype(str))
    place = whole.schema.get_field_index("term_id")
    whole = whole.set_column(place, "term_id", terms)
    target = folder / "moves"
    target.mkdir(parents=True, exist_ok=True)
    for part in range(PARTS):
        piece = whole.slice(part * count // PARTS, (part + 1) * count // PARTS - part * count // PARTS)
        pq.write_table(piece, target / f"{part}.parquet", coerce_timestamps="us")
    return target


def product(folder: Path) -> pa.Table:
    """transition_audit.build from silver tables in Parquet to Arrow, joins and sorts included."""
    stored = pl.read_parquet(folder / "*.parquet")
    lines = stored.select("cluster_id", "file_id", "byte_offset", *FROM_LINES)
    terms = stored.group_by("cluster_id", "term_id").agg(col(FROM_TERM).first())
    silver = stored.select(FROM_MOVES).drop("machine")
    none_before = empty_frame(replay_summary.SPEC)
    rows = transition_audit.build(silver, silver.clear(), lines, terms, none_before, ALL_TIME)
    return declared_table(rows, audit.SPEC)


def by_spark(folder: Path, count: int, rounds: int) -> Judged:
    """From the same files to a noop sink."""
    from pipeline.store.spark.session import get_spark, tune_for_size  # noqa: PLC0415

    spark = get_spark()
    spark.sparkContext.setLogLevel("ERROR")
    tune_for_size(spark, 1 << 40, 1 << 40)
    rows = by_lag(spark.read.parquet(str(folder)))
    seconds = taken(lambda: rows.write.format("noop").mode("overwrite").save(), rounds, time.perf_counter)
    return Judged("Spark, lag() in a window, all cores", seconds, count)


def by_lag(stored: DataFrame) -> DataFrame:
    """What one would write first: the state before by lag(), legality by a list of pairs. No hidden moves, no causes."""
    machine = machines_by_name()["R2"]
    pairs = [f"{machine.states[one]} {machine.states[other]}" for one, other in np.argwhere(machine.matrix)]
    objects = Window.partitionBy("cluster_id", "term_id", "topic", "partition", "replica_id").orderBy("seq")
    before = F.last(F.when(F.col("outcome") == "done", F.col("to_state")), ignorenulls=True).over(
        objects.rowsBetween(Window.unboundedPreceding, -1)
    )
    pair = F.concat_ws(" ", "from_state", "to_state")
    return stored.select(
        "*", before.alias("state_before"), pair.isin(pairs).alias("is_legal_pair")
    ).withColumn("is_joined", F.col("state_before") == F.col("from_state"))
