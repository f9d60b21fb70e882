"""The rule discontinuity."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.moves import MOVE_FACTS, moves_of_verdict
from pipeline.rules.shared.wording import severity_column


@made_of_rows("transition_audit")
def find(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """A move starts from another state than the last one led to, and nothing explains it."""
    is_out_of_line = col("verdict") == "discontinuity"
    why = ", not from the state that it had led to before"
    return moves_of_verdict(transition_audit, severity_column("warning"), is_out_of_line, "logged", why)


RULE = Rule(
    name="discontinuity",
    version=2,
    severities=("warning",),
    facts=MOVE_FACTS,
    find=find,
)
