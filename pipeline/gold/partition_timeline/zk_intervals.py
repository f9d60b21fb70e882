"""Who led which partition when in ZooKeeper mode: from what controllers state line by line."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.gold.partition_timeline.leader_writes import (
    is_followed_unseen,
    with_stale_isr,
)
from pipeline.gold.partition_timeline.zk_statements import is_new, with_partition_number
from pipeline.model.partitions.said_offline import OFFLINE
from pipeline.model.partitions.statements import TRACKED
from pipeline.model.partitions.topic_lives import GONE
from pipeline.model.terms.missing_terms import (
    LED,
    ORDER_WITH_DOUBT,
    UNDETERMINED,
    in_doubt,
    is_known_offline,
    with_doubt_rows,
)

LINE = ("file_id", "byte_offset")
INFERRED = "inferred"
PLACE = ("controller_epoch", "seq", "event_seq", "term_id")


def zk_intervals(
    said: pl.DataFrame,
    term: pl.DataFrame,
    wording_seen: pl.DataFrame,
    chances: pl.DataFrame,
    jumps: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per interval of a partition in ZooKeeper mode in which nothing known of it changed.

    said: zk_statement(). chances: of missing_terms.election_chances; jumps: of missing_terms.jumps_of_statements.
    """
    return (
        with_partition_number(said)
        .pipe(with_doubt_rows, term, chances, jumps, span)
        .pipe(fill_known_statements)
        .pipe(intervals_of_statements)
        .pipe(with_stale_isr, term, wording_seen)
    )


def fill_known_statements(lived: pl.DataFrame) -> pl.DataFrame:
    """Each statement with all that is known after it; an Offline partition keeps the leader that Kafka keeps, but for
    one that was in doubt: who led it before nobody knows then; nor has one that is New a leader of before.
    isr_<LINE>: the line that stated the ISR first, after another or an unknown one, or another write; is_isr_counted:
    it says what its leader meant to write."""
    in_turn = lived.sort("partition_no", *ORDER_WITH_DOUBT)
    anew = (is_known_offline("partition_no") | is_new()).cum_sum().over("partition_no")
    since_known = ("partition_no", "known_anew")
    known = in_turn.with_columns(known_anew=anew).with_columns(
        col(name for name in TRACKED if name not in LED).forward_fill().over("partition_no"),
        col(*LED, "partition_epoch").forward_fill().over(since_known),
        is_in_doubt=in_doubt("leader_epoch", since_known),
        is_assignment_doubted=in_doubt("replicas", "partition_no"),
        is_state_doubted=in_doubt("state", "partition_no"),
    )
    # Who leads is stated anew, and that it is Offline is not.
    is_offline_of_before = ~col("is_in_doubt") & col("is_state_doubted") & (col("state") == OFFLINE)
    known = known.with_columns(state=when(~is_offline_of_before.fill_null(value=False)).then("state"))
    is_other = (
        col(name).ne_missing(col(name).shift(1).over("partition_no")) for name in ("isr", "partition_epoch")
    )
    is_other_isr = pl.any_horizontal("is_unseen", *is_other)
    said: dict[str, pl.Expr] = {
        f"isr_{name}": when(is_other_isr).then(pl.coalesce(f"isr_{name}", name)) for name in LINE
    }
    is_counted = when(is_other_isr).then(pl.coalesce("was_counted", "is_counted"))
    # What is undetermined says no more than that on the next day.
    said |= {"is_isr_counted": when("is_in_doubt").then(lit(value=False)).otherwise(is_counted)}
    return known.with_columns(
        one.forward_fill().over("partition_no").alias(name) for name, one in said.items()
    )


def intervals_of_statements(lived: pl.DataFrame) -> pl.DataFrame:
    """One row per statement that changes what is known, but for those after which the partition is gone.

    A doubt has the place of the last statement if that is of the same day (UTC), else that of the interval before it:
    of the days before nothing is told of statements that only repeat what is known. What a leader writes has the place
    of the interval before it, too. Neither is a controller's event: event_seq is 0.
    """
    known = ("partition_no", *TRACKED, "partition_epoch", "is_in_doubt", "is_assignment_doubted")
    is_new = pl.any_horizontal("is_unseen", *(col(name).ne_missing(col(name).shift(1)) for name in known))
    has_isr = col("isr").is_not_null() & col("isr_file_id").is_not_null()
    isr_line = pl.concat_list(pl.struct(file_id="isr_file_id", byte_offset="isr_byte_offset"))
    counted = (col("first_seq").max().over("partition_no") - 1).fill_null(0)
    return (
        lived.filter(is_new)
        .with_columns(
            when(col("has_place") & ~col("is_doubt")).then("event_seq").otherwise(0).alias("event_"),
            when("has_place").then(col(PLACE)).forward_fill().over("partition_no"),
            when("has_line").then(col(LINE)).forward_fill().over("partition_no"),
        )
        .with_columns(
            is_followed_unseen=is_followed_unseen(),
            valid_until_at=col("at").shift(-1).over("partition_no"),
            ended_by=col("event").shift(-1).over("partition_no"),
        )
        .filter(col("state").ne_missing(GONE))
        .with_columns(
            interval_seq=col("at").cum_count().over("partition_no").cast(pl.Int64) + counted,
            valid_from_at="at",
            event_seq="event_",
            is_deleting=col("is_deleting").fill_null(value=False),
            is_assignment_stale=when(col("replicas").is_not_null()).then("is_assignment_doubted"),
            certainty=interval_certainty(),
            evidence=pl.concat_list(pl.struct(LINE)),
            isr_evidence=when(has_isr).then(isr_line),
        )
    )


def interval_certainty() -> pl.Expr:
    is_counted = col("is_isr_counted").fill_null(value=False)
    return (
        when("is_in_doubt")
        .then(lit(UNDETERMINED))
        .when(is_counted)
        .then(lit(INFERRED))
        .otherwise(lit("proved"))
    )
