"""What brokers got of the controllers' requests, request by request, in the channels that ids tell apart."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.gold.request_trace.receipt_runs import NAMED, RECEIVER, lines_of_brokers

RECEIPT_CHANNEL = (*RECEIVER, "receipt_channel")
BROKER = ("cluster_id", "broker_id")
RUNS_AT_ONCE = 100_000
BY_ID = (*RECEIVER, "id_run", "correlation_id")
# No channel follows another sooner.
NEXT_CHANNEL = timedelta(milliseconds=5)


def receipts_by_channel(receipt_run: pl.DataFrame, whole_receipt: pl.DataFrame) -> pl.DataFrame:
    """One row per request of which a broker prints its correlation id.

    receipt_channel: ordinal, by broker and controller, of the channel that it came by: a lower id than the one before
    begins a new one, and another controller epoch does. controller_epoch: of the channel; null: no line says it.
    """
    lines = pl.concat([receipt_run, whole_receipt])
    if len(lines) <= RUNS_AT_ONCE:
        return receipts_of_brokers(lines)
    # What runs become on their way takes many times as much memory as they do; nothing is asked of two brokers.
    return pl.concat([receipts_of_brokers(its) for its in lines.partition_by(BROKER)])


def receipts_of_brokers(runs: pl.DataFrame) -> pl.DataFrame:
    """The same of all lines of some brokers."""
    requests = requests_in_order(lines_of_brokers(runs))
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
    highest. lines: lines_of_brokers()."""
    return (
        with_id_run(lines)
        .group_by(*RECEIVER, "id_run", "correlation_id", maintain_order=True)
        .agg(
            *(
                col(name).drop_nulls().first()
                for name in ("request", "printed_count", "elapsed_ms", "failing")
            ),
            *(col(name).any() for name in ("is_delete", "is_refused", "is_storage_error")),
            *(col(name).max() for name in ("controller_epoch", "applied_at", "unchanged_at")),
            *(col(name).min() for name in ("received_at", "failed_at")),
            *(col(name).sum() for name in ("ignored_count", "failed_count", "lines_count")),
            *(col(name).first() for name in ("file_id", "byte_offset", "place")),
            told_count=col("told_count").sum().cast(pl.Int32),
        )
    )


def with_id_run(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines with id_run, in their order."""
    last_id, last_at = (col(name).shift(1).over(RECEIVER) for name in ("correlation_id", "last_at"))
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
    repeated = pl.int_range(pl.len()).over(*BY_ID, "is_repeated", *NAMED)
    nth = when("is_repeated").then(repeated).when("is_once").then(0)
    most = col("nth").cum_max().forward_fill()
    epoch = col("once_epoch").forward_fill()
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
