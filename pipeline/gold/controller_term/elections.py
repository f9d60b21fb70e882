"""Why the election of each term was held: the end of the term before it, or the start of who could be elected."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.gold.controller_term.ends import is_true, node_set, quorum_nodes
from pipeline.model.lines.evidence import NO_LINES, evidence_line
from pipeline.model.terms.term_steps import IN_TURN, MODE, STARTED, TERM
from schemas.end_reasons import SIGNALLED

AT_ONCE = timedelta(seconds=3)  # a node in ZooKeeper mode asks to be elected as soon as it has started
WINDOW = timedelta(seconds=60)  # in which the nodes of a quorum start one after the other
APART_MS = 500  # what is apart by less is a matter of clocks
SHOWN = 3
# In KRaft, from the end of a process on: its fetch time-out and some rounds of votes, as shipped. What takes longer
# waits for who was down, too.
LONGEST_VOTE = timedelta(seconds=20)
REASON_OF_END = {
    "shutdown": "shutdown",
    "crashed": "process_end",
    "process_end": "process_end",
    "session_expired": "session_expired",
    "znode_gone": "znode_gone",
    "forced": "resigned",
    "startup_failed": "resigned",
    "renounced": "resigned",
    "event_failed": "resigned",
}
OF_ITSELF = ("renounced", "event_failed")


def with_election_reason(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """Terms with election_reason and held_lines, what says so. Null: the election, or the end before it, was not seen.

    Source: KafkaController.elect at Startup, Reelect (/controller is gone) and RegisterBrokerAndReelect;
    KafkaRaftClient: a follower that hears nothing of its leader for a fetch time-out, or that the leader resigns.
    """
    found = term.pipe(with_end_before).join(
        node_starts_before_elections(term, controller_step), on=TERM, how="left", maintain_order="left"
    )
    is_elected, is_kraft = col("elected_at").is_not_null(), col("mode") == "kraft"
    is_first = ~is_true("has_before") & (col("controller_epoch") == 1)
    is_at_once = is_kraft | (col("elected_at") - col("node_started_at") <= AT_ONCE)
    is_by_node = is_true("was_nobody") & (col("node_started_at") > col("over_at")) & is_at_once
    is_by_quorum = is_kraft & (
        is_true("was_quorum_lost") | (~is_true("has_before") & is_true("has_quorum_started"))
    )
    is_by_start = is_by_node.fill_null(value=False) | is_by_quorum
    is_silent = is_true("was_silent")
    is_late = is_kraft & (col("elected_at") - col("over_at") > LONGEST_VOTE).fill_null(value=False)
    is_unsaid = is_late & (col("reason_before") == "process_end").fill_null(value=False)
    reason = (
        when(~is_elected).then(lit(None, pl.String))
        .when(is_first).then(lit("first_start"))
        .when(is_by_start).then(lit("process_start"))
        .when(is_silent & is_true("is_next")).then(lit("fetch_timeout"))
        .when(is_true("is_next") & ~is_unsaid).then("reason_before")
    )  # fmt: skip
    started = pl.coalesce(when(is_kraft).then("quorum_lines"), "node_lines").fill_null(NO_LINES)
    lines = (
        when(col("election_reason").is_in(["shutdown", "fetch_timeout", *REASON_OF_END.values()]))
        .then("over_lines")
        .when(col("election_reason") == "process_start")
        .then(pl.concat_list(col("over_lines").fill_null(NO_LINES), started))
        .otherwise(NO_LINES)
    )
    return (
        found.with_columns(election_reason=reason)
        .with_columns(held_lines=lines.fill_null(NO_LINES))
        .select(*term.columns, "election_reason", "held_lines")
    )


def with_end_before(term: pl.DataFrame) -> pl.DataFrame:
    """What is known of the end of the term before, of the same life of the metadata; null where there is none."""
    how = col("ended_how")
    is_by_itself = how.is_in(OF_ITSELF)
    end_ms = col("ended_at").dt.epoch("ms")
    earlier_ms = end_ms - pl.min_horizontal("superseded_at", "vacant_from_at").dt.epoch("ms")
    is_told = (col("end_reason") == SIGNALLED) & how.is_in([*OF_ITSELF, "process_end"])
    of_end = how.replace_strict(REASON_OF_END, default=None, return_dtype=pl.String)
    is_silent = (col("mode") == "kraft") & is_by_itself & (earlier_ms >= APART_MS)
    own = {
        "has_before": col("term_id").is_not_null(),
        "is_next": col("is_succeeded"),
        "was_nobody": (col("gap_kind") == "sole_broker") | col("is_last_alive"),
        "was_quorum_lost": col("is_quorum_lost"),
        "was_silent": is_silent,
        "over_at": col("ended_at"),
        "reason_before": when(is_told).then(lit("shutdown")).otherwise(of_end),
        "over_lines": when(is_silent)
        .then(pl.concat_list(col("vacant_line", "end_line").fill_null(NO_LINES)))
        .when(is_told)
        .then("end_lines")
        .otherwise("end_line"),
    }
    in_turn = term.sort(*MODE, *IN_TURN)
    return in_turn.with_columns(one.shift(1).over(*MODE, "life").alias(name) for name, one in own.items())


def node_starts_before_elections(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """One row per term before whose election nodes started: the last start of its own node, and whether most of its
    quorum did, two nodes at least."""
    node_id = pl.coalesce("node_id", "controller_id")
    said = controller_step.filter(col("step").is_in(STARTED)).select(
        "cluster_id", "step", "logged_at", started_id=node_id, start_line=evidence_line()
    )
    elected = term.filter(col("elected_at").is_not_null()).select(
        *TERM, "controller_id", "elected_at", since_at=col("elected_at") - WINDOW
    )
    is_own = col("started_id") == col("controller_id")
    is_of_quorum = col("step") == "created"
    quorum = node_set(quorum_nodes(term, controller_step), "quorum")
    found = (
        rows_in_spans(elected, said, ["cluster_id"], ("since_at", "elected_at"), "logged_at", closed="both")
        .sort("logged_at", "start_line")
        .group_by(TERM)
        .agg(
            node_started_at=col("logged_at").filter(is_own).last(),
            node_lines=col("start_line").filter(is_own).tail(1),
            started=col("started_id").filter(is_of_quorum).unique(),
            quorum_lines=col("start_line").filter(is_of_quorum).tail(SHOWN),
        )
        .join(quorum, on="cluster_id", how="left")
    )
    count = col("started").list.len()
    has_started = (count >= 2) & (count * 2 > col("quorum").list.len())
    return found.with_columns(has_quorum_started=has_started).drop("started", "quorum")
