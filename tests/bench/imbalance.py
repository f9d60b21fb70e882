"""How fast ratios over time are made of a timeline, beside grouping every partition anew at every event."""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from pipeline.gold import leader_imbalance
from schemas.gold import leader_imbalance as imbalances
from schemas.gold import partition_timeline
from schemas.silver import broker_setting, term
from schemas.spark import struct_of
from tests.tables import table

SEED = 20260101
BROKERS, PARTITIONS, REPLICAS = 200, 100_000, 3
# An event of the controller moves so many partitions, in two milliseconds; one event a second.
OF_EVENT = 5
# Each round of changes touches every partition once, in an order of its own: a step and a shift modulo PARTITIONS.
STEP, SHIFT = 48_271, 7_919
BACK = pow(STEP, -1, PARTITIONS)
PLAIN_PART = 250  # the obvious way is run on this part of the changes
SAID = (
    "cluster_id string, broker_id int, threshold_ratio double, check_interval_seconds long, "
    "is_auto_rebalance_enabled boolean, source string"
)
TERM = (
    "cluster_id | life | controller_epoch | elected_at | last_seen_at | mode\n b | 1 | 1 | 0 | 0 | zookeeper"
)
HEADING = f"{'':46}{'changes':>12}{'seconds':>9}{'changes/s':>13}{'x time':>9}"


@dataclass
class Timed:
    """One contender on so many changes, and what it took in each round."""

    name: str
    count: int
    rows: DataFrame
    seconds: list[float] = field(default_factory=list)

    def line(self, smallest: "Timed") -> str:
        median, first = statistics.median(self.seconds), statistics.median(smallest.seconds)
        return f"{self.name:46}{self.count:12,}{median:9.2f}{self.count / median:13,.0f}{median / first:9.2f}"


def imbalance(folder: Path, count: int, rounds: int) -> list[str]:
    """Lines of a table; x time: beside the same contender on a quarter of the changes. RuntimeError: they differ."""
    from pipeline.store.session import get_spark, tune_for_size  # noqa: PLC0415

    spark = get_spark()
    spark.sparkContext.setLogLevel("ERROR")
    tune_for_size(spark, 1 << 40, 1 << 40)
    few, many = ([part // 4, part // 2, part] for part in (count // PLAIN_PART, count))
    contenders: list[tuple[str, Callable[[DataFrame], DataFrame], list[int]]] = [
        ("all partitions grouped anew at every event", by_snapshot, few),
        ("this product on the same", by_change, few),
        ("this product", by_change, many),
    ]
    timelines = {each: stored(spark, folder, each) for each in {*few, *many}}
    timed = [Timed(name, each, way(timelines[each])) for name, way, counts in contenders for each in counts]
    require_same(timed[0].rows, timed[len(few)].rows)
    for _ in range(rounds):
        for one in timed:
            gc.collect()
            began = time.perf_counter()
            one.rows.write.format("noop").mode("overwrite").save()
            one.seconds.append(time.perf_counter() - began)
    smallest = {one.name: one for one in reversed(timed)}
    return [HEADING, *(one.line(smallest[one.name]) for one in timed)]


def stored(spark: SparkSession, folder: Path, count: int) -> DataFrame:
    target = str(folder / f"timeline-{count}")
    generated(spark, count).write.mode("overwrite").parquet(target)
    return spark.read.parquet(target)


def generated(spark: SparkSession, count: int) -> DataFrame:
    """gold.partition_timeline of PARTITIONS partitions, all there from the first event on, with so many changes."""
    number = F.col("id") - PARTITIONS
    in_round, place = F.floor(number / PARTITIONS) + 1, F.pmod(number, F.lit(PARTITIONS))
    partition = F.when(number < 0, F.col("id")).otherwise(
        F.pmod(place * STEP + in_round * SHIFT, F.lit(PARTITIONS))
    )
    changes = spark.range(PARTITIONS + count).select(
        number.alias("number"), in_round.alias("round"), partition.alias("partition")
    )
    # The same partition in the next round: the order of that round, read backwards.
    back = F.pmod((F.col("partition") - (F.col("round") + 1) * SHIFT) * BACK, F.lit(PARTITIONS))
    following = F.col("round") * PARTITIONS + back
    head = F.pmod(F.xxhash64("partition", F.lit(SEED)), F.lit(BROKERS))
    replicas = F.array(*(F.pmod(head + each, F.lit(BROKERS)).cast("int") for each in range(REPLICAS)))
    drawn = F.pmod(F.xxhash64("number", F.lit(SEED)), F.lit(REPLICAS)).cast("int")
    return changes.withColumn("replicas", replicas).select(
        *as_declared(
            struct_of(partition_timeline.SPEC),
            cluster_id=F.lit("b"),
            topic=F.concat(F.lit("topic-"), F.col("partition") % 1000),
            topic_life=F.lit(1),
            partition=F.col("partition").cast("int"),
            interval_seq=F.col("round") + 1,
            valid_from_at=moment("number"),
            valid_until_at=F.when(following < count, moment(following)),
            leader=F.when(F.col("number") < 0, F.col("replicas")[0]).otherwise(F.col("replicas")[drawn]),
            replicas=F.col("replicas"),
            is_deleting=F.lit(False),
            controller_epoch=F.lit(1),
            term_id=F.lit("1-1"),
            seq=F.col("number"),
            event_seq=event_of("number"),
            certainty=F.lit("proved"),
            evidence=F.array(F.struct(F.lit("file").alias("file_id"), F.col("number").alias("byte_offset"))),
        )
    )


def event_of(number: str | Column) -> Column:
    one = F.col(number) if isinstance(number, str) else number
    return F.greatest(F.floor(one / OF_EVENT) + 1, F.lit(0))


def moment(number: str | Column) -> Column:
    """The second half of an event is a millisecond later."""
    one = F.col(number) if isinstance(number, str) else number
    is_later = (one >= 0) & (F.pmod(one, F.lit(OF_EVENT)) >= OF_EVENT // 2)
    return F.timestamp_millis(event_of(one) * 1000 + is_later.cast("long"))


def as_declared(struct: StructType, **columns: Column) -> list[Column]:
    """Columns of a table; what is not given is null."""
    return [
        (columns[one.name] if one.name in columns else F.lit(None).cast(one.dataType)).alias(one.name)
        for one in struct.fields
    ]


def by_change(timeline: DataFrame) -> DataFrame:
    spark = timeline.sparkSession
    said = spark.createDataFrame([("b", None, 0.1, 300, True, "conf")], SAID)
    printed = spark.createDataFrame([], struct_of(broker_setting.SPEC))
    before = spark.createDataFrame([], struct_of(imbalances.SPEC))
    return leader_imbalance.build(timeline, table(spark, term.SPEC, TERM), said, printed, before, None)


def by_snapshot(timeline: DataFrame) -> DataFrame:
    """What one would write first: the partitions as they are after each event, grouped by their preferred leader."""
    events = timeline.groupBy("event_seq").agg(F.max("valid_from_at").alias("at"))
    is_there = (F.col("valid_from_at") <= F.col("at")) & F.coalesce(
        F.col("valid_until_at") > F.col("at"), F.lit(True)
    )
    head = F.col("replicas")[0]
    return (
        timeline.join(F.broadcast(events.select("at")), on=is_there, how="inner")
        .groupBy(head.alias("broker_id"), "at")
        .agg(
            F.count("*").alias("preferred_count"),
            F.count_if(F.col("leader") != head).alias("led_elsewhere_count"),
        )
    )


def require_same(snapshots: DataFrame, intervals: DataFrame) -> None:
    """RuntimeError: at some event a broker has other counts in its interval then."""
    one, other = snapshots.alias("one"), intervals.alias("other")
    covers = (F.col("one.broker_id") == F.col("other.broker_id")) & (F.col("valid_from_at") <= F.col("at"))
    is_open = F.coalesce(F.col("valid_until_at") > F.col("at"), F.lit(True))
    counts = ("preferred_count", "led_elsewhere_count")
    is_same = F.struct(*(F.col(f"one.{name}") for name in counts)) == F.struct(
        *(F.col(f"other.{name}") for name in counts)
    )
    same = one.join(other, on=covers & is_open & is_same, how="inner").count()
    if same != snapshots.count():
        raise RuntimeError(f"expected {snapshots.count():,} equal counts, found {same:,}")
