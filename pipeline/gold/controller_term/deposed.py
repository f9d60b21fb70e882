"""What a controller still did when the next one was elected, and what it comes to."""

import polars as pl
from polars import col, lit, when

from pipeline.model.terms.term_steps import MODE

COUNTS = ("sent_count", "empty_count", "refused_count", "fenced_count")


def with_fate(term: pl.DataFrame) -> pl.DataFrame:
    """The deeds as far as they can be known, what they come to, and since when it could write nothing.

    Moves are printed at TRACE, from 2.6 on at INFO. From 2.1 on (epoch_zk_version) ZooKeeper refuses each write of a
    deposed controller: a success after superseded_at is a matter of clocks there.
    """
    # Its last lines may be of a process that was no controller, but not what it did before it said that it resigned.
    has_resigned = col("resigned_at").is_between("acted_at", "stopped_without_at", closed="left")
    is_own = col("stopped_without_at").is_null() | has_resigned.fill_null(value=False)
    is_own &= ~is_before_unread_election()
    is_known = col("is_succeeded") & col("last_line_at").is_not_null() & is_own
    is_level_met = col("is_trace_seen") | col("is_stated_at_info").fill_null(value=False)
    are_writes_known = is_known & col("has_state_changes") & is_level_met & (col("mode") == "zookeeper")
    acts = pl.max_horizontal(col("late_act_count").cast(pl.Int64) - col("empty_count").cast(pl.Int64), 0)
    is_fenced = col("fenced_at").is_not_null()
    return (
        term.with_columns(col(COUNTS).fill_null(0))
        .with_columns(
            last_act_at=pl.coalesce("acted_at", "last_line_at", "last_seen_at"),
            ready_ms=col("ready_at").dt.epoch("ms") - col("elected_at").dt.epoch("ms"),
            acts_after_count=when(is_known).then(acts),
            writes_after_count=when(are_writes_known).then(col("write_count").fill_null(0)),
            fenced_from_at="fenced_at",
            fenced_until_at=when(is_fenced).then(pl.coalesce("ended_at", "superseded_at")),
            still_line=when(is_fenced & (col("ended_how") == "open")).then("last_line"),
        )
        .with_columns(overlap=when(is_known & (col("late_count") > 0)).then(overlap_kind()))
    )


def is_before_unread_election() -> pl.Expr:
    """True of a term without an end whose controller has a later one of which the election is not read: what it did
    last may be of that one."""
    own = (*MODE, "life", "controller_id")
    has_next = col("controller_epoch").shift(-1).over(own).is_not_null()
    return has_next & col("elected_at").shift(-1).over(own).is_null() & col("ended_at").is_null()


def overlap_kind() -> pl.Expr:
    writes_count = col("writes_after_count")
    has_written = writes_count > 0
    is_fenced_release = col("epoch_zk_version").is_not_null()
    is_kraft = col("mode") == "kraft"
    has_talked = (col("sent_count") > 0) | (col("refused_count") > 0)
    # What stands just before that may be of its resignation, or not.
    is_end_alone = col("is_end_alone").fill_null(value=False)
    nothing = lit(None, pl.String)
    return (
        when(is_kraft & col("resigning_at").is_null())
        .then(nothing)
        .when((col("acts_after_count") == 0) & is_end_alone)
        .then(nothing)
        .when(col("acts_after_count") == 0)
        .then(lit("resignation_tail"))
        .when(is_kraft)
        .then(lit("zombie_harmless"))
        .when(has_written & ~is_fenced_release)
        .then(lit("zombie_wrote"))
        .when(has_written | writes_count.is_null())
        .then(nothing)
        .when(has_talked)
        .then(lit("zombie_talked"))
        .otherwise(lit("zombie_harmless"))
    )
