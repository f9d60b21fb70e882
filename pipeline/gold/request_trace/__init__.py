"""What became of each request of a controller to a broker, from the lines of both."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of
from pipeline.core.span import Span
from pipeline.gold.request_trace.aligning import with_ids_of_receipts
from pipeline.gold.request_trace.losses import with_losses
from pipeline.gold.request_trace.orders import CHANNEL, CUT, SENT, order_line, orders_by_channel, with_answers
from pipeline.gold.request_trace.pairing import paired_channels
from pipeline.gold.request_trace.receipt_runs import receipt_run, whole_receipt
from pipeline.gold.request_trace.receipts import RECEIPT_CHANNEL, receipts_by_channel
from pipeline.gold.request_trace.texts import sent_text, with_sent_times
from schemas.gold.request_trace import SPEC

STALE_CONTROLLER = ("11", "STALE_CONTROLLER_EPOCH")
STALE_BROKER = ("77", "STALE_BROKER_EPOCH")
STORAGE_ERROR = "KAFKA_STORAGE_ERROR"
# What the broker says of a request, and the pair of channels that it came by.
ITS = (*RECEIPT_CHANNEL, "correlation_id")
TERM = ("cluster_id", "term_id")
UNCERTAIN = ("undetermined", "not_seen")


PARTIALS = (receipt_run, whole_receipt, order_line, sent_text)


@made_of(SPEC, "receipt_run", "whole_receipt", "order_line")
def build(  # noqa: PLR0913, PLR0917 - the parameters of a kernel are the tables that it reads
    receipt_run: pl.DataFrame,
    whole_receipt: pl.DataFrame,
    order_line: pl.DataFrame,
    sent_text: pl.DataFrame,
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    controller_term: pl.DataFrame,
    controller_event: pl.DataFrame,
    broker_session: pl.DataFrame,
    request_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per request whose first line is in the span.

    Both sides are joined by correlation id within pairs of channels, which are found by what went through them: ids as
    printed, else the place in the channel, with as many partitions. No two clocks are compared.
    request_before: rows of this table before the span: of each term and broker the last that the controller tells of.
    Source: ControllerChannelManager, RequestSendThread, ReplicaManager, 0.9 to 3.9.
    """
    receipts, said = receipts_by_channel(receipt_run, whole_receipt), order_line
    orders = (
        orders_by_channel(said, broker_event, controller_line, term, request_before, span)
        .pipe(with_ids_of_receipts, receipts)
        .pipe(with_answers)
    )
    pairs = paired_channels(orders, receipts)
    both = joined_sides(orders, receipts, pairs).pipe(with_sent_times, sent_text, controller_line)
    alone = receipts_alone(both, receipts, pairs, term)
    return (
        pl.concat([both.filter(~col("is_before")), alone], how="diagonal_relaxed")
        .pipe(with_losses, receipts, controller_term, broker_session, said)
        .pipe(with_work, controller_event)
        .with_columns(**request_columns())
        .with_columns(outcome=outcome())
        .with_columns(**of_evidence())
        .filter(span.since("told_at"))
        .select(SPEC.columns)
    )


def joined_sides(orders: pl.DataFrame, receipts: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Rows of orders, with what the broker says of them."""
    got = receipts.rename(
        {"file_id": "got_file_id", "byte_offset": "got_byte_offset", "request": "got_request"}
    )
    return (
        orders.join(pairs, on=[*CHANNEL, "controller_id"], how="left", maintain_order="left")
        .join(got.drop("controller_epoch"), on=ITS, how="left", maintain_order="left")
        .with_columns(request=pl.coalesce("request", "got_request"), told_at="logged_at")
    )


def receipts_alone(
    both: pl.DataFrame, receipts: pl.DataFrame, pairs: pl.DataFrame, term: pl.DataFrame
) -> pl.DataFrame:
    """Requests of which no line of the controller is there."""
    alone = receipts.join(both.filter(col("place").is_not_null()), on=ITS, how="anti")
    # What the controller told before stands in rows of the time before.
    told = both.drop_nulls("known_id").select(*RECEIPT_CHANNEL, "known_id").unique(RECEIPT_CHANNEL)
    epoch = ["cluster_id", "controller_id", "controller_epoch"]
    in_terms = term.filter(col("mode") == "zookeeper").unique(epoch, keep="none")
    # Of a channel without its begin: what a night has at hand of the time before pairs nothing there.
    is_cut = col("channel_seq") == CUT
    first_known = both.filter(is_cut).group_by(RECEIPT_CHANNEL).agg(first_id=col("correlation_id").min())
    is_of_pair = (col("correlation_id") >= col("first_id")).fill_null(value=True)
    return (
        alone.join(pairs, on=RECEIPT_CHANNEL, how="left")
        .join(first_known, on=RECEIPT_CHANNEL, how="left")
        .with_columns(when(is_of_pair).then("term_id"), when(is_of_pair).then("channel_seq"))
        .join(told, on=RECEIPT_CHANNEL, how="left")
        .filter((col("correlation_id") > col("known_id")).fill_null(value=True))
        .join(in_terms.select(*epoch, epoch_term="term_id"), on=epoch, how="left")
        .with_columns(
            term_id=pl.coalesce("term_id", "epoch_term"),
            told_at="received_at",
            got_file_id="file_id",
            got_byte_offset="byte_offset",
        )
        .drop("known_id", "epoch_term", "first_id")
    )


def with_work(rows: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
    """Rows with work_seq, the piece of work in which they were sent."""
    pieces = controller_event.select(*TERM, "work_seq", request_seq="work_seq").sort("request_seq")
    placed = rows.with_columns(request_seq=col("seq")).sort("request_seq")
    found = placed.join_asof(pieces, on="request_seq", by=list(TERM), check_sortedness=False)
    is_sent = col("sort") == SENT
    return found.with_columns(work_seq=when(is_sent).then("work_seq"))


def request_columns() -> dict[str, pl.Expr]:
    error = when(col("error") != "NONE").then("error")
    stored = when(col("is_storage_error")).then(lit(STORAGE_ERROR))
    got = col("received_at").is_not_null()
    # One line tells when, and not how long.
    lasted_ms = when(col("lines_count") > 1).then(
        (col("applied_at") - col("received_at")).dt.total_milliseconds()
    )
    counted = when(col("told_count") > 0).then("told_count")
    return {
        "channel_seq": when(col("channel_seq") != CUT).then("channel_seq"),
        "partition_count": pl.coalesce("partition_count", "printed_count", counted),
        "queue_ms": (col("received_at") - col("sent_at")).dt.total_milliseconds(),
        "apply_ms": pl.coalesce("elapsed_ms", lasted_ms),
        "answer_ms": (col("answered_at") - col("sent_at")).dt.total_milliseconds(),
        "error": pl.coalesce(error, stored),
        "failed_at": pl.coalesce("failed_at", when(error.is_not_null()).then("answered_at")),
        "ignored_count": when(got).then("ignored_count"),
        "failed_count": when(got).then("failed_count"),
    }


def outcome() -> pl.Expr:
    is_got, is_answered = col("received_at").is_not_null(), col("answered_at").is_not_null()
    is_silent = (col("request") == "UPDATE_METADATA") & (col("partition_count") == 0)
    is_ignored = col("ignored_count") > 0
    return (
        when(col("is_refused") | col("error").is_in(STALE_CONTROLLER)).then(lit("refused_stale_controller"))
        .when(col("error").is_in(STALE_BROKER)).then(lit("refused_stale_broker"))
        .when(col("error").is_not_null() | (col("failed_count") > 0)).then(lit("error"))
        .when(is_ignored & (col("ignored_count") >= col("partition_count"))).then(lit("ignored"))
        .when(is_ignored).then(lit("partly_ignored"))
        .when(is_got & (col("applied_at").is_not_null() | is_answered)).then(lit("applied"))
        .when(is_got).then(lit("received"))
        .when(is_silent).then(lit("unseen"))
        .when(is_answered).then(lit("applied"))
        .otherwise(col("loss"))
    )  # fmt: skip


def of_evidence() -> dict[str, pl.Expr]:
    """Its lines of the controller and of the broker; of an error the line that says it first."""
    own = pl.struct("file_id", "byte_offset")
    got = pl.struct(file_id="got_file_id", byte_offset="got_byte_offset")
    error = when(col("outcome") == "error").then(pl.coalesce("failing", "answer"))
    lines = pl.concat_list(error, "sent_line", own, when(col("got_file_id").is_not_null()).then(got))
    inferred = col("outcome").str.starts_with("lost")
    return {
        "evidence": lines.list.drop_nulls().list.unique(maintain_order=True),
        "certainty": when(col("outcome").is_in(UNCERTAIN)).then(lit("undetermined"))
        .when(inferred | (col("sent_at").is_not_null() & col("received_at").is_not_null()))
        .then(lit("inferred"))
        .otherwise(lit("proved")),
    }  # fmt: skip
