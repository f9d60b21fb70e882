"""What the rules on moves of the state machines share."""

import polars as pl
from polars import col

from pipeline.rules.shared.wording import (
    CONTROLLER,
    PARTITION,
    controller_name,
    facts_column,
    filled_text,
    kept_evidence,
    partition_name_text,
    root_columns,
)

GROUP = ("cluster_id", "term_id", "machine", "from_state", "to_state", "controller_id", "controller_epoch")
# Of each of these rules.
MOVE_FACTS = (
    "controller_id",
    "controller_epoch",
    "machine",
    "moves_count",
    "from_state",
    "to_state",
    "topic",
    "partition",
)


def moves_of_verdict(
    transition_audit: pl.DataFrame, named: tuple[pl.Expr, ...], condition: pl.Expr, did: str, why: str = ""
) -> pl.DataFrame:
    """Moves with one verdict, a finding per term, machine and pair of states."""
    groups = (
        transition_audit.filter(condition)
        .with_columns(name=partition_name_text())
        .sort("seq", "logged_at", "evidence", "name")
        .group_by(GROUP, maintain_order=True)
        .agg(
            col(*PARTITION, "certainty").first(),
            moves=pl.len(),
            first_name=col("name").first(),
            valid_from_at=col("logged_at").min(),
            valid_until_at=col("logged_at").max(),
            evidence=kept_evidence(),
        )
    )
    pair = filled_text("{} -> {}", "from_state", "to_state")
    noun = pl.when(col("moves") == 1).then(pl.lit("move")).otherwise(pl.lit("moves"))
    return groups.select(
        *("cluster_id", "term_id", "valid_from_at", "valid_until_at", "certainty", "evidence"),
        *named,
        entity=filled_text("{} {}", "machine", pair),
        root_event=controller_name(),
        **root_columns("controller", broker_id="controller_id"),
        sentence=filled_text(
            f"{{}} {did} {{}} {{}} {{}} {{}}{why}, first of {{}}",
            *(controller_name(), "moves", "machine", noun, pair, "first_name"),
        ),
        facts=facts_column(
            **CONTROLLER,
            machine="machine",
            moves_count="moves",
            from_state="from_state",
            to_state="to_state",
            **PARTITION,
        ),
    )
