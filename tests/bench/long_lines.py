"""Whether a line costs what it names: one of few and one of many partitions, through the builds that take it apart."""

import statistics
import time
from collections.abc import Callable
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.catalog.tables import BY_SHORT_NAME
from tests.tables import log_records

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
    from pipeline.store.session import get_spark, tune_for_size  # noqa: PLC0415

    spark = get_spark()
    spark.sparkContext.setLogLevel("ERROR")
    tune_for_size(spark, 0, 0)
    told = [HEADING]
    for name, line in LINES.items():
        smallest = 0.0
        for count in COUNTS:
            lines = log_records(spark, {(1, "controller"): named(line, count)}).localCheckpoint()
            build = BY_SHORT_NAME[name].build
            if build is None:
                raise TypeError(f"{name} has no build")
            rows, seconds = measured(partial(build, lines), rounds)
            if rows < count:
                raise RuntimeError(f"{name}: {rows} rows of a line that names {count}")
            smallest = smallest or seconds
            told.append(f"{'silver.' + name:46}{count:9,}{rows:9,}{seconds:9.2f}{seconds / smallest:9.2f}")
    return told


def named(line: str, count: int) -> str:
    partitions = [f"orders-{number}" for number in range(count)]
    given = {
        "names": ",".join(partitions),
        "topics": ",".join(f"orders_{number}" for number in range(count)),
        "lists": ", ".join(f"{one} -> Vector(1, 2, 3)" for one in partitions),
        "states": ", ".join(f"{one} -> OnlinePartition" for one in partitions),
    }
    return f"[2026-11-21 00:00:02,000] INFO {line.format(**given)}"


def measured(rows_of: Callable[[], DataFrame], rounds: int) -> tuple[int, float]:
    """How many rows, and the median of seconds, without the first round; planned anew each time, as Spark keeps what
    a plan has shuffled."""
    taken, count = [], 0
    for _ in range(rounds + 1):
        began = time.perf_counter()
        rows = rows_of()
        count = rows.agg(F.count("*"), F.sum(F.hash(*rows.columns).cast("bigint"))).collect()[0][0]
        taken.append(time.perf_counter() - began)
    return count, statistics.median(taken[1:])
