"""What KRaft controllers tell of their own work: slow and failed events, and what a minute's work took."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.controller_event.pieces import LINE, TERM
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.terms.succession import with_superseded

COUNTS = (
    *("subject_count", "moves_count", "partitions_count", "elections_count", "failed_count"),
    "requests_count",
)
SAID = (
    "kind",
    "logged_at",
    "began_at",
    "took_ms",
    "event_name",
    "event_count",
    "average_ms",
    "exception_class",
)


def kraft_events(
    controller_work: pl.DataFrame, controller_line: pl.DataFrame, term: pl.DataFrame
) -> pl.DataFrame:
    """One row per line that tells of an event or a period of a controller in office, with what it alone says."""
    is_period = col("kind") == "period"
    return (
        lines_with_term(controller_work, controller_line, term)
        .sort(*TERM, "logged_at", "file_id", "byte_offset")
        .with_columns(at_ms=col("logged_at").dt.epoch("ms"))
        .with_columns(
            *(lit(0, pl.Int64).alias(name) for name in COUNTS),
            work_seq=col("at_ms") * (1 << SEQ_BITS) + pl.int_range(pl.len()).over(*TERM, "at_ms"),
            began_at=pl.min_horizontal("began_at", "logged_at"),
            ended_at="logged_at",
            busy_ms=col("took_ms").fill_null(0).round().cast(pl.Int64),
            slowest_ms=when(is_period).then("took_ms"),
            is_end_said=lit(value=True),
            subject=lit([], pl.List(pl.String)),
            triggers=lit([], pl.List(pl.Struct({"key": pl.String, "value": pl.Int64}))),
            lines_count=lit(1, pl.Int64),
            outcome=when(col("kind") == "failed_event").then(lit("error")).otherwise(lit("ok")),
            certainty=lit("proved"),
            evidence=pl.concat_list(pl.struct("file_id", "byte_offset")),
        )
        .drop("took_ms", "file_id", "byte_offset", "at_ms", "logged_at")
    )


def lines_with_term(
    controller_work: pl.DataFrame, controller_line: pl.DataFrame, term: pl.DataFrame
) -> pl.DataFrame:
    """Adds the term that the line was written in; who was frozen says how slow its events were when it is out of
    office: those are of the term in which they began."""
    said = controller_work.filter(col("part") == "says").select(
        *LINE, *SAID, controller_id=pl.coalesce("controller_id", "node_id")
    )
    in_office = said.join(controller_line.select(*LINE, "term_id"), on=LINE)
    late = said.filter(col("kind") == "slow_event", col("controller_id").is_not_null()).join(
        controller_line, on=LINE, how="anti"
    )
    begun = (
        term.filter(col("mode") == "kraft")
        .pipe(with_superseded)
        .select("cluster_id", "controller_id", "term_id", "superseded_at", at="first_seen_at")
    )
    is_of_it = (col("began_at") <= col("superseded_at")).fill_null(value=True)
    found = (
        late.sort("began_at")
        .join_asof(
            begun.sort("at"),
            left_on="began_at",
            right_on="at",
            by=["cluster_id", "controller_id"],
            check_sortedness=False,
        )
        .filter(col("term_id").is_not_null(), is_of_it)
    )
    return pl.concat([in_office, found.select(in_office.columns)])
