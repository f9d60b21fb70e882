"""The rule leader_choice."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    CONTROLLER,
    PARTITION,
    controller_name,
    counted_noun,
    facts_column,
    filled_text,
    ids_text,
    kept_evidence,
    partition_name_text,
    root_columns,
    severity_column,
)

TERM = ("cluster_id", "term_id")
KIND = (*TERM, "kind", "controller_id", "controller_epoch")
CASE = (*PARTITION, "leader", "expected_leader", "isr")


@made_of_rows("leader_election")
def find(leader_election: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """Leaders that the rule of their election does not choose, a finding per term and kind."""
    terms = controller_term.select(*TERM, "controller_id")
    case = filled_text(
        "first {}: leader {} instead of {}, ISR [{}]",
        *(partition_name_text(), "leader", "expected_leader", ids_text("isr")),
    )
    found = (
        leader_election.filter(col("verdict") == "differs")
        .join(terms, on=TERM, how="inner")
        .with_columns(case=case)
        .sort("seq", "elected_at", "evidence", "case")
        .group_by(KIND, maintain_order=True)
        .agg(
            col("case", *CASE).first(),
            choices=pl.len(),
            is_inferred=(col("certainty") == "inferred").any(),
            valid_from_at=col("elected_at").min(),
            valid_until_at=col("elected_at").max(),
            evidence=kept_evidence(),
        )
    )
    kind = col("kind").str.replace_all("_", " ", literal=True)
    return found.select(
        *(*TERM, "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("warning"),
        entity=filled_text("{} election", kind),
        root_event=controller_name(),
        **root_columns("controller", broker_id="controller_id"),
        sentence=filled_text(
            "{} chose {} whom Kafka's rule does not choose ({} election), {}",
            *(controller_name(), counted_noun("choices", "leader"), kind, "case"),
        ),
        facts=facts_column(
            **CONTROLLER,
            choices_count="choices",
            kind="kind",
            **PARTITION,
            leader="leader",
            expected_leader="expected_leader",
            isr="isr",
        ),
        certainty=when("is_inferred").then(lit("inferred")).otherwise(lit("proved")),
    )


RULE = Rule(
    name="leader_choice",
    version=1,
    severities=("warning",),
    facts=(
        "controller_id",
        "controller_epoch",
        "choices_count",
        "kind",
        "topic",
        "partition",
        "leader",
        "expected_leader",
        "isr",
    ),
    find=find,
)
