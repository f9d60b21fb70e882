"""How fast ratios over time are made of a timeline, beside grouping every partition anew at every event."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import col, lit, when

from pipeline.core.frames import empty_frame, with_absent
from pipeline.core.span import ALL_TIME
from pipeline.gold import leader_imbalance
from pipeline.model.settings import BalancingSetting, StatedBalancing
from schemas.gold import leader_imbalance as imbalances
from schemas.gold import partition_timeline
from schemas.silver import broker_setting, term
from tests.bench.runs import Cost, cost_of, median
from tests.frames import frame
from tests.kernel_calls import rows_of

SEED = 20260101
BROKERS, PARTITIONS, REPLICAS = 200, 100_000, 3
# An event of the controller moves so many partitions, in two milliseconds; one event a second.
OF_EVENT = 5
# Each round of changes touches every partition once, in an order of its own: a step and a shift modulo PARTITIONS.
STEP, SHIFT = 48_271, 7_919
BACK = pow(STEP, -1, PARTITIONS)
PLAIN_PART = 250  # the obvious way is run on this part of the changes
SAID = BalancingSetting(StatedBalancing(0.1, 300, is_auto_rebalance_enabled=True, source="conf"))
TERM = frame(
    term.SPEC,
    "cluster_id | life | controller_epoch | elected_at | last_seen_at | mode\n b | 1 | 1 | 0 | 0 | zookeeper",
)
HEADING = f"{'':46}{'changes':>12}{'wall s':>9}{'changes/s':>13}{'x time':>9}{'cpu s':>9}{'x time':>9}"
COUNTS = ("preferred_count", "led_elsewhere_count")

Way = Callable[[pl.DataFrame], pl.DataFrame]
Codes = NDArray[np.int64]


@dataclass
class Timed:
    """One contender on so many changes, and what it took in each round."""

    name: str
    count: int
    way: Way
    costs: list[Cost] = field(default_factory=list)

    def line(self, smallest: "Timed") -> str:
        own, first = median(self.costs), median(smallest.costs)
        walls = f"{own.wall:9.2f}{self.count / own.wall:13,.0f}{own.wall / first.wall:9.2f}"
        of_processors = f"{own.processor:9.2f}{own.processor / first.processor:9.2f}"
        return f"{self.name:46}{self.count:12,}{walls}{of_processors}"


def imbalance(count: int, rounds: int) -> list[str]:
    """Lines of a table; x time: beside the same contender on a quarter of the changes. RuntimeError: they differ."""
    few, many = ([part // 4, part // 2, part] for part in (count // PLAIN_PART, count))
    contenders: list[tuple[str, Way, list[int]]] = [
        ("all partitions grouped anew at every event", by_snapshot, few),
        ("this product on the same", by_change, few),
        ("this product", by_change, many),
    ]
    timelines = {each: generated(each) for each in {*few, *many}}
    require_same(by_snapshot(timelines[few[0]]), by_change(timelines[few[0]]))
    timed = [Timed(name, each, way) for name, way, counts in contenders for each in counts]
    for _ in range(rounds):
        for one in timed:
            one.costs.append(cost_of(partial(one.way, timelines[one.count])))
    smallest = {one.name: one for one in reversed(timed)}
    return [HEADING, *(one.line(smallest[one.name]) for one in timed)]


def generated(count: int) -> pl.DataFrame:
    """gold.partition_timeline of PARTITIONS partitions, all there from the first event on, with so many changes."""
    rng = np.random.default_rng(SEED)
    head = rng.integers(BROKERS, size=PARTITIONS)
    number = np.arange(-PARTITIONS, count)
    in_round, place = number // PARTITIONS + 1, number % PARTITIONS
    partition = np.where(number < 0, place, (place * STEP + in_round * SHIFT) % PARTITIONS)
    # The same partition in the next round: the order of that round, read backwards.
    following = in_round * PARTITIONS + (partition - (in_round + 1) * SHIFT) * BACK % PARTITIONS
    replicas = (head[partition, None] + np.arange(REPLICAS)) % BROKERS
    drawn = np.where(number < 0, 0, rng.integers(REPLICAS, size=len(number)))
    rows = pl.DataFrame(
        {
            "topic": partition % 1000,
            "partition": partition,
            "interval_seq": in_round + 1,
            "valid_from_at": moment(number),
            "valid_until_at": moment(following),
            "leader": replicas[np.arange(len(number)), drawn],
            "replicas": replicas,
            "seq": number,
            "event_seq": event_of(number),
        }
    ).with_columns(
        cluster_id=lit("b"),
        topic=pl.format("topic-{}", "topic"),
        topic_life=lit(1),
        partition=col("partition").cast(pl.Int32),
        valid_from_at=col("valid_from_at").cast(pl.Datetime("us", "UTC")),
        valid_until_at=when(following < count).then(col("valid_until_at").cast(pl.Datetime("us", "UTC"))),
        leader=col("leader").cast(pl.Int32),
        replicas=col("replicas").arr.to_list().cast(pl.List(pl.Int32)),
        is_deleting=lit(value=False),
        controller_epoch=lit(1),
        term_id=lit("1-1"),
        certainty=lit("proved"),
        evidence=pl.concat_list(pl.struct(file_id=lit("file"), byte_offset="seq")),
    )
    return with_absent(rows, partition_timeline.SPEC).select(partition_timeline.SPEC.columns)


def event_of(number: Codes) -> Codes:
    return np.maximum(number // OF_EVENT + 1, 0)


def moment(number: Codes) -> Codes:
    """In microseconds; the second half of an event is a millisecond later."""
    is_later = (number >= 0) & (number % OF_EVENT >= OF_EVENT // 2)
    return (event_of(number) * 1000 + is_later) * 1000


def by_change(timeline: pl.DataFrame) -> pl.DataFrame:
    printed, before = empty_frame(broker_setting.SPEC), empty_frame(imbalances.SPEC)
    return rows_of(
        leader_imbalance,
        partition_timeline=timeline,
        term=TERM,
        balancing_setting=SAID,
        broker_setting=printed,
        imbalance_before=before,
        span=ALL_TIME,
    )


def by_snapshot(timeline: pl.DataFrame) -> pl.DataFrame:
    """What one would write first: the partitions as they are after each event, grouped by their preferred leader."""
    ends = timeline.group_by("event_seq").agg(at=col("valid_from_at").max())["at"].sort()
    until, head = col("valid_until_at"), col("replicas").list.first()
    said = timeline.select("valid_from_at", "valid_until_at", "leader", broker_id=head)
    snapshots = [
        said.filter(col("valid_from_at") <= at, until.is_null() | (until > at))
        .group_by("broker_id")
        .agg(
            at=lit(at, ends.dtype),
            preferred_count=pl.len().cast(pl.Int64),
            led_elsewhere_count=(col("leader") != col("broker_id")).sum().cast(pl.Int64),
        )
        for at in ends
    ]
    return pl.concat(snapshots)


def require_same(snapshots: pl.DataFrame, intervals: pl.DataFrame) -> None:
    """RuntimeError: at some event a broker has other counts in its interval then."""
    found = snapshots.sort("at").join_asof(
        intervals.sort("valid_from_at"),
        left_on="at",
        right_on="valid_from_at",
        by="broker_id",
        check_sortedness=False,
    )
    is_open = col("valid_until_at").is_null() | (col("valid_until_at") > col("at"))
    is_same = pl.all_horizontal(col(name) == col(f"{name}_right") for name in COUNTS)
    same = found.filter(is_open & is_same).height
    if same != snapshots.height:
        raise RuntimeError(f"expected {snapshots.height:,} equal counts, found {same:,}")
