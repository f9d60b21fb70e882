"""Which brokers of a KRaft cluster have a state-change.log, and since when."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.log_holes import log_holes
from pipeline.model.partitions.partition_states import GRACE_SECONDS

BROKER = ("cluster_id", "broker_id")


def watched_from(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """(BROKER, watched_from_at): since when a broker has a state-change.log."""
    return (
        wording_seen.filter(col("log") == "state-change", col("node_id").is_not_null())
        .group_by("cluster_id", broker_id="node_id")
        .agg(watched_from_at=col("first_at").min())
        .filter(col("watched_from_at").is_not_null())
    )


def watched_log_holes(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """log_holes of the nodes that have a state-change.log."""
    node = ("cluster_id", "node_id")
    return log_holes(wording_seen.join(watched_from(wording_seen), left_on=node, right_on=BROKER, how="semi"))


def of_nobody(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id) of clusters of which state-change.log is read, and of no file the node is known."""
    logs = wording_seen.filter(col("log") == "state-change")
    return (
        logs.group_by("cluster_id").agg(col("node_id").is_null().all()).filter("node_id").select("cluster_id")
    )


def with_watched_leader(leaderships: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """Adds is_watched: the leader has a state-change.log by then, or of no file the node is known."""
    unnamed = of_nobody(wording_seen).with_columns(is_unnamed=lit(value=True))
    of_leader = watched_from(wording_seen).rename({"broker_id": "leader"})
    return (
        leaderships.join(of_leader, on=["cluster_id", "leader"], how="left", maintain_order="left")
        .join(unnamed, on="cluster_id", how="left", maintain_order="left")
        .with_columns(is_watched=~is_state_log_missing("from_at") | col("is_unnamed").fill_null(value=False))
        .drop("watched_from_at", "is_unnamed")
    )


def is_state_log_missing(at: str) -> pl.Expr:
    """True if it had no state-change.log by then; a state is told a little before its last broker prints it."""
    late = col(at) + timedelta(seconds=GRACE_SECONDS)
    return ~(col("watched_from_at") <= late).fill_null(value=False)


def next_witnesses(states: pl.DataFrame, watched: pl.DataFrame) -> pl.DataFrame:
    """state_members that print what comes next of each state: not those that are being removed, which print nothing
    once they are.

    Source: ReplicaManager.applyDelta, from 2.8: a replica that is removed is stopped without a line.
    """
    removed = states.select("state_no", broker_id="removing_replicas").explode("broker_id")
    return state_members(states, watched).join(removed, on=["state_no", "broker_id"], how="anti")


def state_members(states: pl.DataFrame, watched: pl.DataFrame) -> pl.DataFrame:
    """(state_no, BROKER, known_at, watched_from_at): replicas and in-sync replicas of each state; not who is no replica
    any more, as the ISR was stated before that."""
    kept = ("state_no", "cluster_id", "known_at")
    is_known = col("replicas").list.len() > 0
    in_sync = when(is_known).then(col("isr").list.set_intersection("replicas")).otherwise("isr")
    each = [
        states.select(*kept, broker_id=members).explode("broker_id").filter(col("broker_id").is_not_null())
        for members in (col("replicas"), in_sync)
    ]
    return pl.concat(each).unique().join(watched, on=BROKER, how="left")
