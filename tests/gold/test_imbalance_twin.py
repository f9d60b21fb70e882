"""Ratios over time against a plain Python twin, on generated timelines: hundreds of small clusters in one frame."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import inf
from random import Random
from typing import Any

import polars as pl
import pyarrow as pa
from polars import col, lit, when

from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.core.span import Span
from pipeline.gold import leader_imbalance
from pipeline.model.settings import BalancingSetting
from schemas.gold import leader_imbalance as imbalances
from schemas.gold.partition_timeline import SPEC
from schemas.silver import broker_setting, term
from schemas.silver.broker_setting import PER_BROKER
from schemas.spec import TableSpec
from tests.gold.imbalance_twin import Broker, Counted, Interval, Partition, ratios
from tests.kernel_calls import rows_of

CLUSTERS, SEED, QUIET, MIDNIGHT = 300, 20261121, 50, 60
DAY = datetime(2026, 11, 21, tzinfo=UTC)
BEGIN = DAY - timedelta(milliseconds=MIDNIGHT)


@dataclass(frozen=True)
class Cluster:
    """The rows of a timeline, and a time at which no event goes on, if there is one."""

    intervals: list[Interval]
    quiet_at: int | None


def generated(random: Random, cluster: str) -> Cluster:
    """The life of some partitions in events of two controllers that write at once, a few milliseconds apart."""
    now, epoch, quiet_at = 0, 1, None
    events, said = {1: 0, 2: 0}, dict[Partition, list[Interval]]()
    for _ in range(random.randint(1, 30)):
        step = random.choice([0, 0, 1, 1, 2, QUIET])
        now += step
        if step == QUIET:
            events, quiet_at = {each: number + 1 for each, number in events.items()}, now - QUIET // 2
        # At one time the lines of the later term come last.
        epoch = random.choice([1, 1, 2]) if step else max(epoch, random.choice([1, 2]))
        events[epoch] += random.choice([0, 1])
        partition = (cluster, random.choice("ab"), 1, random.randint(0, 2))
        before = said.setdefault(partition, [])
        if before and before[-1].ended is None:
            before[-1] = replace(before[-1], ended=now)
        if random.random() < 0.1:
            continue  # it is gone: what is said of it later comes after a hole
        before.append(
            Interval(
                partition,
                len(before) + 1,
                now,
                None,
                random.choice([None, -1, 1, 2, 3]),
                random.choice([None, (1, 2), (2, 3), (3, 1), (1, 3)]),
                random.random() < 0.15,
                epoch,
                events[epoch] if random.random() < 0.8 else 0,
            )
        )
    return Cluster([one for each in said.values() for one in each], quiet_at)


def cut(whole: Cluster, name: str) -> list[Interval]:
    """The same under another name, where each interval that goes on at the quiet time ends, and begins again."""
    pieces, at = [], whole.quiet_at
    for one in whole.intervals:
        there = replace(one, partition=(name, *one.partition[1:]), interval_seq=2 * one.interval_seq)
        if at is not None and one.begun < at and (one.ended is None or at < one.ended):
            pieces.append(replace(there, interval_seq=2 * one.interval_seq - 1, ended=at))
            there = replace(there, begun=at, epoch=3, event=0)
        pieces.append(there)
    return pieces


def frame_of_rows(spec: TableSpec, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows of a table; a column that they do not name is null."""
    loose = pa.schema([one.with_nullable(True) for one in spec.arrow])
    return frame_of(pa.Table.from_pylist([dict(row) for row in rows], schema=loose))


def timeline(intervals: list[Interval]) -> pl.DataFrame:
    """The same as rows of gold.partition_timeline; what a ratio does not rest on is null."""
    rows = []
    for place, one in enumerate(intervals):
        cluster, topic, topic_life, partition = one.partition
        known = {
            "cluster_id": cluster, "topic": topic, "topic_life": topic_life, "partition": partition,
            "interval_seq": one.interval_seq, "valid_from_at": moment(one.begun), "valid_until_at": moment(one.ended),
            "leader": one.leader, "replicas": one.replicas, "is_deleting": one.is_deleting,
            "controller_epoch": one.epoch, "term_id": f"1-{one.epoch}", "event_seq": one.event,
            "evidence": [{"file_id": "file", "byte_offset": place}],
        }  # fmt: skip
        rows.append(known)
    return frame_of_rows(SPEC, rows)


def moment(at: int | None) -> datetime | None:
    return None if at is None else BEGIN + timedelta(milliseconds=at)


def milliseconds(at: datetime | None) -> float:
    return inf if at is None else (at - BEGIN) // timedelta(milliseconds=1)


def imbalance(
    intervals: pl.DataFrame,
    terms: pl.DataFrame,
    printed: pl.DataFrame,
    before: pl.DataFrame,
    begin: datetime | None,
) -> pl.DataFrame:
    made = rows_of(
        leader_imbalance,
        partition_timeline=intervals,
        term=terms,
        balancing_setting=BalancingSetting(),
        broker_setting=printed,
        imbalance_before=before,
        span=Span(begin),
    )
    return frame_of(declared_table(made, imbalances.SPEC))


def built(intervals: list[Interval]) -> dict[Broker, list[Counted]]:
    """Each broker's intervals as gold.leader_imbalance has them."""
    terms, printed, before = (empty_frame(spec) for spec in (term.SPEC, broker_setting.SPEC, imbalances.SPEC))
    found = defaultdict(list)
    for row in imbalance(timeline(intervals), terms, printed, before, None).to_dicts():
        begun, ended = milliseconds(row["valid_from_at"]), milliseconds(row["valid_until_at"])
        one = Counted(begun, ended, row["preferred_count"], row["led_elsewhere_count"])
        assert row["imbalance_ratio"] == one.ratio
        found[row["cluster_id"], row["broker_id"]].append(one)
    return {broker: sorted(rows, key=lambda one: one.begun) for broker, rows in found.items()}


def test_generated_timelines() -> None:
    random = Random(SEED)  # noqa: S311  no secrets are drawn
    wholes = {f"{number}": generated(random, f"{number}") for number in range(CLUSTERS)}
    intervals = [one for each in wholes.values() for one in each.intervals]
    pieces = [one for name, each in wholes.items() for one in cut(each, f"{name} cut")]
    assert len(pieces) > len(intervals) + CLUSTERS
    expected = {broker: rows for broker, rows in ratios(intervals, MIDNIGHT).items() if rows}
    found = built([*intervals, *pieces])
    for rows in found.values():
        require_algebra(rows)
    assert {broker: rows for broker, rows in found.items() if "cut" not in broker[0]} == expected
    assert {broker: rows for broker, rows in found.items() if "cut" in broker[0]} == {
        (f"{name} cut", broker_id): rows for (name, broker_id), rows in expected.items()
    }
    assert len({one.ratio for rows in expected.values() for one in rows}) > 6


def terms_of(number: int) -> list[dict[str, Any]]:
    """Of every third cluster a term is missing; every fifth is in KRaft mode, and some partition there before it was
    seen."""
    if number % 5 == 4:
        return []
    first, later = 1, 3 if number % 3 == 1 else 2
    begun = {first: (0, 20 + number % 80), later: (110, 500)}
    return [
        {
            "cluster_id": f"{number}", "term_id": f"1-{epoch}", "life": 1, "controller_epoch": epoch,
            "mode": "zookeeper", "elected_at": moment(elected), "first_seen_at": moment(elected),
            "last_seen_at": moment(last_seen),
        }
        for epoch, (elected, last_seen) in begun.items()
    ]  # fmt: skip


def printed_of(number: int) -> list[dict[str, Any]]:
    """What broker 2 prints of its limit, another one each time."""
    return [
        {
            "cluster_id": f"{number}", "node_id": 2, "file_id": "f", "byte_offset": at, "name": PER_BROKER,
            "logged_at": moment(at + number % 2), "value": f"{at}",
        }
        for at in (40, 60, 75)
    ]  # fmt: skip


def with_kraft(intervals: pl.DataFrame) -> pl.DataFrame:
    """Every fifth cluster in KRaft mode, and some intervals undetermined."""
    is_kraft = col("cluster_id").cast(pl.Int64) % 5 == 4
    is_born = (col("interval_seq") == 1) & (col("partition") < 2)
    is_unsure = (col("interval_seq") + col("partition")) % 4 == 0
    return intervals.with_columns(
        topic_id=when(is_kraft).then(lit("id")),
        partition_epoch=when(is_born).then(lit(0, pl.Int32)).otherwise(lit(7, pl.Int32)),
        certainty=when(is_unsure).then(lit("undetermined")).otherwise(lit("proved")),
    )


def test_days_one_by_one() -> None:
    """Built from midnight on, amid events and changes at that very moment, the rows are those of building all."""
    random = Random(SEED)  # noqa: S311  no secrets are drawn
    intervals = [one for number in range(CLUSTERS) for one in generated(random, f"{number}").intervals]
    stated = with_kraft(timeline(intervals))
    terms = frame_of_rows(term.SPEC, (row for number in range(CLUSTERS) for row in terms_of(number)))
    printed = frame_of_rows(
        broker_setting.SPEC, (row for number in range(CLUSTERS) for row in printed_of(number))
    )
    until = col("valid_until_at")
    is_reaching = until.is_null() | (until >= DAY)
    is_unseen = (until < DAY) & (col("reason") == imbalances.CREATION_UNSEEN)

    whole = imbalance(stated, terms, printed, empty_frame(imbalances.SPEC), None)
    open_then = whole.filter(col("valid_from_at") < DAY, is_reaching)
    before = pl.concat([open_then, whole.filter(is_unseen).unique("cluster_id")])
    found = imbalance(stated.filter(is_reaching), terms, printed, before, DAY)
    expected = sorted(map(str, whole.filter(is_reaching).to_dicts()))
    assert sorted(map(str, found.to_dicts())) == expected
    assert len(expected) > CLUSTERS
    assert set(found["reason"].to_list()) == {None, *imbalances.REASONS}


def require_algebra(rows: list[Counted]) -> None:
    """Intervals of one broker: none is empty, none overlaps the next, and the counts change from one to the other."""
    assert all(one.begun < one.ended and 0 <= one.elsewhere <= one.preferred for one in rows)
    for one, following in pairwise(rows):
        is_change = (one.preferred, one.elsewhere) != (following.preferred, following.elsewhere)
        assert one.ended < following.begun or (one.ended == following.begun and is_change)
