"""Who leads a KRaft quorum as its nodes say it in server.log, and whether logs of enough voters are there to tell."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.shared.quorum_epochs import ACTIVE, HEARD
from pipeline.rules.shared.quorum_votes import STARTING, listed_voters

NODE, TERM = ("cluster_id", "node_id"), ("cluster_id", "term_id")
STATE = "raft_state"
LED = r"^(?:Leader|LeaderState|FollowerState)\("


def leadership_states(controller_step: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, controller_epoch, at, by_id, is_led, LINE) of lines by which a node begins to lead an epoch, or to
    follow its leader. Not the first state of a process: it is what the node had stored, and who it names may be gone.

    Source: QuorumState.transitionTo, from 2.8.
    """
    states = controller_step.filter(col("step") == STATE).select(
        *NODE, *LINE, "controller_epoch", at="logged_at", state="detail"
    )
    is_start = (col("area") == "process") & col("step").is_in(STARTING)
    starts = node_event.filter(is_start).select(*NODE, *LINE, at="logged_at")
    is_stored = col("state").shift(1).over(NODE).is_null() & (pl.int_range(pl.len()).over(NODE) > 0)
    return (
        pl.concat([states, starts], how="diagonal")
        .sort("at", *LINE)
        .filter(~is_stored, col("state").str.contains(LED), col("controller_epoch").is_not_null())
        .select(
            "cluster_id", "controller_epoch", "at", *LINE, by_id="node_id", is_led=lit(value=True)
        )
    )  # fmt: skip


def with_next_state(controller_term: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
    """Terms with next_state_line: of a KRaft term after which no other one is seen the line, if any, by which a node
    follows or leads a later epoch (led_states). It is superseded then."""
    known = states.sort("at").select(
        "cluster_id", state_at="at", state_epoch="controller_epoch", state_line=known_lines(LINE)
    )
    end_at = pl.min_horizontal("ended_at", "vacant_from_at")
    last = controller_term.filter(
        col("mode") == "kraft", col("superseded_at").is_null(), end_at.is_not_null()
    ).select(*TERM, "controller_epoch", end_at=end_at)
    is_later = (col("state_at") >= col("end_at")) & (col("state_epoch") > col("controller_epoch"))
    found = (
        last.join(known, on="cluster_id")
        .filter(is_later)
        .sort("state_at", maintain_order=True)
        .unique(TERM, keep="first", maintain_order=True)
        .select(*TERM, "state_at", next_state_line="state_line")
    )
    return (
        controller_term.join(found, on=TERM, how="left", maintain_order="left")
        .with_columns(
            superseded_at=pl.coalesce("superseded_at", "state_at"),
            next_state_line=col("next_state_line").fill_null(NO_LINES),
        )
        .drop("state_at")
    )


@needs_rows_of("gaps")
def with_witnesses(gaps: pl.DataFrame, controller_step: pl.DataFrame, signs: pl.DataFrame) -> pl.DataFrame:
    """Adds is_sure: logs of half of the voters or more were read, so that a leader would be told. Of one that goes on
    and is not, the end is what was heard last: others may have elected one."""
    is_of_quorum = col("event").is_in([ACTIVE, HEARD]) | (col("step") == STATE)
    nodes = pl.concat([controller_step.filter(is_of_quorum).select(NODE), signs.select(NODE)]).drop_nulls()
    known = listed_voters(signs, controller_step)
    is_voter = col("voter_ids").is_null() | col("voter_ids").list.contains(col("node_id"))
    read = (
        nodes.unique()
        .join(known, on="cluster_id", how="left")
        .filter(is_voter)
        .group_by("cluster_id")
        .agg(
            read_count=pl.len(), needed=((col("voter_ids").first().list.len() + 1) // 2).fill_null(2)
        )
    )  # fmt: skip
    is_sure = (col("read_count") >= col("needed")).fill_null(value=False)
    is_cut = ~col("is_sure") & col("over_at").is_null()
    return (
        gaps.join(read, on="cluster_id", how="left", maintain_order="left")
        .with_columns(is_sure=is_sure | col("over_at").is_not_null())
        .with_columns(
            over_at=when(is_cut).then("last_at").otherwise("over_at"),
            over_line=when(is_cut).then("last_line").otherwise("over_line"),
        )
        .drop("read_count", "needed")
    )
