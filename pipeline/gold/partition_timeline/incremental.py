"""How gold.partition_timeline follows the nights."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import polars as pl
from polars import col, lit

from pipeline.core.conditions import all_conditions, column_before
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import (
    AFFECTS,
    ALL_SINCE,
    CarriedState,
    Incremental,
    TablesAtHand,
    affected_from,
    names_condition,
)
from pipeline.gold.partition_timeline.before import timeline_before
from pipeline.gold.partition_timeline.watched import watched_from
from pipeline.model.partitions.service_parts import ended_intervals, whole_intervals
from pipeline.model.partitions.statements import PARTITION
from pipeline.model.partitions.unled import HAS_EPOCH, HAS_LEADER
from schemas.gold.partition_timeline import SPEC

# What an interval of a partition says that other tables rest on.
WATCHED = (
    "state",
    "leader",
    "leader_epoch",
    "partition_epoch",
    "is_isr_stale",
    "is_assignment_stale",
    "certainty",
)


def led_before(at_hand: TablesAtHand, start: datetime, unled_partition: pl.DataFrame) -> pl.DataFrame:
    """Rows of this table that ended before the day, of each partition that has no leader of a known epoch
    then: the last one with a leader, and the last one with an epoch."""
    if unled_partition.is_empty():
        return empty_frame(SPEC)
    of_topics = names_condition("topic", unled_partition["topic"])
    ended = at_hand.stored(SPEC, all_conditions(column_before("valid_until_at", start), of_topics))
    theirs = ended_intervals(ended).join(unled_partition, on=PARTITION, how="semi").sort("interval_seq")
    last = [
        theirs.filter(one).unique(PARTITION, keep="last", maintain_order=True)
        for one in (HAS_LEADER, HAS_EPOCH)
    ]
    return pl.concat(last).unique((*PARTITION, "interval_seq"))


def first_watched(term: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """What logs of brokers may have told is missing in KRaft mode as soon as one broker has a state-change.log."""
    in_kraft = term.filter(col("mode") == "kraft").select("cluster_id").unique()
    watched = watched_from(wording_seen).select("cluster_id").unique().join(in_kraft, on="cluster_id")
    return watched.with_columns(lit(ALL_SINCE, pl.Datetime("us", "UTC")).alias(AFFECTS))


def changed_from(rows: pl.DataFrame, given: Mapping[str, Any], start: datetime) -> datetime | None:
    """The first time before the day of which rows of the kernel say something else than is stored."""
    now, stored = (whole_intervals(one) for one in (rows, given["timeline_before"]))
    return earliest_changed_interval(now, stored, PARTITION, WATCHED, start)


def earliest_changed_interval(
    rows: pl.DataFrame, before: pl.DataFrame, key: Sequence[str], watched: Sequence[str], start: datetime
) -> datetime | None:
    """The earliest begin (valid_from_at) before `start` of intervals of which rows and those before it say differently.

    rows: what a kernel gives from `start` on, and of each key the intervals before it from some interval_seq on.
    before: what is stored of the time before `start`.
    """
    at, number = col("valid_from_at"), col("interval_seq")
    earlier, stored = (one.filter(at < start) for one in (rows, before))
    told = earlier.group_by(key).agg(first_seq=number.min())
    same_time = stored.join(told, on=list(key)).filter(number >= col("first_seq"))
    now, then = (one.select(*key, *watched, at, at.alias(AFFECTS)) for one in (earlier, same_time))
    return affected_from(now, then)


INCREMENTAL = Incremental(
    ordered_by="valid_until_at",
    lookback_days=0,
    carried={
        "timeline_before": CarriedState(timeline_before, empty_frame(SPEC)),
        "led_before": CarriedState(led_before, empty_frame(SPEC)),
    },
    changes_lines=(first_watched,),
    changed_from=changed_from,
)
