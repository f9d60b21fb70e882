"""What controllers put into the queues of their brokers, request by request, and what was answered, by channel."""

import polars as pl
from polars import col, lit, when

from pipeline.core.partial import apart
from pipeline.core.span import Span

QUEUE = ("cluster_id", "term_id", "broker_id")
CHANNEL = (*QUEUE, "channel_seq")
LINE = ("file_id", "byte_offset")
# One line per request, from 2.6; UpdateMetadata one for all brokers.
SUMMARIES = ("leader_and_isr_sent_summary", "update_metadata_sent_summary", "stop_replica_sent_summary")
ANSWER = "controller_response_received"
# A channel whose first line was not seen.
CUT = -1
SENT, ANSWERED = "sent", "answered"
UNSENT = "not_sent"
# Rows of the time before.
BEFORE_SENT, BEFORE_ANSWERED = "before_sent", "before_answered"


@apart
def order_line(control_request: pl.DataFrame) -> pl.DataFrame:
    """What a controller says of whole requests: that it sends one (from 2.6), has got an answer, has no channel.

    Columns: cluster_id, LINE, event, step, request, controller_id, broker_id, broker_ids, partition_count,
    correlation_id, error, logged_at; topic, partition, null on nearly all.
    """
    is_sent = col("event").is_in(SUMMARIES)
    is_answer = (col("event") == ANSWER) & (col("step") == "answered")
    return control_request.filter(is_sent | is_answer | (col("step") == UNSENT)).select(
        "cluster_id", *LINE, "event", "step", "request", "controller_id", "broker_id", "broker_ids",
        "partition_count", "correlation_id", "error", "logged_at", "topic", "partition",
    )  # fmt: skip


def orders_by_channel(
    order_line: pl.DataFrame,
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    request_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per line of a controller that sends a request (from 2.6) or has got an answer to one; those of
    request_before (rows of the table) among them, with is_before.

    channel_seq: place of the line that opens the channel to the broker, CUT: not seen. is_opened, is_connected: lines
    say so; next_opened_at: when the next channel to that broker was. correlation_id: as printed, else by the place in
    the channel, as each counts from 0; null where its begin was not seen. known_id, known_got_id: the last one before
    that was sent, that arrived.
    Source: ControllerBrokerRequestBatch.sendRequestsToBrokers, RequestSendThread.doWork, 0.9 to 3.9.
    """
    of_requests = pl.concat([sent_requests(order_line), answers(order_line)], how="diagonal_relaxed")
    lines = pl.concat(
        [of_requests.filter(span.since("logged_at")), lines_of_channels(broker_event)], how="diagonal_relaxed"
    )
    of_zookeeper = term.filter(col("mode") == "zookeeper").select("cluster_id", "term_id", "controller_epoch")
    placed = lines.join(
        controller_line.select("cluster_id", "term_id", "seq", *LINE), on=["cluster_id", *LINE]
    ).join(of_zookeeper, on=["cluster_id", "term_id"])
    return with_channels(placed, request_before).pipe(with_ids)


def sent_requests(order_line: pl.DataFrame) -> pl.DataFrame:
    summaries = order_line.filter(col("event").is_in(SUMMARIES))
    to_one = summaries.filter(col("broker_ids").is_null())
    to_several = summaries.filter(col("broker_ids").list.len() > 0).with_columns(broker_id="broker_ids")
    return pl.concat([to_one, to_several.explode("broker_id")]).select(
        "cluster_id", *LINE, "controller_id", "broker_id", "request", "partition_count", "logged_at",
        sort=lit(SENT),
    )  # fmt: skip


def answers(order_line: pl.DataFrame) -> pl.DataFrame:
    return order_line.filter((col("event") == ANSWER) & (col("step") == "answered")).select(
        "cluster_id", *LINE, "controller_id", "broker_id", "request", "correlation_id", "error", "logged_at",
        sort=lit(ANSWERED),
    )  # fmt: skip


def lines_of_channels(broker_event: pl.DataFrame) -> pl.DataFrame:
    """Lines that open a channel or connect it."""
    is_of_channel = (col("said_by") == "channel") & col("step").is_in(["connecting", "connected"])
    return broker_event.filter(is_of_channel).select(
        "cluster_id", *LINE, "controller_id", "broker_id", "logged_at", sort="step"
    )


def with_channels(lines: pl.DataFrame, request_before: pl.DataFrame) -> pl.DataFrame:
    """Rows in and those of before, by channel, in the order of their terms."""
    is_sent = col("sent_at").is_not_null()
    before = request_before.select(
        *QUEUE, "controller_id", "controller_epoch", "request", "partition_count", "correlation_id",
        seq="request_seq",
        channel_seq=col("channel_seq").fill_null(CUT),
        sort=when(is_sent).then(lit(BEFORE_SENT)).otherwise(lit(BEFORE_ANSWERED)),
        logged_at="told_at",
        known_id="correlation_id",
        known_got_id=when(col("received_at").is_not_null()).then("correlation_id"),
    )  # fmt: skip
    rows = pl.concat([lines.with_columns(channel_seq=lit(None, pl.Int64)), before], how="diagonal_relaxed")
    is_opening = col("sort") == "connecting"
    # Nothing says of a channel whose begin was not seen that it never was connected.
    is_used = (
        col("sort").is_in(["connected", ANSWERED])
        | col("known_got_id").is_not_null()
        | (col("channel_seq") == CUT)
    )
    return (
        rows.sort(*QUEUE, "seq")
        .with_columns(
            channel_seq=when(is_opening).then("seq").otherwise("channel_seq").forward_fill().over(QUEUE),
            next_opened_at=when(is_opening).then("logged_at").backward_fill().over(QUEUE),
        )
        .with_columns(col("channel_seq").fill_null(CUT))
        .with_columns(
            is_opened=is_opening.any().over(CHANNEL),
            is_connected=is_used.any().over(CHANNEL),
            known_id=col("known_id").max().over(CHANNEL),
            known_got_id=col("known_got_id").max().over(CHANNEL),
            is_sent_said=col("sort").is_in([SENT, BEFORE_SENT]).any().over(CHANNEL),
        )
    )


def with_ids(lines: pl.DataFrame) -> pl.DataFrame:
    """The rows about requests, with the id by the place in the channel where none is printed."""
    rows = lines.filter(~col("sort").is_in(["connecting", "connected"]))
    place = pl.int_range(pl.len(), dtype=pl.Int64).over(*CHANNEL, "sort")
    first = when(col("channel_seq") != CUT).then(col("known_id").fill_null(-1)).otherwise("known_id") + 1
    return rows.with_columns(
        correlation_id=pl.coalesce("correlation_id", (first + place).cast(pl.Int32)),
        is_before=col("sort").is_in([BEFORE_SENT, BEFORE_ANSWERED]),
    )


def with_answers(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per request: what was sent with its answer, by id; answers alone where no line says what was sent."""
    by_id = [*CHANNEL, "correlation_id"]
    is_answer = col("sort") == ANSWERED
    answer = (
        rows.filter(is_answer & col("is_sent_said"))
        .select(*by_id, "error", answered_at="logged_at", answer=pl.struct(LINE))
        .unique(by_id, keep="first")
    )
    with_answer = (
        rows.filter(~is_answer)
        .drop("error")
        .with_columns(sent_at=when(col("sort") == SENT).then("logged_at"))
        .join(answer, on=by_id, how="left")
    )
    alone = rows.filter(is_answer & ~col("is_sent_said")).with_columns(
        answered_at="logged_at", answer=pl.struct(LINE)
    )
    return pl.concat([with_answer, alone], how="diagonal_relaxed")
