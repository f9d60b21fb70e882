"""What controllers held of partitions before a day, as statements that their lines from that day on follow."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.controller_view import OWN
from pipeline.model.partitions.statements import (
    PARTITION,
    SENT,
    TRACKED,
    life_in_term_id,
    partitions_known_before,
)

MOVE = "partition_transition"
SAYING = ("event", "leader_epoch", "isr", "file_id", "byte_offset")
# Places before all lines of a term: of what is held, and that the epoch of the last election is not.
HELD, UNSAID = 1, 2


def with_stated_columns(own: pl.DataFrame) -> pl.DataFrame:
    """Statements with said_...: what the line itself says, which views are not."""
    return own.with_columns(col(SAYING).name.prefix("said_"))


def behind_views(own: pl.DataFrame, view_before: pl.DataFrame, *, with_doubted: bool) -> pl.DataFrame:
    """Statements of terms after what is held before them; without requests that tell less than their controller knows:
    of one batch the first may tell what came between (up to 1.0, two brokers gone at once).

    own: with_stated_columns(), and more columns that begin so. view_before: rows of state.partition_view, the last
    one of each partition. with_doubted: also of what may have changed unseen before the term.
    """
    held = held_before(view_before, with_doubted=with_doubted)
    rows = pl.concat([own, *held], how="diagonal").sort("seq")
    known = col("said_leader_epoch").cum_max().forward_fill().shift(1).over(OWN)
    is_stale = col("said_event").is_in(SENT) & (col("said_leader_epoch") < known)
    return rows.filter(~is_stale.fill_null(value=False))


def held_before(view_before: pl.DataFrame, *, with_doubted: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What is held as statements, and elections whose leader epoch nothing said as lines that do not say it."""
    is_stated = col("isr_file_id").is_not_null()
    held = view_before.select(
        *OWN,
        *(
            when(with_doubted | ~col("doubted").list.contains(lit(name))).then(name).alias(name)
            for name in TRACKED
        ),
        seq=lit(HELD, pl.Int64),
        at="day_at",
        said_leader_epoch="stated_epoch",
        said_isr=when(is_stated).then("isr"),
        said_file_id="isr_file_id",
        said_byte_offset="isr_byte_offset",
    )
    unsaid = view_before.filter("is_epoch_unsaid").select(
        *OWN, seq=lit(UNSAID, pl.Int64), at="day_at", said_event=lit(MOVE), said_outcome=lit("done")
    )
    return held, unsaid


def there_before(partition_timeline: pl.DataFrame, view_before: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(PARTITION, life, at, is_there) of the partitions that were there before the span, cluster-wide or for a
    controller, as partition_statements() wants it; is_there: cluster-wide."""
    held = view_before.select(*PARTITION, life=life_in_term_id(), at="day_at", is_there=lit(value=False))
    known = partition_timeline.filter(span.before("valid_from_at"))
    return pl.concat([partitions_known_before(known, span), held])
