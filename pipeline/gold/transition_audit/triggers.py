"""Which method of Kafka's asked for each move, by the table of triggers."""

import polars as pl
from polars import col

from pipeline.kafka.machines.triggers import UNKNOWN_CAUSE, trigger_of_move

MOVE = ("machine", "from_state", "to_state", "cause")
TERM = ("cluster_id", "term_id")


def with_move_trigger(moves: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """Adds trigger: the row of triggers.tsv that makes such a move for its cause, null where none does. Rows in, rows
    out.

    Two logs have no order within a millisecond: a move that no row makes for its cause has the one that held before
    that millisecond, if a row makes it for that. Else the line of its cause is missing, and it is named if one method
    alone makes such a move.
    """
    rows = [(*move, name) for move, name in trigger_of_move().items()]
    names = pl.DataFrame(rows, schema=[*MOVE, "trigger"], orient="row")
    named = moves.join(names, on=MOVE, how="left", maintain_order="left")
    is_open = col("trigger").is_null()
    unnamed = named.filter(is_open)
    if unnamed.is_empty():
        return named
    before = with_cause_before(unnamed.drop("trigger"), controller_line)
    again = before.join(names, on=MOVE, how="left", maintain_order="left")
    is_found = col("trigger").is_not_null()
    cause = pl.when(is_found).then("cause").otherwise("told_cause").alias("cause")
    alone = names.filter(col("cause") == UNKNOWN_CAUSE).select(*MOVE[:3], only="trigger")
    told = (
        again.with_columns(cause)
        .join(alone, on=MOVE[:3], how="left", maintain_order="left")
        .with_columns(trigger=pl.coalesce("trigger", "only"))
    )
    return pl.concat([named.filter(~is_open), told.select(named.columns)])


def with_cause_before(moves: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """The moves with the cause of the term's last line of an earlier time; told_cause: the one of the move's own."""
    lines = controller_line.join(moves.select(TERM).unique(), on=TERM, how="semi")
    causes = lines.sort("seq").select(*TERM, "ordered_at", earlier_cause="cause")
    return (
        moves.sort("ordered_at")
        .join_asof(
            causes.sort("ordered_at", maintain_order=True),
            on="ordered_at",
            by=list(TERM),
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .rename({"cause": "told_cause", "earlier_cause": "cause"})
    )
