"""Parts of intervals that nobody serves, with what is at their root and how they end.

A line is two columns with one prefix: <prefix>_file_id and <prefix>_byte_offset.
"""

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.outage_bounds import WIPED
from pipeline.model.partitions.service import (
    BROKER,
    LEADER_GONE,
    LINE,
    NEW,
    broker_absences,
    with_next_row,
)
from pipeline.model.partitions.service_parts import PART_ENDS
from pipeline.model.partitions.statements import PARTITION
from pipeline.model.partitions.topic_lives import BEGINS_A_LIFE

TAKEN = "partition_created"  # a KRaft controller took the partition over from ZooKeeper
RETURNED, ELECTED = "leader_returned", "elected"
NEXT = (
    *("leader", "state", "is_deleting", "is_unknown", "is_unserved", "is_doubted"),
    *("line_file_id", "line_byte_offset"),
)
ROOT = ("left_how", "left_term_id", "left_file_id", "left_byte_offset")


def unserved_parts(partition_timeline: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Parts without service: from_at, until_at, how an outage would end with each (ending; null: it goes on), and the
    lines of both; old_leader: its own leader, else the last one before; where its leader is absent when it begins
    (is_absent) that broker is the root, and how it left. is_since_doubt: it may have been so before, and is certain
    from its begin on; is_behind_doubt: who led just before is in doubt; is_until_doubt: it is certain to its end, and
    may go on. is_first_known: nothing is known of the partition before it, neither a leader nor its creation."""
    # What is in doubt from the instant on in which it is said is no outage of its own.
    is_momentary = col("is_until_doubt") & (col("valid_from_at") == col("valid_until_at"))
    parts = (
        with_following(partition_timeline)
        .filter(~col("is_served"), ~is_momentary.fill_null(value=False))
        .with_row_index("row_no")
    )
    gone = roots_of_absent_leaders(parts, broker_session.filter(col("mode") == "zookeeper"))
    is_absent = col("gone_id").is_not_null()
    has_next_line = col("ending").is_in([ELECTED, RETURNED])
    known_root = {name: when(~col("is_since_doubt")).then(name) for name in ROOT}
    led = parts.join(gone, on="row_no", how="left").with_columns(**known_root)
    return led.select(
        *(
            *PARTITION,
            "replicas",
            "ending",
            "is_since_doubt",
            "is_behind_doubt",
            "is_until_doubt",
            "is_first_known",
        ),
        from_at="valid_from_at",
        until_at="valid_until_at",
        is_absent=is_absent,
        root_broker_id="gone_id",
        root_left_how="left_how",
        term_id=pl.coalesce("left_term_id", "term_id"),
        root_event=lit(None, pl.String),
        is_in_doubt=col("certainty") == "undetermined",
        old_leader="led_by",
        new_leader=when(col("ending") == ELECTED).then("next_leader"),
        **{f"line_{name}": pl.coalesce(f"left_{name}", f"line_{name}") for name in LINE},
        **{f"ending_{name}": when(has_next_line).then(f"next_line_{name}") for name in LINE},
    )


def with_following(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """Parts of intervals with their first line, what follows each at once (with_next), how an outage would end with it
    (ending; null: it goes on), and led_by: its own leader, else the last one before."""
    is_doubted = col("certainty") == "undetermined"
    first = col("evidence").list.first().struct
    its_leader = when(col("leader") >= 0).then("leader")
    marked = partition_timeline.with_columns(
        is_doubted=is_doubted,
        is_unknown=is_doubted & col("leader").is_null() & col("state").is_null(),
        is_unserved=~col("is_served").fill_null(value=True),
        **{f"line_{name}": first.field(name) for name in LINE},
    )
    parts = with_next_row(marked, ["interval_seq", "part_seq"], NEXT)
    was_doubted = (
        when(col("has_next")).then(col("is_doubted") & col("is_unserved")).shift(1).fill_null(value=False)
    )
    is_since_doubt = was_doubted & ~col("is_doubted")
    is_behind_doubt = when(col("has_next")).then("is_doubted").shift(1).fill_null(value=False) & ~col(
        "is_doubted"
    )
    # Who led before a time of which nothing is known did not lead on into it.
    known_since = (is_since_doubt | col("is_unknown")).cum_sum().over(PARTITION)
    is_known = its_leader.is_not_null() | (col("state") == NEW).fill_null(value=False)
    return (
        parts.with_columns(
            is_since_doubt=is_since_doubt,
            is_behind_doubt=is_behind_doubt,
            is_until_doubt=is_until_doubt(),
            is_first_known=~is_known.cum_max().over(PARTITION),
            known_since=known_since,
        )
        .with_columns(
            led_by=its_leader.forward_fill().over(*PARTITION, "known_since"),
            ending=when(col("valid_until_at").is_not_null()).then(its_ending()),
        )
        .drop("known_since", "is_unserved")
    )


def is_until_doubt() -> pl.Expr:
    is_next_in_doubt = (col("next_is_doubted") & col("next_is_unserved")).fill_null(value=False)
    return ~col("is_doubted") & is_next_in_doubt


def its_ending() -> pl.Expr:
    """How an outage would end with a part. A partition is New only after it was gone: where no line tells that its
    topic was deleted, this one does."""
    is_taken_over = ~col("has_next") & (col("ended_by") == TAKEN)
    is_created_anew = (col("next_state") == NEW).fill_null(value=False) & col("state").ne_missing(NEW)
    is_gone = ~col("has_next") | col("next_is_deleting") | is_created_anew
    is_untold = col("next_is_unknown") | (col("is_doubted") & col("next_is_unserved")) | is_until_doubt()
    return (
        when(col("ended_by").is_in(PART_ENDS))
        .then(lit(RETURNED))
        .when(is_taken_over)
        .then(lit("taken_over"))
        .when(~col("has_next") & col("ended_by").is_in(BEGINS_A_LIFE))
        .then(lit(WIPED))
        .when(is_gone)
        .then(lit("deleted"))
        .when(is_untold)
        .then(lit("lines_missing"))
        .otherwise(lit(ELECTED))
    )


def roots_of_absent_leaders(parts: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """(row_no, gone_id, ROOT) of parts whose leader is absent when they begin: by the absence that began last."""
    led = parts.filter(col("topic_id").is_null(), col("leader") >= 0).select(
        "row_no", "cluster_id", "unserved_why", broker_id="leader", from_at="valid_from_at"
    )
    absent = broker_absences(led.select(BROKER).unique(), sessions)
    is_absent = (col("from_at") < col("end_at")).fill_null(col("end_at").is_null())
    return (
        led.sort("from_at")
        .join_asof(
            absent.sort("begin_at"), left_on="from_at", right_on="begin_at", by=BROKER, check_sortedness=False
        )
        .filter(col("begin_at").is_not_null(), is_absent | (col("unserved_why") == LEADER_GONE))
        .select("row_no", *ROOT, gone_id="broker_id")
    )
