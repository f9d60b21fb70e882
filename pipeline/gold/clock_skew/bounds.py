"""Pairs of lines of two nodes of which one cannot be before the other: each bounds the difference of their clocks."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.clock_skew.bounds_of_kraft import bounds_of_registrations

CREATING, REGISTERED = "ephemeral_creating", "broker_registered_in_zk"
BROKERS = r"^/brokers/ids/\d+$"
NODES = ("cluster_id", "node_id", "other_id")


def bounding_pairs(
    request_trace: pl.DataFrame, broker_event: pl.DataFrame, node_event: pl.DataFrame
) -> pl.DataFrame:
    """One row per pair: NODES, is_high, bound_ms of the other's clock less the node's, told_at (first line of it),
    node_at (the node's), method, evidence."""
    pairs = pl.concat(
        [
            sent_before_received(request_trace),
            answered_after_done(request_trace),
            registered_before_seen(broker_event, node_event),
            bounds_of_registrations(broker_event),
        ],
        how="diagonal_relaxed",
    ).filter(col("controller_id") != col("broker_id"))
    # The controller's is the lower id, or else the difference is turned round.
    is_turned = col("controller_id") > col("broker_id")
    return pairs.select(
        "cluster_id",
        node_id=pl.min_horizontal("controller_id", "broker_id"),
        other_id=pl.max_horizontal("controller_id", "broker_id"),
        is_high=col("is_high") != is_turned,
        bound_ms=when(is_turned).then(-col("bound_ms")).otherwise("bound_ms"),
        told_at="told_at",
        node_at=col("at")
        + when(is_turned).then(pl.duration(milliseconds="bound_ms")).otherwise(pl.duration()),
        method="method",
        evidence="evidence",
    )


def sent_before_received(request_trace: pl.DataFrame) -> pl.DataFrame:
    return request_trace.filter(col("queue_ms").is_not_null()).select(
        "cluster_id", "controller_id", "broker_id", "evidence", "told_at",
        is_high=lit(value=True), bound_ms="queue_ms", at="sent_at", method=lit("requests"),
    )  # fmt: skip


def answered_after_done(request_trace: pl.DataFrame) -> pl.DataFrame:
    done = pl.coalesce("applied_at", "received_at")
    return request_trace.filter(col("answered_at").is_not_null() & done.is_not_null()).select(
        "cluster_id", "controller_id", "broker_id", "evidence", "told_at",
        is_high=lit(value=False), bound_ms=(done - col("answered_at")).dt.total_milliseconds(), at="answered_at",
        method=lit("answers"),
    )  # fmt: skip


def registered_before_seen(broker_event: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """By the broker epoch, which the line behind the one that creates the znode says, and the controller's list of
    epochs (from 2.2).

    Source: KafkaZkClient.registerBroker, CheckedEphemeral.create; KafkaController.updateBrokerEpochsCache.
    """
    line = pl.concat_list(pl.struct("file_id", "byte_offset"))
    own = ["cluster_id", "node_id"]
    creating = node_event.filter((col("event") == CREATING) & col("detail").str.contains(BROKERS)).select(
        *own, created_at="logged_at", created_line=line, logged_at="logged_at"
    )
    registered = node_event.filter((col("event") == REGISTERED) & col("broker_epoch").is_not_null())
    created = (
        registered.select(*own, "logged_at", "broker_epoch")
        .sort("logged_at")
        .join_asof(creating.sort("logged_at"), on="logged_at", by=own, check_sortedness=False)
        .drop_nulls("created_at")
        .select("cluster_id", "broker_epoch", "created_at", "created_line", broker_id="node_id")
        .unique(["cluster_id", "broker_id", "broker_epoch"], keep="none")
    )
    seen = (
        broker_event.filter((col("step") == "epoch") & (col("said_by") == "decision"))
        .filter(col("broker_epoch").is_not_null() & col("controller_id").is_not_null())
        .sort("logged_at")
        .group_by(
            "cluster_id",
            "controller_id",
            "broker_id",
            "broker_epoch",
            col("logged_at").dt.date().alias("day"),
            maintain_order=True,
        )
        .agg(at=col("logged_at").first(), seen_line=pl.struct("file_id", "byte_offset").first())
    )
    # Epochs of a wiped ZooKeeper begin anew: lines of one epoch on two days may be of two lives. And a night has no
    # more than its days at hand.
    is_one_day = col("created_at").dt.date() == col("day")
    return seen.join(created, on=["cluster_id", "broker_id", "broker_epoch"]).filter(is_one_day).select(
        "cluster_id", "controller_id", "broker_id",
        evidence=pl.concat_list("created_line", pl.concat_list("seen_line")),
        told_at="at",
        is_high=lit(value=False),
        bound_ms=(col("created_at") - col("at")).dt.total_milliseconds(),
        at="at",
        method=lit("registrations"),
    )  # fmt: skip
