"""What a change of silver.term has built anew."""

from datetime import datetime

import polars as pl
from polars import col, lit

from pipeline.core.incremental import AFFECTS, ALL_SINCE, Incremental, TablesAtHand, first_time
from pipeline.model.terms.succession import (
    TERM,
    half_read_stretches,
    unseen_from,
    unseen_stretches,
    with_superseded,
)

# Columns of a term that decide which lines belong to it, when it begins, and how its moves are judged.
WATCHED = (
    *("cluster_id", "term_id", "mode", "controller_id", "controller_epoch", "elected_at", "first_seen_at"),
    *("file_id", "byte_offset", "replica_machine", "is_trace_seen", "is_isr_told", "are_moves_read"),
)


def term_identities(term: pl.DataFrame) -> pl.DataFrame:
    """Lines belong to a term, and its moves are judged, by what is known of it: from its begin on."""
    return term.select(*WATCHED, col("first_seen_at").alias(AFFECTS))


def superseded_term_ends(term: pl.DataFrame) -> pl.DataFrame:
    """What a controller did not find at its start rests on the last line of the one before: from its election on."""
    followed = with_superseded(term).filter(col("superseded_at").is_not_null())
    return followed.select(*TERM, "last_seen_at", col("superseded_at").alias(AFFECTS))


def unseen_term_begins(term: pl.DataFrame) -> pl.DataFrame:
    """Ratios are undetermined from the time on from which a term may be missing, leaders until one is stated again."""
    first = unseen_from(term).filter(col("unseen_at").is_not_null())
    each = pl.concat([unseen_stretches(term), half_read_stretches(term)])
    both = pl.concat(
        [first.select("cluster_id", "unseen_at"), each.select("cluster_id", unseen_at=col("from_at"))]
    ).unique()
    return both.with_columns(col("unseen_at").alias(AFFECTS))


def void_term_begins(term: pl.DataFrame) -> pl.DataFrame:
    """A KRaft controller may give up on the next day what it decided."""
    given_up = term.filter(col("void_from_at").is_not_null())
    return given_up.select(*TERM, "void_from_at", col("void_from_at").alias(AFFECTS))


def unproved_term_begins(term: pl.DataFrame) -> pl.DataFrame:
    """Logs of later days, or those of days that were missing, tell whether a KRaft term went on: from that day on."""
    since = term.filter(col("unproved_from_at").is_not_null())
    return since.select(*TERM, "unproved_from_at", col("unproved_from_at").alias(AFFECTS))


def first_terms(term: pl.DataFrame) -> pl.DataFrame:
    """Until a line shows a controller in office what brokers print of partitions is taken for that of KRaft mode."""
    since = lit(ALL_SINCE, pl.Datetime("us", "UTC")).alias(AFFECTS)
    return term.select("cluster_id").unique().with_columns(since)


def later_life_begin(at_hand: TablesAtHand, start: datetime) -> datetime | None:
    """begin_of_later_life() of the lines from the day on."""
    return begin_of_later_life(at_hand.since("controller_line", start), at_hand.whole("term"))


def begin_of_later_life(lines: pl.DataFrame, terms: pl.DataFrame) -> datetime | None:
    """A controller that acts beside those of a later life of the cluster (a migration to KRaft) moves the end of the
    earlier one: from the begin of the later one's terms on."""
    lives = lines.select("cluster_id", going_on=life_of_term()).drop_nulls().unique()
    quorums = terms.filter(col("mode") == "kraft").join(lives, on="cluster_id")
    return first_time(quorums.filter(col("life") > col("going_on")), "first_seen_at")


def life_of_term() -> pl.Expr:
    """The number in front of a term_id."""
    return col("term_id").str.split_exact("-", 1).struct.field("field_0").cast(pl.Int32, strict=False)


INCREMENTAL = Incremental(
    changes_lines=(
        term_identities,
        superseded_term_ends,
        unseen_term_begins,
        void_term_begins,
        unproved_term_begins,
        first_terms,
    ),
    verdicts_from=later_life_begin,
)
