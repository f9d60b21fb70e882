"""The rule last_known_leader."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import evidence_line
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.first_diffs import LAST_KNOWN, first_diffs
from pipeline.rules.shared.wording import (
    PARTITION,
    broker_name,
    counted_noun,
    epoch_millis,
    facts_column,
    filled_text,
    kept_evidence,
    partition_name_text,
    root_columns,
    severity_column,
)

TERM = ("cluster_id", "term_id")
ONE_RETURN_MS = 1_000
RETURNS = ("cluster_id", "term_id", "leader")


@made_of_rows("leader_election", "election_event")
def find(
    leader_election: pl.DataFrame, election_event: pl.DataFrame, controller_step: pl.DataFrame
) -> pl.DataFrame:
    """From 4.1 on a broker that died is taken out of the eligible replicas when it comes back, and made leader as the
    last known one: its own log is all there is, and up to 4.0 the same was a clean election. A finding per return, by
    gold.leader_election, and by the first that logs which begin in the middle of a term tell of a partition.
    """
    diffs = first_diffs(election_event, leader_election, controller_step).select(
        *("cluster_id", "partition"),
        topic=pl.coalesce("topic", "topic_id"),
        leader="new_leader",
        elected_at="logged_at",
        selector="selector",
        is_clean=lit(value=False),
        evidence=pl.concat_list(evidence_line()),
    )
    is_last_known = ~col("is_clean") & (col("selector") == LAST_KNOWN)
    apart_ms = epoch_millis("elected_at") - epoch_millis("elected_at").shift(1).over(RETURNS)
    is_apart = (apart_ms > ONE_RETURN_MS).fill_null(value=True)
    found = (
        pl.concat([leader_election, diffs], how="diagonal_relaxed")
        .filter(is_last_known)
        .sort(*RETURNS, "elected_at", "topic", "partition")
        .with_columns(number=is_apart.cast(pl.Int64).cum_sum().over(RETURNS), name=partition_name_text())
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
    of_term = when(col("term_id").is_null()).then(lit("")).otherwise(filled_text("term {}: ", "term_id"))
    return found.select(
        *(*TERM, "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("warning"),
        entity=broker_name("leader"),
        root_event=filled_text("back at {}", epoch_millis("valid_from_at")),
        **root_columns("broker back", "valid_from_at", "leader"),
        sentence=filled_text(
            "unclean election: {} was back and made leader of {} as the last known one "
            "({}first {}); what it had not written to disk is lost if its machine went down",
            *(broker_name("leader"), counted_noun("partitions", "partition"), of_term, "first_name"),
        ),
        facts=facts_column(broker_id="leader", partitions_count="partitions", **PARTITION),
        certainty=lit("proved"),
    )


RULE = Rule(
    name="last_known_leader",
    version=4,
    severities=("warning",),
    facts=("broker_id", "partitions_count", "topic", "partition"),
    find=find,
)
