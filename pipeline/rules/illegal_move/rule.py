"""The rule illegal_move."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.moves import MOVE_FACTS, moves_of_verdict
from pipeline.rules.shared.wording import severity_column


@made_of_rows("transition_audit")
def find(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """A line says that a move happened which Kafka's matrix does not allow."""
    is_illegal = col("verdict") == "illegal"
    return moves_of_verdict(transition_audit, severity_column("critical"), is_illegal, "made")


RULE = Rule(
    name="illegal_move",
    version=1,
    severities=("critical",),
    facts=MOVE_FACTS,
    find=find,
)
