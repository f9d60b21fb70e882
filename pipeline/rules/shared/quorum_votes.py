"""What the voters of a KRaft quorum say of votes in server.log: who asked in vain, who refused, who did not answer."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.brokers.connections import FAILED
from pipeline.model.lines.evidence import LINE, known_lines

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


@needs_rows_of("node_event")
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
            unanswered=voters_in_state("UNRECORDED").fill_null(NO_IDS),
            voting=voters_in_state(r"\w+").fill_null(NO_IDS),
            refusing=when(is_list).then(listed).otherwise(voters_in_state("REJECTED")).fill_null(NO_IDS),
        )
    )


def voters_in_state(state: str) -> pl.Expr:
    """Voters of that state in the votes of an epoch, as 4.0 prints them."""
    each = rf"ReplicaKey\(id=\d+, directoryId=[^)]*\), state={state}\b"
    number = pl.element().str.extract(r"id=(\d+)").cast(pl.Int32, strict=False)
    return col("detail").str.extract_all(each).list.eval(number)


def most_frequent_steps(asked: pl.DataFrame) -> pl.DataFrame:
    """Of each node the first line of the step that it said most often: at the edges of such a time answers differ. That
    it asks again says the least."""
    of_node = ("nr", "node_id")
    is_plain = col("step") == ASKED[-1]
    counted = asked.sort(IN_TURN).with_columns(
        said=pl.len().over(*of_node, "step").cast(pl.Int64), is_plain=is_plain
    )
    in_turn = counted.sort("nr", "node_id", "is_plain", -col("said"), "step", "at", maintain_order=True)
    return in_turn.unique(of_node, keep="first", maintain_order=True)


def listed_voters(signs: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, voter_ids): the voters, as far as the states of the quorum or the votes of an epoch list them."""
    of_state = col("detail").str.extract(r"\bvoters=\[([\d, ]*)\]").str.extract_all(r"\d+")
    states = controller_step.filter(col("step") == "raft_state").select(
        "cluster_id", voter_id=of_state.cast(pl.List(pl.Int32))
    )
    each = pl.concat([states, signs.select("cluster_id", voter_id="voting")]).explode("voter_id").drop_nulls()
    return each.group_by("cluster_id").agg(voter_ids=col("voter_id").unique().sort())
