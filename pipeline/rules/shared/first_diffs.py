"""Unclean elections in KRaft that a diff of a partition alone tells: logs that begin in the middle of a term."""

import polars as pl
from polars import col

from pipeline.model.lines.evidence import LINE
from pipeline.model.terms.term_steps import STARTED

LAST_KNOWN = "LAST_KNOWN_LEADER"
DIFF, CHOICE, UNCLEAN = "partition_diff_unclean", "elect_unclean", "elected_unclean"


def first_diffs(
    election_event: pl.DataFrame, leader_election: pl.DataFrame, controller_step: pl.DataFrame
) -> pl.DataFrame:
    """Diffs of partitions, the first line of each, that tell an unclean election of KRaft which is in no row of
    gold.leader_election, and in no line by which a controller chose: nobody printed the leader before. Not those of a
    process that started and was not elected since: it replays what may be long ago. selector: LAST_KNOWN of those that
    name the one elected as the last known leader: it led last, and only a power cut may have cost what it had.

    Source: PartitionRegistration.maybeLogPartitionChange, from 3.0; a reassignment is said in the same words, but
    changes no recovery state.
    """
    diffs = election_event.filter(col("logged_at").is_not_null(), event=DIFF, step=UNCLEAN)
    steps = (
        controller_step.filter(col("step").is_in([*STARTED, "elected"]), col("logged_at").is_not_null())
        .select("cluster_id", "node_id", step_at="logged_at", last_step="step")
        .sort("step_at")
    )
    partition = ("cluster_id", "topic_id", "partition")
    chosen = election_event.filter(event=CHOICE)
    return (
        diffs.sort("logged_at", *LINE)
        .join_asof(
            steps,
            left_on="logged_at",
            right_on="step_at",
            by=["cluster_id", "node_id"],
            check_sortedness=False,
        )
        .filter(~col("last_step").is_in(STARTED).fill_null(value=False))
        .unique([*partition, "leader_epoch"], keep="first", maintain_order=True)
        .join(chosen, on=[*partition, "new_leader"], how="anti")
        .join(leader_election, on=["cluster_id", "topic", "partition", "leader_epoch"], how="anti")
        .select(election_event.columns)
    )
