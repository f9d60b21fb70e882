"""Lives of topics as they were known at the begin of a build: what was told later is taken back."""

import polars as pl
from polars import col, element, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span import Span
from pipeline.model.lines.evidence import LINE

STATES = ("online", "serving")
OWN = (
    *("cluster_id", "topic", "topic_life", "topic_id", "mode", "first_seen_at", "created_at", "created_how"),
    *("requested_at", "term_id"),
)


@needs_rows_of("before")
def carried_lives(before: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Rows of gold.topic_lifecycle that had not ended before the span, with what lines before it say: `known`
    partitions, what was `told` of the deletion, kraft_asked_at, and the opening line (created_file_id,
    created_byte_offset).

    A life of KRaft whose record another controller printed before the one in office did had no creation by then.
    """
    is_open, is_created = span.reached_by("ended_at"), span.before("created_at")
    asked_at = col("deletion_requested_at")
    is_asked = (col("deletion_lines").list.len() == 0) & span.before(asked_at)
    opening, asked = (col("lines").map.get(what).list.first().struct for what in ("created", "requested"))
    return before.filter(is_open).select(
        *(name for name in OWN if name not in {"created_at", "created_how", "requested_at"}),
        created_at=when(is_created).then("created_at"),
        requested_at=when(is_created).then("requested_at"),
        created_how=when(is_created | col("created_at").is_null())
        .then("created_how")
        .otherwise(lit("listed")),
        **{f"created_{name}": opening.field(name) for name in LINE},
        kraft_asked_at=when(is_asked).then(asked_at),
        **{f"kraft_asked_{name}": when(is_asked).then(asked.field(name)) for name in LINE},
        known=col("partitions")
        .list.filter(span.before(element().struct.field("added_at")))
        .list.eval(known_then(span)),
        told=col("deletion_lines").list.filter(span.before(element().struct.field("at"))),
    )


def known_then(span: Span) -> pl.Expr:
    """A partition with the states that it had come to by then."""
    part = element().struct
    fields = [part.field(name) for name in ("partition", "replicas", "added_at")]
    for state in STATES:
        is_so = span.before(part.field(f"{state}_at"))
        fields += [
            when(is_so).then(part.field(f"{state}_{name}")).alias(f"{state}_{name}") for name in ("at", *LINE)
        ]
    return pl.struct(fields)
