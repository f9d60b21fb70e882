"""The rule voter_refused."""

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.connections import OF_QUORUM
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.repeated import CASE, LASTING_MS, STILL_MS, in_runs
from pipeline.rules.shared.wording import (
    NO_TERM,
    counted_noun,
    enumerated_nodes,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

AUTHENTICATION, VERSION, CLUSTER = "authentication", "version", "cluster_id"
OF_TALK = {"not_authenticated": AUTHENTICATION, "version_refused": VERSION, "response_error": CLUSTER}
PRE_VOTE = "non-default preVote"  # VoteRequest from version 2, KIP-996
OTHER_CLUSTER = "INCONSISTENT_CLUSTER_ID"
LEAST = 3
MEND = {
    AUTHENTICATION: "its credentials or certificate, or theirs, are wrong or outdated: mend them",
    VERSION: "their releases differ too much: bring the older one up",
    CLUSTER: "they are of different clusters: its directory, or theirs, was formatted with another cluster id",
}


@made_of_rows("node_event")
def find(node_event: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
    """A node of the quorum is refused by others: they do not take its credentials or certificate, know no version of
    its requests, or are of another cluster. A connection that ends amid a handshake is none: it may be the network.
    Few and short ones are told as info: an upgrade, or a certificate that is being exchanged; not where a pre-vote was
    asked of an older release (before 4.0), as each upgrade does.

    Source: KafkaNetworkChannel.sendOutboundRequest, NetworkClient.processDisconnection,
    KafkaRaftClient.handleTopLevelError.
    """
    is_of_quorum = (col("area") == "quorum") | (
        (col("area") == "connection")
        & col("detail").str.starts_with(OF_QUORUM)
        & col("exception_message").is_not_null()
    )
    is_said = (col("step") != "response_error") | (col("detail") == OTHER_CLUSTER)
    told = node_event.filter(
        col("step").is_in(list(OF_TALK)), is_said.fill_null(value=False), is_of_quorum.fill_null(value=False)
    ).with_columns(voter_id="node_id", kind=col("step").replace_strict(OF_TALK, return_dtype=pl.String))
    runs = in_runs(told, CASE).join(data_end.select("cluster_id", "until_at"), on="cluster_id")
    lasted_ms = epoch_millis("valid_until_at") - epoch_millis("valid_from_at")
    is_still = epoch_millis("until_at") - epoch_millis("valid_until_at") <= STILL_MS
    is_much = (col("failures") >= LEAST) & (is_still | (lasted_ms > LASTING_MS))
    is_normal = (
        ~is_much & (col("kind") == VERSION) & col("message").str.contains(PRE_VOTE).fill_null(value=False)
    )
    peers = when(col("peer_ids").list.len() > 0).then(enumerated_nodes("peer_ids")).otherwise(lit("others"))
    name = pl.concat_str(
        col("exception_class").str.extract(r"([\w$]+)$"), "message", separator=": ", ignore_nulls=True
    ).replace("", None)
    sentence = filled_text(
        "{} does not get through to {} of the quorum, {}{}: {}",
        *(filled_text("node {}", "voter_id"), peers, counted_noun("failures", "time")),
        when(name.is_not_null()).then(filled_text(" ({})", name)).otherwise(lit("")),
        col("kind").replace_strict(MEND, return_dtype=pl.String),
    )
    return runs.filter(~is_normal).select(
        *("cluster_id", "valid_from_at", "evidence"),
        *severity_column(when(is_much).then(lit("warning")).otherwise(lit("info"))),
        valid_until_at=when(~is_still).then("valid_until_at"),
        entity=filled_text("node {}", "voter_id"),
        root_event=filled_text("{} at {}", "kind", epoch_millis("valid_from_at")),
        **root_columns(col("kind"), "valid_from_at", "voter_id"),
        term_id=NO_TERM,
        sentence=sentence,
        facts=facts_column(
            voter_id="voter_id",
            refusing_ids=when(col("peer_ids").list.len() > 0).then("peer_ids"),
            kind="kind",
            failures_count="failures",
        ),
        certainty=lit("proved"),
    )


RULE = Rule(
    name="voter_refused",
    version=1,
    severities=("warning", "info"),
    facts=("voter_id", "refusing_ids", "kind", "failures_count"),
    find=find,
)
