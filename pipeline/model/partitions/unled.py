"""Partitions without a leader of a known epoch at the begin of a day: who led them is said before it."""

import polars as pl
from polars import col

from pipeline.core.span import Span
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import PARTITION

HAS_LEADER = col("leader") >= 0
HAS_EPOCH = col("leader").is_not_null() & col("leader_epoch").is_not_null()


def unled_partition(partition_timeline: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(PARTITION) of those that have no leader of a known epoch at the begin of the span, and had intervals before."""
    if span.begin is None:
        return partition_timeline.select(PARTITION).clear()
    first = (
        whole_intervals(partition_timeline)
        .sort("interval_seq")
        .unique(PARTITION, keep="first", maintain_order=True)
    )
    is_led_then = (span.before(col("valid_from_at")) & HAS_LEADER & HAS_EPOCH).fill_null(value=False)
    return first.filter(~is_led_then, col("interval_seq") > 1).select(PARTITION)
