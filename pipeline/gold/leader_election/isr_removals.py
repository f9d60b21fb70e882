"""Removals of replicas from the ISR of which only a later request tells (up to 2.5), each as a row of its own."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.gold.leader_election.leader_selectors import NOBODY

# The lines since the leader epoch was said last; of these no more than one implies a removal, the last one.
SINCE_EPOCH = ("object", "said_before")
# A replica that went offline longer before a request is not what the request tells of.
SOON = timedelta(hours=1)
GONE = ("gone_id", "gone_seq", "gone_logged_at", "gone_file_id", "gone_byte_offset")
TOLD = ("told_file_id", "told_byte_offset")


def with_each_removal(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with how: the attempts; of what a request implies a row per removal: two brokers may go at once, and only
    the last is told.

    By the line on which the replica went offline, where as many did as the leader epoch rose; told: the request.
    """
    tried = rows.filter(col("how").is_not_null())
    implied = tried.filter(col("how") == "implied")
    each = implied.join(removals_of(implied, gone_replicas(rows)), on=SINCE_EPOCH).with_columns(
        told_file_id="said_file_id", told_byte_offset="said_byte_offset"
    )
    others = tried.join(each, on=[*SINCE_EPOCH, "number"], how="anti")
    return pl.concat([others, removals_as_statements(each).select(*tried.columns, *TOLD)], how="diagonal")


def gone_replicas(rows: pl.DataFrame) -> pl.DataFrame:
    """(SINCE_EPOCH, GONE): replicas that went offline, in order, each with its line."""
    return rows.filter(col("said_gone_id").is_not_null()).select(
        *SINCE_EPOCH,
        gone_id="said_gone_id",
        gone_seq="seq",
        gone_logged_at="said_logged_at",
        gone_file_id="said_file_id",
        gone_byte_offset="said_byte_offset",
    )


def removals_of(implied: pl.DataFrame, gone: pl.DataFrame) -> pl.DataFrame:
    """(SINCE_EPOCH, GONE, place, ids): the replicas whose removals requests imply, in order; ids: all of the request.

    All that went offline soon before, or those of them in the ISR, if as many as the leader epoch rose; else the last
    one. A replica whose deletion was put off goes offline once more: it has left the ISR by then.
    """
    rise = col("said_leader_epoch") - col("leader_epoch_before")
    is_in_isr = col("isr_before").list.contains(col("gone_id")).fill_null(value=False)
    is_last = col("gone_seq") == col("gone_seq").max().over(SINCE_EPOCH)
    is_meant = (
        when(col("rise") == pl.len().over(SINCE_EPOCH)).then(lit(value=True))
        .when(col("rise") == col("is_in_isr").sum().over(SINCE_EPOCH)).then("is_in_isr")
        .otherwise(is_last)
    )  # fmt: skip
    asked = implied.select(*SINCE_EPOCH, "isr_before", told_at="said_logged_at", rise=rise)
    return (
        gone.join(asked, on=SINCE_EPOCH)
        .filter(col("told_at") - col("gone_logged_at") <= SOON)
        .sort(*SINCE_EPOCH, "gone_seq")
        .unique([*SINCE_EPOCH, "gone_id"], keep="first", maintain_order=True)
        .with_columns(is_in_isr=is_in_isr)
        .filter(is_meant)
        .group_by(SINCE_EPOCH)
        .agg(*GONE, ids="gone_id", place=pl.int_range(pl.len()))
        .explode(*GONE, "place")
    )


def removals_as_statements(each: pl.DataFrame) -> pl.DataFrame:
    """Each removal as its own line would have said it, with what the controller held before it."""
    place, count = col("place"), col("ids").list.len().cast(pl.Int64)
    is_first = place == 0
    epoch = col("said_leader_epoch") - (count - 1 - place).cast(pl.Int32)
    return each.with_columns(
        said_leader=leader_after(place),
        said_isr=isr_after(place),
        said_leader_epoch=epoch,
        said_logged_at="gone_logged_at",
        said_file_id="gone_file_id",
        said_byte_offset="gone_byte_offset",
        seq="gone_seq",
        leader_before=when(is_first).then("leader_before").otherwise(leader_after(place - 1)),
        isr_before=when(is_first).then("isr_before").otherwise(isr_after(place - 1)),
    )


def leader_after(place: pl.Expr) -> pl.Expr:
    """The leader after the removal at that place, the first is 0; the last one is what is told."""
    so_far = col("ids").list.slice(0, place + 1)
    is_gone = so_far.list.contains(col("leader_before"))
    is_last = place == col("ids").list.len() - 1
    return when(is_last).then("said_leader").when(is_gone).then(NOBODY).otherwise("leader_before")


def isr_after(place: pl.Expr) -> pl.Expr:
    later = col("ids").list.slice(place + 1)
    return col("said_isr").list.set_union(later)
