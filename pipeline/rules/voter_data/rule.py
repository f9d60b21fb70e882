"""The rule voter_data."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.quorum_votes import listed_voters, quorum_signs
from pipeline.rules.shared.repeated import CASE, in_runs
from pipeline.rules.shared.wording import (
    NO_TERM,
    counted_noun,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

LOST, KEY, APPEND = "lost_data", "key_differs", "append_failed"
OF_DATA = {"voter_lost_data": LOST, "voter_key_differs": KEY, "append_failed": APPEND}
SAID = {
    LOST: "lost what it had stored of the metadata log, {}: find out what happened to its disk, and take down no other "
    "voter before it has caught up",
    KEY: "has another directory than the quorum knows it by: its disk was wiped or exchanged; take the old one out and "
    "add the new one (kafka-metadata-quorum.sh)",
    APPEND: "could not store records of the metadata log, {}, and falls behind: find out from the exception below "
    "whether its disk or its network spoils them",
}


@made_of_rows("node_event")
def find(node_event: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """What a voter had stored of the metadata log is gone (its leader says that it fetches from further back), belongs
    to another directory than the quorum knows, or could not be written. A node that only observes, as every broker,
    may begin anew: it is no finding. Nor is what a leader cut off of a voter: nobody had committed that.

    Source: LeaderState.updateReplicaState, KafkaRaftClient.handleVoteRequest, handleBeginQuorumEpochRequest (3.9),
    appendAsFollower (3.9.1).
    """
    is_own = col("step").eq(APPEND) | (col("step").eq("voter_key_differs") & col("detail").is_not_null())
    said = node_event.filter(col("area") == "quorum", col("step").is_in(list(OF_DATA))).with_columns(
        voter_id=when(is_own).then("node_id").otherwise("peer_id"),
        kind=col("step").replace_strict(OF_DATA, return_dtype=pl.String),
    )
    known = listed_voters(quorum_signs(node_event), controller_step)
    is_voter = col("voter_ids").list.contains(col("voter_id")).fill_null(value=False)
    told = said.join(known, on="cluster_id", how="left").filter((col("kind") != LOST) | is_voter)
    runs = in_runs(told, CASE)
    return runs.select(
        *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("warning"),
        entity=filled_text("voter {}", "voter_id"),
        root_event=filled_text("{} at {}", "kind", epoch_millis("valid_from_at")),
        **root_columns(col("kind").str.replace("_", " ", literal=True), "valid_from_at", "voter_id"),
        term_id=NO_TERM,
        sentence=what_is_wrong(),
        facts=facts_column(voter_id="voter_id", kind="kind", failures_count="failures"),
        certainty=lit("proved"),
    )


def what_is_wrong() -> pl.Expr:
    offset = when(col("detail") == "0").then(lit("it begins from nothing")).otherwise(
        filled_text("it goes back to offset {}", "detail")
    )  # fmt: skip
    said = (
        when(col("kind") == LOST).then(filled_text(SAID[LOST], offset))
        .when(col("kind") == KEY).then(lit(SAID[KEY]))
        .otherwise(filled_text(SAID[APPEND], counted_noun("failures", "time")))
    )  # fmt: skip
    return filled_text("voter {} {}", "voter_id", said)


RULE = Rule(
    name="voter_data",
    version=1,
    severities=("warning",),
    facts=("voter_id", "kind", "failures_count"),
    find=find,
)
