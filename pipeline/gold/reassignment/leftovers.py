"""Brokers that keep the log of a replica that a reassignment took from them."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.gold.reassignment.marks import ATTEMPT, NAME
from pipeline.model.lines.evidence import NO_LINES, evidence_line

SAME_EPOCH = "broker_stop_replica_same_leader_epoch"
DROPPED = ("cancelled", "overridden")
# How long after the end of the attempt a broker may handle the request.
LATE = timedelta(minutes=1)


def with_leftovers(found: pl.DataFrame, control_request: pl.DataFrame) -> pl.DataFrame:
    """leftover_broker_ids: brokers that ignored the request to delete the replica, as its leader epoch was the one that
    they knew; their lines behind those that begin it in evidence.

    Source: KAFKA-13972, ReplicaManager.stopReplicas, 2.6 to 3.4.
    """
    is_ignored = (col("event") == SAME_EPOCH) & col("is_delete")
    ignored = (
        control_request.filter(is_ignored)
        .drop_nulls("topic")
        .select(*NAME, "broker_id", at="logged_at", line=evidence_line())
    )  # fmt: skip
    wanted = when(col("outcome").is_in(DROPPED)).then("adding_replicas").otherwise("removing_replicas")
    lists = found.select(*ATTEMPT, "started_at", "ended_at", taken=wanted).drop_nulls(("ended_at", "taken"))
    left = (
        lists.join(ignored, on=NAME, how="inner")
        .filter(
            col("taken").list.contains(col("broker_id")),
            col("at") >= col("started_at"),
            col("at") <= col("ended_at") + LATE,
        )
        .sort(*ATTEMPT, "at", "broker_id")
        .unique([*NAME, "broker_id", "line"], keep="last", maintain_order=True)
        .group_by(ATTEMPT, maintain_order=True)
        .agg(leftover_broker_ids=col("broker_id").unique().sort(), leftover_lines="line")
    )
    lines, kept = col("evidence"), col("leftover_lines").fill_null(NO_LINES)
    begin = pl.max_horizontal(lines.list.len().cast(pl.Int64) - 1, 1)
    return (
        found.join(left, on=ATTEMPT, how="left", maintain_order="left")
        .with_columns(evidence=pl.concat_list(lines.list.head(begin), kept, lines.list.slice(begin)))
        .drop("leftover_lines")
    )
