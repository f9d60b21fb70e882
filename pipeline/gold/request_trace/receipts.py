"""What brokers got of the controllers' requests, request by request, in the channels that ids tell apart."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

RECEIVER = ("cluster_id", "broker_id", "controller_id")
RECEIPT_CHANNEL = (*RECEIVER, "receipt_channel")
BY_ID = (*RECEIVER, "id_run", "correlation_id")
# No channel follows another sooner.
NEXT_CHANNEL = timedelta(milliseconds=5)
STEPS = ("received", "started", "applied", "unchanged", "ignored", "refused", "failed")
# A broker prints each once a request, or once a request and partition, with the request's own epoch.
ONCE = (
    "broker_leader_and_isr_request",
    "broker_leader_and_isr_received",
    "broker_stop_replica_request",
    "broker_stop_replica_received",
    "broker_metadata_summary",
    "broker_metadata_cached",
    "broker_metadata_deleted",
)
# The broker goes on without this partition: its leader is not there yet.
LEADER_UNAVAILABLE = "broker_become_follower_leader_unavailable"
STORAGE = (
    "broker_stop_replica_storage_error",
    "broker_become_leader_storage_error",
    "broker_become_follower_storage_error",
)


def receipt_line(control_request: pl.DataFrame) -> pl.DataFrame:
    """What brokers say of requests of which they print the id.

    Columns: RECEIVER, correlation_id, controller_epoch, event, step, request, is_delete, partition_count, elapsed_ms,
    topic, partition, logged_at, LINE. One row per row that is given: where an id is lower than in the line before, or
    comes again, there a channel ends, whatever the topics of both. Those of no topic stand in each shard.
    """
    is_of_broker = col("step").is_in(STEPS) & col("event").str.starts_with("broker_")
    return control_request.filter(
        is_of_broker & col("correlation_id").is_not_null() & col("controller_id").is_not_null()
    ).select(
        *RECEIVER, "correlation_id", "controller_epoch", "event", "step", "request", "is_delete",
        "partition_count", "elapsed_ms", "topic", "partition", "logged_at", "file_id", "byte_offset",
    )  # fmt: skip


def receipts_by_channel(receipt_line: pl.DataFrame) -> pl.DataFrame:
    """One row per request of which a broker prints its correlation id.

    receipt_channel: ordinal, by broker and controller, of the channel that it came by: a lower id than the one before
    begins a new one, and another controller epoch does. controller_epoch: of the channel; null: no line says it.
    """
    requests = requests_in_order(lines_of_brokers(receipt_line))
    run = [*RECEIVER, "id_run"]
    epoch = col("controller_epoch")
    is_new = (col("id_run") != col("id_run").shift(1).over(RECEIVER)) | (
        epoch != epoch.forward_fill().shift(1).over(run)
    )
    return (
        requests.with_columns(
            receipt_channel=is_new.fill_null(value=False).cum_sum().over(RECEIVER).cast(pl.Int64)
        )
        .with_columns(controller_epoch=epoch.max().over(*RECEIVER, "receipt_channel"))
        .with_columns(applied_at=applied_at())
        .drop("id_run", "unchanged_at")
    )


def applied_at() -> pl.Expr:
    """Where a line counts the partitions of the whole request (from 2.6), those about partitions that stay as they were
    are at INFO and say nothing of the others."""
    unchanged = when(col("printed_count").is_null()).then("unchanged_at")
    return pl.max_horizontal("applied_at", unchanged)


def requests_in_order(lines: pl.DataFrame) -> pl.DataFrame:
    """One row per request, with id_run, which rises where an id is lower than the one before, or comes again. A line
    may print the controller epoch in which the state of a partition was written (up to 1.0): the request's is the
    highest."""
    step, at, event = col("step"), col("logged_at"), col("event")
    is_unavailable = event == LEADER_UNAVAILABLE
    is_failed = (step == "failed") & ~is_unavailable
    return (
        with_id_run(lines)
        .group_by(*RECEIVER, "id_run", "correlation_id", maintain_order=True)
        .agg(
            request=col("request").drop_nulls().first(),
            is_delete=col("is_delete").any(),
            controller_epoch=col("controller_epoch").max(),
            printed_count=col("partition_count").drop_nulls().first(),
            told_count=(
                step
                == when(col("request") == "UPDATE_METADATA").then(lit("applied")).otherwise(lit("received"))
            )
            .sum()
            .cast(pl.Int32),
            received_at=at.min(),
            applied_at=at.filter(step == "applied").max(),
            unchanged_at=at.filter(step == "unchanged").max(),
            elapsed_ms=col("elapsed_ms").drop_nulls().first(),
            ignored_count=((step == "ignored") | is_unavailable).sum().cast(pl.Int64),
            failed_count=is_failed.sum().cast(pl.Int64),
            lines_count=pl.len(),
            failing=pl.struct("file_id", "byte_offset").filter(is_failed).first(),
            failed_at=at.filter(is_failed).min(),
            is_refused=(step == "refused").any(),
            is_storage_error=event.is_in(STORAGE).any(),
            file_id=col("file_id").first(),
            byte_offset=col("byte_offset").first(),
            place=col("place").first(),
        )
    )


def with_id_run(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines with id_run, in their order."""
    last_id, last_at = (col(name).shift(1).over(RECEIVER) for name in ("correlation_id", "logged_at"))
    placed = lines.with_columns(
        id_run=(col("correlation_id") < last_id).fill_null(value=False).cum_sum().over(RECEIVER),
        is_late=(col("correlation_id") == last_id) & (col("logged_at") - last_at >= NEXT_CHANNEL),
    )
    late = placed.filter("is_late").select(*RECEIVER, "id_run", "correlation_id").unique()
    again = again_lines(placed.join(late, on=late.columns, how="semi", maintain_order="left"))
    return (
        placed.join(again, on=["cluster_id", "broker_id", "place"], how="left", maintain_order="left")
        .with_columns(id_run=col("id_run") + col("is_again").fill_null(value=False).cum_sum().over(RECEIVER))
        .drop("is_late", "is_again")
    )


def again_lines(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines (cluster_id, broker_id, place, is_again) at which an id comes again, as the first visible one of the next
    channel: they are of another request or epoch than the line before, or stand there again though a request prints
    them once. A line that is doubled is of the same moment."""
    is_once = col("event").is_in(ONCE)
    nth = when(is_once).then(pl.int_range(pl.len()).over(*BY_ID, "event", "topic", "partition"))
    most = col("nth").cum_max().forward_fill()
    epoch = when(is_once).then("controller_epoch").forward_fill()
    is_again = (
        (most > most.shift(1))
        | (col("request") != col("request").forward_fill().shift(1))
        | (epoch != epoch.shift(1))
    )
    return (
        lines.with_columns(nth=nth)
        .with_columns(is_again=is_again.over(BY_ID))
        .filter(col("is_again") & col("is_late"))
        .select("cluster_id", "broker_id", "place", "is_again")
    )


def lines_of_brokers(receipt_line: pl.DataFrame) -> pl.DataFrame:
    """In the order in which each broker wrote them: file by file, as files begin."""
    is_whole = col("topic").is_null()
    whole = receipt_line.filter(is_whole).unique(["cluster_id", "file_id", "byte_offset"])
    lines = pl.concat([receipt_line.filter(~is_whole), whole])
    begins = lines.group_by("file_id").agg(file_at=col("logged_at").min())
    return (
        lines.join(begins, on="file_id", how="left")
        .sort("cluster_id", "broker_id", "file_at", "file_id", "byte_offset")
        .with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over("cluster_id", "broker_id"))
    )
