"""Pieces of impact by audience, put together to unbroken stretches."""

from collections.abc import Mapping
from datetime import timedelta
from functools import cache

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import milliseconds_between, with_island
from pipeline.gold.client_impact.moves import GROUPS, TRANSACTIONS
from pipeline.gold.client_impact.pieces import BOUNDS, LINE, PIECE
from pipeline.kafka.facts import read_fact_table
from pipeline.model.lines.evidence import NO_LINES, known_lines, outermost_lines
from schemas.gold.client_impact import KINDS, RECOVERY_MS, SPEC

SUBJECT = ("cluster_id", "topic", "topic_life", "partition", "audience")
STRETCH = (*SUBJECT, "island")
NAMES = ("names", "name_count")
CERTAINTIES = ("proved", "inferred", "undetermined")
PART: Mapping[str, pl.DataType] = {name: kind for name, kind in PIECE.items() if name not in SUBJECT}
ENDS = tuple(f"end_{name}" for name in LINE)


@cache
def client_effects() -> pl.DataFrame:
    """(kind, subject, audience, delayed_operation, effect): whom each kind hurts, and how."""
    rows = pl.DataFrame(read_fact_table("machines/client_effects.tsv")).drop("why")
    return rows.rename({"operation": "delayed_operation"}).with_columns(
        col("delayed_operation").replace("", None)
    )


def by_audience(pieces: pl.DataFrame) -> pl.DataFrame:
    """Pieces once for each audience that they hurt, by the subject: a partition, one that coordinates, a topic."""
    subject = (
        when(col("partition").is_null()).then(lit("topic"))
        .when(col("topic") == GROUPS).then(lit("groups"))
        .when(col("topic") == TRANSACTIONS).then(lit("transactions"))
        .otherwise(lit("partition"))
    )  # fmt: skip
    whom = client_effects().select("kind", "subject", "audience")
    return pieces.with_columns(subject=subject).join(whom, on=["kind", "subject"]).drop("subject")


def unbroken_stretches(pieces: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.client_impact but for NAMES: pieces (with audience) of one subject are one while a client cannot
    recover between them."""
    end = pl.coalesce("until_at", "until_earliest_at") + timedelta(milliseconds=RECOVERY_MS)
    ordered = with_island(pieces.with_columns(end_at="until_at", until_at=end), SUBJECT).with_columns(
        until_at="end_at"
    )
    turn = ("from_at", "kind", "root_at", *LINE)
    ordered = ordered.sort(*STRETCH, *dict.fromkeys((*turn, *PART)))
    parts = pl.struct(list(PART))
    is_open, is_untold = col("until_earliest_at").is_null(), col("until_at").is_null()
    worst = col("certainty").replace_strict(
        {one: n for n, one in enumerate(CERTAINTIES)}, return_dtype=pl.Int8
    )
    lines = known_lines(LINE, ENDS)
    found = ordered.group_by(STRETCH, maintain_order=True).agg(
        kinds=col("kind").unique(),
        from_at=col("from_at").min(),
        from_latest_at=col("from_latest_at").min(),
        until_earliest_at=when(~is_open.any()).then(col("until_earliest_at").max()),
        until_at=when(~is_untold.any()).then(col("until_at").max()),
        root_event=col("root_event").first(),
        root_broker_id=col("root_broker_id").first(),
        root_at=col("root_at").first(),
        refused_count=col("refused_count").sum(),
        confirmed_by=col("confirmed_by").drop_nulls().unique().sort(),
        parts=parts,
        certainty=worst.min(),
        evidence=lines.list.explode().unique(maintain_order=True),
    )
    return (
        found.join(certain_lengths(ordered), on=list(STRETCH), how="left", nulls_equal=True)
        .join(main_kinds(ordered), on=list(STRETCH), how="left", nulls_equal=True)
        .with_columns(
            kinds=in_order_of_kinds(),
            low_ms=when(col("until_earliest_at").is_not_null()).then("low_ms"),
            high_ms=milliseconds_between("from_at", "until_at") + RECOVERY_MS,
            certainty=col("certainty").replace_strict(dict(enumerate(CERTAINTIES)), return_dtype=pl.String),
            evidence=outermost_lines(pl.coalesce("evidence", NO_LINES)),
        )
        .select(one for one in SPEC.columns if one not in NAMES)
    )


def in_order_of_kinds() -> pl.Expr:
    """The names of kinds in the order of KINDS, worst first."""
    return pl.concat_list(
        when(col("kinds").list.contains(one)).then(lit(one)) for one in KINDS
    ).list.drop_nulls()


def certain_lengths(pieces: pl.DataFrame) -> pl.DataFrame:
    """(STRETCH, low_ms): the time that parts cover for certain, from their latest begin to their earliest end: those
    that are not in doubt."""
    sure = pieces.select(
        *STRETCH, "certainty", from_at="from_latest_at", until_at="until_earliest_at"
    ).filter(col("until_at") > col("from_at"), col("certainty") != "undetermined")
    joined = with_island(sure.rename({"island": "stretch"}), (*SUBJECT, "stretch"))
    each = joined.group_by(*SUBJECT, "stretch", "island").agg(col("from_at").min(), col("until_at").max())
    lengths = each.group_by(*SUBJECT, island=col("stretch")).agg(
        low_ms=milliseconds_between("from_at", "until_at").sum()
    )
    zero = pieces.select(STRETCH).unique()
    return zero.join(lengths, on=list(STRETCH), how="left", nulls_equal=True).with_columns(
        col("low_ms").fill_null(0)
    )


def main_kinds(pieces: pl.DataFrame) -> pl.DataFrame:
    """(STRETCH, main_kind, delayed_operation, effect): of the longest part; of equal ones the worst kind."""
    rank = col("kind").replace_strict({one: n for n, one in enumerate(KINDS)}, return_dtype=pl.Int8)
    end = pl.coalesce("until_at", "until_earliest_at")
    length = when(end.is_null()).then(lit(2**62)).otherwise((end - col("from_at")).dt.total_microseconds())
    longest = (
        pieces.with_columns(rank=rank, length=length)
        .sort("length", "rank", descending=[True, False])
        .unique(STRETCH, keep="first", maintain_order=True)
        .select(*STRETCH, main_kind="kind", subject=subject_of())
    )
    effects = client_effects().rename({"kind": "main_kind"})
    return longest.join(effects, on=["main_kind", "subject", "audience"], how="left").drop("subject")


def subject_of() -> pl.Expr:
    return (
        when(col("partition").is_null()).then(lit("topic"))
        .when(col("topic") == GROUPS).then(lit("groups"))
        .when(col("topic") == TRANSACTIONS).then(lit("transactions"))
        .otherwise(lit("partition"))
    )  # fmt: skip


def pieces_of(rows: pl.DataFrame) -> pl.DataFrame:
    """The pieces, with audience, that rows of gold.client_impact are made of."""
    parts = rows.select(*SUBJECT, "parts").explode("parts").unnest("parts")
    return parts.select(*PIECE, "audience")


__all__ = ["BOUNDS", "by_audience", "pieces_of", "unbroken_stretches"]
