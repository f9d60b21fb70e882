"""The rule refused_move."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.moves import MOVE_FACTS, moves_of_verdict
from pipeline.rules.shared.wording import severity_column


@made_of_rows("transition_audit")
def find(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """The controller refused its own attempt, and no release does that normally."""
    is_refused = (col("verdict") == "refused") & col("normal").is_null()
    return moves_of_verdict(transition_audit, severity_column("warning"), is_refused, "refused")


RULE = Rule(
    name="refused_move",
    version=1,
    severities=("warning",),
    facts=MOVE_FACTS,
    find=find,
)
