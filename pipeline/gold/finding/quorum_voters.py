"""Rules on single voters of a KRaft quorum: one whose data is gone or another's, and one that others do not talk to."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.quorum_votes import quorum_signs, voters
from pipeline.gold.finding.rule import of_rows
from pipeline.gold.finding.wording import (
    NO_TERM,
    counted,
    facts,
    joined,
    millis,
    nodes,
    root,
    rule,
    words,
)
from pipeline.model.brokers.connections import OF_QUORUM
from pipeline.model.lines.evidence import LINE, known_lines, outermost

LOST, KEY, APPEND = "lost_data", "key_differs", "append_failed"
OF_DATA = {"voter_lost_data": LOST, "voter_key_differs": KEY, "append_failed": APPEND}
AUTHENTICATION, VERSION, CLUSTER = "authentication", "version", "cluster_id"
OF_TALK = {"not_authenticated": AUTHENTICATION, "version_refused": VERSION, "response_error": CLUSTER}
PRE_VOTE = "non-default preVote"  # VoteRequest from version 2, KIP-996
OTHER_CLUSTER = "INCONSISTENT_CLUSTER_ID"
DAY_MS, STILL_MS, LASTING_MS = 86_400_000, 60_000, 600_000
LEAST = 3
CASE = ("cluster_id", "kind", "voter_id")
MEND = {
    AUTHENTICATION: "its credentials or certificate, or theirs, are wrong or outdated: mend them",
    VERSION: "their releases differ too much: bring the older one up",
    CLUSTER: "they are of different clusters: its directory, or theirs, was formatted with another cluster id",
}
SAID = {
    LOST: "lost what it had stored of the metadata log, {}: find out what happened to its disk, and take down no other "
    "voter before it has caught up",
    KEY: "has another directory than the quorum knows it by: its disk was wiped or exchanged; take the old one out and "
    "add the new one (kafka-metadata-quorum.sh)",
    APPEND: "could not store records of the metadata log, {}, and falls behind: find out from the exception below "
    "whether its disk or its network spoils them",
}


@of_rows("node_event")
def voter_data(node_event: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
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
    known = voters(quorum_signs(node_event), controller_event)
    is_voter = col("voter_ids").list.contains(col("voter_id")).fill_null(value=False)
    told = said.join(known, on="cluster_id", how="left").filter((col("kind") != LOST) | is_voter)
    runs = in_runs(told, CASE)
    return runs.select(
        *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
        *rule("voter_data", "warning"),
        entity=words("voter {}", "voter_id"),
        root_event=words("{} at {}", "kind", millis("valid_from_at")),
        **root(col("kind").str.replace("_", " ", literal=True), "valid_from_at", "voter_id"),
        term_id=NO_TERM,
        sentence=what_is_wrong(),
        facts=facts(voter_id="voter_id", kind="kind", failures_count="failures"),
        certainty=lit("proved"),
    )


def what_is_wrong() -> pl.Expr:
    offset = when(col("detail") == "0").then(lit("it begins from nothing")).otherwise(
        words("it goes back to offset {}", "detail")
    )  # fmt: skip
    said = (
        when(col("kind") == LOST).then(words(SAID[LOST], offset))
        .when(col("kind") == KEY).then(lit(SAID[KEY]))
        .otherwise(words(SAID[APPEND], counted("failures", "time")))
    )  # fmt: skip
    return words("voter {} {}", "voter_id", said)


@of_rows("node_event")
def voter_refused(node_event: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
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
    lasted_ms = millis("valid_until_at") - millis("valid_from_at")
    is_still = millis("until_at") - millis("valid_until_at") <= STILL_MS
    is_much = (col("failures") >= LEAST) & (is_still | (lasted_ms > LASTING_MS))
    is_normal = (
        ~is_much & (col("kind") == VERSION) & col("message").str.contains(PRE_VOTE).fill_null(value=False)
    )
    peers = when(col("peer_ids").list.len() > 0).then(nodes("peer_ids")).otherwise(lit("others"))
    name = pl.concat_str(
        col("exception_class").str.extract(r"([\w$]+)$"), "message", separator=": ", ignore_nulls=True
    ).replace("", None)
    sentence = words(
        "{} does not get through to {} of the quorum, {}{}: {}",
        *(words("node {}", "voter_id"), peers, counted("failures", "time")),
        when(name.is_not_null()).then(words(" ({})", name)).otherwise(lit("")),
        col("kind").replace_strict(MEND, return_dtype=pl.String),
    )
    return runs.filter(~is_normal).select(
        *("cluster_id", "valid_from_at", "evidence"),
        *rule("voter_refused", when(is_much).then(lit("warning")).otherwise(lit("info"))),
        valid_until_at=when(~is_still).then("valid_until_at"),
        entity=words("node {}", "voter_id"),
        root_event=words("{} at {}", "kind", millis("valid_from_at")),
        **root(col("kind"), "valid_from_at", "voter_id"),
        term_id=NO_TERM,
        sentence=sentence,
        facts=facts(
            voter_id="voter_id",
            refusing_ids=when(col("peer_ids").list.len() > 0).then(joined("peer_ids")),
            kind="kind",
            failures_count="failures",
        ),
        certainty=lit("proved"),
    )


def in_runs(told: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    """One row for the lines of each, each within a day of the one before: the first four and the last."""
    apart = millis("logged_at") - millis("logged_at").shift(1).over(key)
    return (
        told.sort("logged_at", *LINE)
        .with_columns(run=(apart > DAY_MS).fill_null(value=True).cast(pl.Int64).cum_sum().over(key))
        .group_by(*key, "run", maintain_order=True)
        .agg(
            col("detail", "exception_class").first(),
            message=col("exception_message").first(),
            failures=pl.len(),
            peer_ids=col("peer_id").filter(col("peer_id") >= 0).unique().sort(),
            valid_from_at=col("logged_at").first(),
            valid_until_at=col("logged_at").last(),
            evidence=known_lines(LINE).explode(),
        )
        .with_columns(evidence=outermost(col("evidence")))
    )
