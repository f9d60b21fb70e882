"""Ratios over time as anyone would compute them by hand: every partition looked at again at every moment."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from math import inf
from typing import Any

PART_ENDS = ("leader_gone", "leader_returned")  # of an interval that goes on
Row = Mapping[str, Any]
Partition = tuple[str, str, int, int]
Broker = tuple[str, int]


@dataclass(frozen=True)
class Interval:
    """One row of gold.partition_timeline, times in milliseconds."""

    partition: Partition
    interval_seq: int
    begun: int
    ended: int | None
    leader: int | None
    replicas: tuple[int, ...] | None
    is_deleting: bool
    epoch: int
    event: int

    @property
    def cluster(self) -> str:
        return self.partition[0]


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def of_rows(timeline: Iterable[Row]) -> Iterable[Interval]:
    """Rows of gold.partition_timeline; the last part of an interval stands for it."""
    for row in timeline:
        if row["ended_by"] in PART_ENDS:
            continue
        partition = row["cluster_id"], row["topic"], row["topic_life"], row["partition"]
        ended = None if row["valid_until_at"] is None else ms(row["valid_until_at"])
        replicas = None if row["replicas"] is None else tuple(row["replicas"])
        yield Interval(
            partition, row["interval_seq"], ms(row["stated_from_at"]), ended, row["leader"], replicas,
            row["is_deleting"], row["controller_epoch"], row["event_seq"],
        )  # fmt: skip


# When something changes, and in which controller event; what ends without a next interval, for itself.
Change = tuple[int, float, float]


@dataclass(frozen=True)
class Counted:
    """One interval of one broker; ended is infinite while it is open."""

    begun: float
    ended: float
    preferred: int
    elsewhere: int

    @property
    def counts(self) -> tuple[int, int]:
        return self.preferred, self.elsewhere

    @property
    def ratio(self) -> float:
        return self.elsewhere / self.preferred


def counted(imbalances: Iterable[Row]) -> dict[Broker, list[Counted]]:
    """Rows of gold.leader_imbalance by broker; of one that goes on under another limit or less certain one interval."""
    found: dict[Broker, list[Counted]] = defaultdict(list)
    for row in sorted(imbalances, key=lambda one: one["valid_from_at"]):
        ended = inf if row["valid_until_at"] is None else ms(row["valid_until_at"])
        one = Counted(ms(row["valid_from_at"]), ended, row["preferred_count"], row["led_elsewhere_count"])
        assert row["imbalance_ratio"] == one.ratio
        before = found[row["cluster_id"], row["broker_id"]]
        if before and (before[-1].ended, *before[-1].counts) == (one.begun, *one.counts):
            before[-1] = replace(before[-1], ended=one.ended)
        else:
            before.append(one)
    return found


def ratios(intervals: Iterable[Interval], midnight: float) -> dict[Broker, list[Counted]]:
    """Each broker's intervals with its two counts, of all clusters; no row where it is preferred leader of nothing."""
    lives: dict[Broker, list[tuple[Interval, Change, Change | None]]] = defaultdict(list)
    for one, begin, end in changes(intervals):
        if one.replicas is not None and not one.is_deleting:
            lives[one.cluster, one.replicas[0]].append((one, begin, end))
    return {
        broker: list(merged(snapshots(broker[1], of_broker, midnight))) for broker, of_broker in lives.items()
    }


def changes(intervals: Iterable[Interval]) -> Iterable[tuple[Interval, Change, Change | None]]:
    """Each interval with the event that began it, and the one that ended it: that of the partition's next interval."""
    in_order = sorted(intervals, key=lambda one: (one.partition, one.interval_seq))
    for _, same in groupby(in_order, key=lambda one: one.partition):
        rows = list(without_writes(same))
        for one, following in zip(rows, [*rows[1:], None], strict=True):
            begin = (one.begun, one.epoch, event(one))
            if one.ended is None:
                yield one, begin, None
            elif following is None or following.begun != one.ended:
                yield one, begin, (one.ended, inf, one.ended)
            else:
                yield one, begin, (one.ended, following.epoch, event(following))


def without_writes(rows: Iterable[Interval]) -> Iterable[Interval]:
    """What is of no event, and changes neither leader nor assignment, is the interval before it, which goes on."""
    last: Interval | None = None
    for one in rows:
        if last and one.event == 0 and last.ended == one.begun and what_counts(last) == what_counts(one):
            last = replace(last, ended=one.ended)
        else:
            if last:
                yield last
            last = one
    if last:
        yield last


def what_counts(one: Interval) -> tuple[object, ...]:
    replicas = one.replicas or ()
    is_elsewhere = bool(replicas) and one.leader not in (None, *replicas[:1])
    return one.replicas, is_elsewhere, one.is_deleting


def event(one: Interval) -> int:
    """What is of no event is one for itself."""
    return one.event or -one.begun


def snapshots(
    broker_id: int, of_broker: list[tuple[Interval, Change, Change | None]], midnight: float
) -> Iterable[tuple[int, int, int]]:
    """(moment, preferred, elsewhere) after every moment, over all partitions that the broker ever was preferred for."""
    moments = moments_of({one for _, *both in of_broker for one in both if one is not None}, midnight)
    for at in sorted(set(moments.values())):
        there = [
            one
            for one, begin, end in of_broker
            if moments[begin] <= at and (end is None or at < moments[end])
        ]
        yield at, len(there), sum(one.leader not in (None, broker_id) for one in there)


def moments_of(changed: set[Change], midnight: float) -> dict[Change, int]:
    """What an event changes holds from its last change on, unless another event or a day comes between."""
    moments: dict[Change, int] = {}
    for _, run in groupby(sorted(changed), key=lambda one: (one[0] >= midnight, *one[1:])):
        together = list(run)
        moments |= dict.fromkeys(together, together[-1][0])
    return moments


def merged(counts: Iterable[tuple[int, int, int]]) -> Iterable[Counted]:
    """Intervals from one change of the counts to the next."""
    steps = [next(same) for _, same in groupby(counts, key=lambda one: one[1:])]
    ends = [at for at, *_ in steps[1:]]
    for (at, preferred, elsewhere), end in zip(steps, [*ends, inf], strict=True):
        if preferred:
            yield Counted(at, end, preferred, elsewhere)
