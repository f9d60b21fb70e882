"""What the voters of a KRaft quorum say of votes in server.log: who asked in vain, who refused, who did not answer."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.model.brokers.connections import FAILED, OF_QUORUM
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines

NODE = ("cluster_id", "node_id")
REFUSED = "votes_rejected"
ASKED = ("election_timed_out", REFUSED, "election_again")
MAJORITY_LOST = "majority_lost"
SIGNS = ("fetch_timed_out", MAJORITY_LOST, *ASKED)
# Between them a node is on its way out: that it finds nobody is what it was asked for.
STOPPING = ("signalled", "shutting_down", "shutdown_started", "exiting", "halting", "fatal_fault")
STARTING = ("handlers_registered", "starting")
UNREACHED = (FAILED, "timed_out")
NO_IDS = lit([], pl.List(pl.Int32))
# A node may print several such lines in one millisecond.
IN_TURN = (col("at"), col("node_id"), col("line").list.first())
ASKS = ("asking_ids", "refused_ids", "refusing_ids", "unanswered_ids")


def quorum_signs(node_event: pl.DataFrame) -> pl.DataFrame:
    """Lines by which a voter says that it has no leader, or no majority: cluster_id, node_id, at, step, line; voting,
    unanswered, refusing: voters, those that had not answered it, or refused. Not of a node that is being stopped.

    Source: KafkaRaftClient.pollFollowerAsVoter, pollCandidate, pollProspective (from 4.0), handleVoteResponse,
    LeaderState.timeUntilCheckQuorumExpires (from 3.7).
    """
    is_stopping = when(col("step").is_in(STOPPING)).then(lit(value=True)).when(
        col("step").is_in(STARTING)
    ).then(lit(value=False))  # fmt: skip
    listed = col("detail").str.extract_all(r"\d+").list.eval(pl.element().cast(pl.Int32, strict=False))
    is_list = (col("step") == REFUSED) & col("detail").str.starts_with("[")
    return (
        node_event.filter(col("area").is_in(["process", "quorum"]))
        .sort("logged_at", *LINE)
        .with_columns(is_stopping=is_stopping.forward_fill().over(NODE))
        .filter(
            col("area") == "quorum",
            col("step").is_in(SIGNS),
            col("node_id").is_not_null(),
            ~col("is_stopping").fill_null(value=False),
        )
        .select(
            *NODE,
            "step",
            at="logged_at",
            line=known_lines(LINE),
            unanswered=with_state("UNRECORDED").fill_null(NO_IDS),
            voting=with_state(r"\w+").fill_null(NO_IDS),
            refusing=when(is_list).then(listed).otherwise(with_state("REJECTED")).fill_null(NO_IDS),
        )
    )


def with_state(state: str) -> pl.Expr:
    """Voters of that state in the votes of an epoch, as 4.0 prints them."""
    each = rf"ReplicaKey\(id=\d+, directoryId=[^)]*\), state={state}\b"
    number = pl.element().str.extract(r"id=(\d+)").cast(pl.Int32, strict=False)
    return col("detail").str.extract_all(each).list.eval(number)


def with_votes(found: pl.DataFrame, signs: pl.DataFrame, connection_event: pl.DataFrame) -> pl.DataFrame:
    """ASKS, vote_lines: who asked for votes from since_at until over_at (until_at), who refused them, whose answers
    were missing or who could not be reached; by the first line of what a node said most. null: no line tells."""
    spans = found.with_row_index("nr").select(
        "nr", "cluster_id", "since_at", end_at=pl.coalesce("over_at", "until_at")
    )
    between = ("since_at", "end_at")
    asked = rows_in_spans(
        spans, signs.filter(col("step").is_in(ASKED)), ["cluster_id"], between, "at", closed="both"
    )
    voted = (
        asked.pipe(most_said)
        .group_by("nr")
        .agg(
            asking_ids=col("node_id").unique().sort(),
            refused_ids=col("node_id").filter(col("step") == REFUSED).unique().sort(),
            refusing_ids=col("refusing").explode().drop_nulls().unique().sort(),
            silent_ids=col("unanswered").explode().drop_nulls().unique(),
            asked_lines=col("line").explode(),
        )
    )
    unreached = rows_in_spans(
        spans.join(voted.select("nr", "asking_ids"), on="nr"),
        raft_connections(connection_event), ["cluster_id"], between, "at", closed="both",
    ).filter(col("asking_ids").list.contains(col("node_id")))  # fmt: skip
    answering = pl.concat_list("asking_ids", "refusing_ids").list.unique()
    of_peers = (
        unreached.sort(IN_TURN)
        .unique(["nr", "node_id", "peer_id"], keep="first", maintain_order=True)
        .join(voted.select("nr", answering=answering), on="nr")
        .filter(~col("answering").list.contains(col("peer_id")))
        .group_by("nr")
        .agg(peer_ids=col("peer_id").unique(), peer_lines=col("line").explode())
    )
    missing = pl.concat_list(col("silent_ids"), col("peer_ids").fill_null(NO_IDS)).list.unique().list.sort()
    told = voted.join(of_peers, on="nr", how="left").select(
        *("nr", "asking_ids", "refused_ids", "refusing_ids"),
        unanswered_ids=missing.list.set_difference(answering).list.sort(),
        vote_lines=pl.concat_list("asked_lines", col("peer_lines").fill_null(NO_LINES)),
    )
    return (
        found.with_row_index("nr")
        .join(told, on="nr", how="left", maintain_order="left")
        .with_columns(col("vote_lines").fill_null(NO_LINES))
        .drop("nr")
    )


def most_said(asked: pl.DataFrame) -> pl.DataFrame:
    """Of each node the first line of the step that it said most often: at the edges of such a time answers differ. That
    it asks again says the least."""
    of_node = ("nr", "node_id")
    is_plain = col("step") == ASKED[-1]
    counted = asked.sort(IN_TURN).with_columns(
        said=pl.len().over(*of_node, "step").cast(pl.Int64), is_plain=is_plain
    )
    in_turn = counted.sort("nr", "node_id", "is_plain", -col("said"), "step", "at", maintain_order=True)
    return in_turn.unique(of_node, keep="first", maintain_order=True)


def raft_connections(connection_event: pl.DataFrame) -> pl.DataFrame:
    """Lines by which a voter says that it does not reach another one: cluster_id, node_id, peer_id, at, line."""
    is_of_quorum = col("client").str.starts_with(OF_QUORUM).fill_null(value=False) & (col("peer_id") >= 0)
    return connection_event.filter(
        col("step").is_in(UNREACHED), is_of_quorum, col("node_id").is_not_null()
    ).select(*NODE, "peer_id", at="logged_at", line=known_lines(LINE))


def voters(signs: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, voter_ids): the voters, as far as the states of the quorum or the votes of an epoch list them."""
    of_state = col("detail").str.extract(r"\bvoters=\[([\d, ]*)\]").str.extract_all(r"\d+")
    states = controller_event.filter(col("step") == "raft_state").select(
        "cluster_id", voter_id=of_state.cast(pl.List(pl.Int32))
    )
    each = pl.concat([states, signs.select("cluster_id", voter_id="voting")]).explode("voter_id").drop_nulls()
    return each.group_by("cluster_id").agg(voter_ids=col("voter_id").unique().sort())
