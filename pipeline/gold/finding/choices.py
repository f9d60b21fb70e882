"""Rules on whom an election made leader: a last known one, or another one than its rule chooses."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.elections import LAST_KNOWN
from pipeline.gold.finding.rule import of_rows
from pipeline.gold.finding.wording import (
    CONTROLLER,
    PARTITION,
    broker_name,
    controller_name,
    counted,
    facts,
    ids,
    joined,
    kept_evidence,
    millis,
    partition_name,
    root,
    rule,
    words,
)

ONE_RETURN_MS = 1_000
RETURNS = ("cluster_id", "term_id", "leader")
TERM = ("cluster_id", "term_id")
KIND = (*TERM, "kind", "controller_id", "controller_epoch")
CASE = (*PARTITION, "leader", "expected_leader", "isr")


@of_rows("leader_election")
def last_known_leader(leader_election: pl.DataFrame) -> pl.DataFrame:
    """From 4.1 on a broker that died is taken out of the eligible replicas when it comes back, and made leader as the
    last known one: its own log is all there is, and up to 4.0 the same was a clean election. A finding per return.
    """
    is_last_known = ~col("is_clean") & (col("selector") == LAST_KNOWN)
    apart_ms = millis("elected_at") - millis("elected_at").shift(1).over(RETURNS)
    is_apart = (apart_ms > ONE_RETURN_MS).fill_null(value=True)
    found = (
        leader_election.filter(is_last_known)
        .sort(*RETURNS, "elected_at", "topic", "partition")
        .with_columns(number=is_apart.cast(pl.Int64).cum_sum().over(RETURNS), name=partition_name())
        .sort("elected_at", "name", "evidence")
        .group_by(*RETURNS, "number", maintain_order=True)
        .agg(
            col(*PARTITION).first(),
            partitions=pl.len(),
            first_name=col("name").first(),
            valid_from_at=col("elected_at").min(),
            valid_until_at=col("elected_at").max(),
            evidence=kept_evidence().unique(maintain_order=True),
        )
    )
    return found.select(
        *(*TERM, "valid_from_at", "valid_until_at", "evidence"),
        *rule("last_known_leader", "warning", 3),
        entity=broker_name("leader"),
        root_event=words("back at {}", millis("valid_from_at")),
        **root("broker back", "valid_from_at", "leader"),
        sentence=words(
            "unclean election: {} was back and made leader of {} as the last known one "
            "(term {}: first {}); what it had not written to disk is lost if its machine went down",
            *(broker_name("leader"), counted("partitions", "partition"), "term_id", "first_name"),
        ),
        facts=facts(broker_id="leader", partitions_count="partitions", **PARTITION),
        certainty=lit("proved"),
    )


@of_rows("leader_election")
def leader_choice(leader_election: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """Leaders that the rule of their election does not choose, a finding per term and kind."""
    terms = controller_term.select(*TERM, "controller_id")
    case = words(
        "first {}: leader {} instead of {}, ISR [{}]",
        *(partition_name(), "leader", "expected_leader", ids("isr")),
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
        *rule("leader_choice", "warning"),
        entity=words("{} election", kind),
        root_event=controller_name(),
        **root("controller", broker_id="controller_id"),
        sentence=words(
            "{} chose {} whom Kafka's rule does not choose ({} election), {}",
            *(controller_name(), counted("choices", "leader"), kind, "case"),
        ),
        facts=facts(
            **CONTROLLER,
            choices_count="choices",
            kind="kind",
            **PARTITION,
            leader="leader",
            expected_leader="expected_leader",
            isr=joined("isr"),
        ),
        certainty=when("is_inferred").then(lit("inferred")).otherwise(lit("proved")),
    )
