"""The rule failover_slow."""

import polars as pl
from polars import col

from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.terms import of_term, records_of_term
from pipeline.rules.shared.wording import controller_name, duration_text, filled_text, severity_column


@made_of_rows("controller_term")
def find(controller_term: pl.DataFrame, failover_slow_ms: int) -> pl.DataFrame:
    """From its election until it was ready a controller took long: meanwhile no leader was elected."""
    step = longest_step()
    sentence = filled_text(
        "{} was ready only {} after its election, longest in {}",
        *(controller_name(), duration_text(col("ready_ms")), step.str.replace_all("_", " ", literal=True)),
    )
    named = severity_column("warning")
    slow = controller_term.filter(col("ready_ms") > failover_slow_ms)
    told = {"lasted_ms": col("ready_ms"), "longest_step": step}
    return of_term(
        slow, named, sentence, ("elected_at", "ready_at"), records_of_term("elected", "ready"), **told
    )


def longest_step() -> pl.Expr:
    step, ms = (pl.element().struct.field(name) for name in ("key", "value"))
    return col("steps").map.entries().list.eval(step.sort_by(ms, step).last()).list.first()


RULE = Rule(
    name="failover_slow",
    version=1,
    severities=("warning",),
    facts=("controller_id", "controller_epoch", "lasted_ms", "longest_step"),
    find=find,
    limits=(
        Limit(
            "failover_slow_ms",
            10_000,
            "ms",
            "A controller that is ready so soon after its election is no finding "
            "(it reads all of ZooKeeper's state first).",
        ),
    ),
)
