"""Intervals of partitions in parts, where the broker that leads one leaves or comes back, and put together again."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span import Span
from pipeline.core.stretches import open_end
from pipeline.model.partitions.service import (
    LEADER_GONE,
    LINE,
    broker_absences,
    led_by_absent,
    unserved_reason,
    with_next_row,
)
from pipeline.model.partitions.statements import PARTITION

LEADER_RETURNED = "leader_returned"
INTERVAL = (*PARTITION, "interval_seq")
# What ends a part but not its interval.
PART_ENDS = (LEADER_GONE, LEADER_RETURNED)
KNOWN = ("part_seq", "valid_from_at", "unserved_why", "evidence")


def in_parts(
    intervals: pl.DataFrame,
    sessions: pl.DataFrame,
    unlisted: pl.DataFrame,
    timeline_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """Intervals in parts (part_seq, stated_from_at), each with is_served and unserved_why.

    A part that begins as a broker leaves or is back rests on that line first, and on the interval's own.
    sessions: of brokers in ZooKeeper mode, those that reach the span and the last one of each broker before it. In
    KRaft the intervals say themselves since when a leader is fenced. unlisted: of unlisted_terms; whether a leader
    serves that may be back is not known. timeline_before: parts that begin before the span; what was so by then is
    as they say.
    """
    rows = (
        with_next_row(intervals, ["interval_seq"], ("term_id", "event_seq"))
        .with_row_index("row_no")
        .with_columns(
            unserved_why=unserved_reason(), stated_from_at="valid_from_at", part_seq=lit(1, pl.Int64)
        )
    )
    is_led = (col("leader") >= 0) & ~col("is_deleting") & col("unserved_why").is_null()
    led = rows.filter(col("topic_id").is_null(), is_led.fill_null(value=False))
    leaders = led.select("cluster_id", broker_id="leader").unique()
    gone = led_by_absent(led, broker_absences(leaders, sessions), unlisted)
    divided = led.join(known_parts(timeline_before, span), on=INTERVAL, how="left")
    is_divided = col("known_part_seq").is_not_null() | col("row_no").is_in(gone["row_no"].implode())
    parts = divided.filter(is_divided).pipe(divide_intervals, gone, span)
    whole_ones = rows.join(parts.select("row_no").unique(), on="row_no", how="anti")
    both = pl.concat([whole_ones, parts], how="diagonal").sort("row_no", "part_seq")
    return (
        both.join(unsure_intervals(gone), on="row_no", how="left")
        .with_columns(is_served=is_served())
        .drop("unsure_until_at")
    )


def is_served() -> pl.Expr:
    is_sure = (col("valid_from_at") >= col("unsure_until_at")).fill_null(value=True)
    is_led = (col("leader") >= 0) & ~col("is_deleting") & (col("certainty") != "undetermined") & is_sure
    return when(col("unserved_why").is_not_null()).then(lit(value=False)).when(is_led).then(lit(value=True))


def unsure_intervals(gone: pl.DataFrame) -> pl.DataFrame:
    """(row_no, unsure_until_at): of intervals whose leader may be back, until when that is not known."""
    return gone.filter("is_unsure").group_by("row_no").agg(unsure_until_at=open_end("gone_until_at").max())


def known_parts(timeline_before: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(INTERVAL, known_<KNOWN>) of intervals in parts: the part that reaches the span."""
    is_part = is_of_parts() & span.reached_by("valid_until_at")
    in_turn = timeline_before.filter(is_part).sort("part_seq")
    last = in_turn.unique(INTERVAL, keep="last", maintain_order=True)
    return last.select(*INTERVAL, col(KNOWN).name.prefix("known_"))


def is_of_parts() -> pl.Expr:
    """True for each part of an interval that is in several, or whose leader was gone from its begin on."""
    is_first_of_some = col("ended_by").is_in(PART_ENDS) | (col("unserved_why") == LEADER_GONE)
    return ((col("part_seq") > 1) | is_first_of_some).fill_null(value=False)


@needs_rows_of("led")
def divide_intervals(led: pl.DataFrame, gone: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Intervals in parts. led: with known_<KNOWN>; gone: led_by_absent()."""
    begun = (
        part_begins(led, gone, span)
        .sort("row_no", "at", "place")
        .filter(~col("is_at_once").cum_max().shift(1, fill_value=False).over("row_no"))
        .filter((col("at").shift(-1).over("row_no") > col("at")).fill_null(value=True))
    )
    counted = (col("known_part_seq") - 1).fill_null(0)
    each = begun.with_columns(
        number=col("at").cum_count().over("row_no").cast(pl.Int64),
        part_until_at=col("at").shift(-1).over("row_no"),
        part_ended_by=col("kind").shift(-1).over("row_no"),
    ).join(led.drop("valid_from_at", "unserved_why", "part_seq"), on="row_no")
    itself = pl.coalesce("known_evidence", "evidence")
    has_line = col("file_id").is_not_null()
    its_line = pl.concat_list(pl.struct(LINE), col("evidence").list.last())
    return each.with_columns(
        valid_from_at="at",
        valid_until_at=pl.coalesce("part_until_at", "valid_until_at"),
        ended_by=pl.coalesce("part_ended_by", "ended_by"),
        part_seq=col("number") + counted,
        evidence=when(col("kind").is_null()).then(itself).when(has_line).then(its_line).otherwise("evidence"),
    ).drop(
        *("at", "place", "kind", "is_at_once", "number", "part_until_at", "part_ended_by", *LINE),
        *(f"known_{name}" for name in KNOWN),
    )


def part_begins(led: pl.DataFrame, gone: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(row_no, at, place, kind, unserved_why, is_at_once, LINE): where parts begin: the intervals themselves, or of
    those that are known before the span the part that reaches it; where their leader leaves, and where it is back."""
    own = led.select(
        "row_no",
        at=pl.coalesce("known_valid_from_at", "valid_from_at"),
        place=lit(0),
        unserved_why="known_unserved_why",
    )
    left = gone.filter(~col("is_unsure")).select(
        *("row_no", "is_at_once"),
        **{name: col(f"left_{name}") for name in LINE},
        at="gone_from_at",
        place=lit(2),
        kind=lit(LEADER_GONE),
        unserved_why=lit(LEADER_GONE),
    )
    back = gone.filter(col("gone_until_at").is_not_null()).select(
        "row_no",
        **{name: col(f"back_{name}") for name in LINE},
        at="gone_until_at",
        place=lit(1),
        kind=lit(LEADER_RETURNED),
    )
    later = pl.concat([left, back], how="diagonal")
    both = pl.concat([own, later.filter(span.since("at"))], how="diagonal")
    return both.with_columns(col("is_at_once").fill_null(value=False))


@needs_rows_of("parts")
def whole_intervals(parts: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.partition_timeline as intervals, in which nothing known of a partition changed: what controllers
    state of it goes on while its leader is away. The last part that is given stands for its interval."""
    is_part = is_of_parts()
    some = parts.filter(is_part)
    if some.is_empty():
        return parts
    last = some.sort("part_seq").unique(INTERVAL, keep="last", maintain_order=True)
    intervals = last.with_columns(valid_from_at="stated_from_at", evidence=col("evidence").list.tail(1))
    return pl.concat([parts.filter(~is_part), intervals])


def ended_intervals(parts: pl.DataFrame) -> pl.DataFrame:
    """Of rows of gold.partition_timeline that ended by some time the intervals that ended by then, as intervals."""
    goes_on = col("ended_by").is_in(PART_ENDS).fill_null(value=False)
    return whole_intervals(parts.filter(~goes_on))
