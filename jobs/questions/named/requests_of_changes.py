"""Which requests of a controller to brokers told them of a partition's leader."""

from datetime import timedelta

import polars as pl
from polars import col

from pipeline.core.conditions import column_before, column_equals, column_since
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TRACE, LINES = "gold.request_trace", "silver.control_request"
# gold.controller_event: no piece of work is looked at for longer; its requests come at its end.
LONGEST = timedelta(hours=1)
# A broker prints the partitions of a request one after the other, by one clock.
PRINTED = timedelta(seconds=30)
ID = ("controller_id", "broker_id", "request", "correlation_id")


def requests_of_change(answers: Answers, change: Row) -> list[Row]:
    """The first requests of each kind to each broker that told of a change (a row of gold.partition_timeline): rows of
    gold.request_trace in their order.

    From 2.6: those of the piece of work that printed the change, a LeaderAndIsr or StopReplica to its replicas alone.
    Before it no line of the controller says which request a partition went with: those of which the broker itself
    prints the partition with the leader epoch (TRACE). One that never arrived is not among them.
    """
    from_at, replicas = change["stated_from_at"], change["replicas"]
    near = (
        column_equals("term_id", change["term_id"])
        & column_since("told_at", from_at)
        & column_before("told_at", from_at + LONGEST)
    )
    rows = answers.rows(TRACE, near).filter(col("partition_count") > 0)
    is_to_all = col("request") == "UPDATE_METADATA"
    is_to_replica = col("broker_id").is_in(replicas) if replicas else is_to_all.is_not_null()
    is_of_work = (col("request_seq") >= change["seq"]) & (col("work_seq") <= change["seq"])
    of_work = rows.filter(is_of_work.fill_null(value=False), is_to_all | is_to_replica)
    printed = rows.filter(col("work_seq").is_null()).pipe(named_by_brokers, answers, change)
    return (
        pl.concat([of_work, printed])
        .sort("told_at", "request_seq", "broker_id")
        .unique(["broker_id", "request"], keep="first", maintain_order=True)
        .sort("request_seq", "told_at", "broker_id")
        .to_dicts()
    )


def named_by_brokers(requests: pl.DataFrame, answers: Answers, change: Row) -> pl.DataFrame:
    """Of requests those of which the broker prints the partition with the leader epoch of the change."""
    if requests.is_empty():
        return requests
    from_at = change["stated_from_at"]
    is_it = (
        column_equals("topic", change["topic"])
        & column_equals("partition", change["partition"])
        & column_equals("leader_epoch", change["leader_epoch"])
        & column_since("logged_at", from_at - LONGEST)
        & column_before("logged_at", from_at + LONGEST)
    )
    lines = answers.rows(LINES, is_it).filter(col("event").str.starts_with("broker_"))
    is_then = (col("printed_at") - col("received_at")).is_between(-PRINTED, PRINTED)
    named = requests.join(lines.select(*ID, printed_at="logged_at").drop_nulls(), on=ID).filter(is_then)
    return requests.join(named, on=["broker_id", "file_id", "byte_offset"], how="semi")
