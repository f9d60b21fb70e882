"""Of requests that no line of the broker shows: whether they are certainly lost, and who was gone."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.gold.request_trace.orders import CUT, UNSENT
from pipeline.gold.request_trace.receipts import RECEIPT_CHANNEL

# A sender waits so long for the answer before: controller.socket.timeout.ms.
WAITS = timedelta(seconds=30)
BROKER = ("cluster_id", "broker_id")
# Rows of a day are built anew with the next day's lines: what tells later that a request was lost is not looked for.
IN_TIME = timedelta(hours=20)
# The line that says it comes right after the one that sends it, by the same thread.
AT_ONCE = timedelta(seconds=1)


def with_losses(
    rows: pl.DataFrame,
    receipts: pl.DataFrame,
    controller_term: pl.DataFrame,
    broker_session: pl.DataFrame,
    order_line: pl.DataFrame,
) -> pl.DataFrame:
    """Rows with loss, what is said of a request that no line of the broker shows: not_sent, lost_..., not_seen,
    undetermined.

    It is lost where the channel is over and the broker wrote of other channels after the last request of this one, or
    the channel never was connected. A request behind which another one of the channel arrived is not: a line of the
    broker is missing. Of a broker that stayed nothing proves that its own log has no hole there: not_seen; and of a
    channel to it that no line connects, nothing that this line is not the missing one.
    """
    return (
        rows.pipe(with_unsent, order_line)
        .pipe(with_ends_of_channels, controller_term)
        .pipe(with_last_receipts, receipts)
        .pipe(with_next_departure, broker_session)
        .with_columns(loss=loss())
    )


def loss() -> pl.Expr:
    is_behind = (col("correlation_id") > col("last_got_id")).fill_null(value=False)
    is_unreached = col("is_opened") & ~col("is_connected")
    is_certain = col("is_over") & (is_unreached | (is_behind & col("is_broker_heard_later")))
    is_broker_gone = (col("left_at") <= col("sent_at") + WAITS) | (col("silent_from_at") <= col("sent_at"))
    is_controller_gone = col("term_over_at") <= col("sent_at") + WAITS
    has_stayed = col("is_session_known") & ~is_unreached
    return (
        when(col("is_unsent")).then(lit("not_sent"))
        .when(~is_certain.fill_null(value=False)).then(lit("undetermined"))
        .when(is_broker_gone).then(lit("lost_broker_gone"))
        .when(is_controller_gone).then(lit("lost_controller_gone"))
        .when(has_stayed).then(lit("not_seen"))
        .otherwise(lit("undetermined"))
    )  # fmt: skip


def with_unsent(rows: pl.DataFrame, order_line: pl.DataFrame) -> pl.DataFrame:
    """Adds is_unsent: a line says that the controller has no channel to the broker."""
    by = ["cluster_id", "controller_id", "broker_id", "request"]
    unsent = order_line.filter((col("step") == UNSENT) & col("request").is_not_null()).select(
        *by, unsent_at="logged_at"
    )
    sent = (
        rows.filter(col("sent_at").is_not_null())
        .select(*by, "sent_at", "file_id", "byte_offset")
        .sort("sent_at")
    )
    found = (
        unsent.sort("unsent_at")
        .join_asof(
            sent,
            left_on="unsent_at",
            right_on="sent_at",
            by=by,
            tolerance=AT_ONCE,
            check_sortedness=False,
        )
        .drop_nulls("file_id")
        .select("broker_id", "file_id", "byte_offset", is_unsent=lit(value=True))
        .unique()
    )
    return rows.join(found, on=["broker_id", "file_id", "byte_offset"], how="left").with_columns(
        col("is_unsent").fill_null(value=False)
    )


def with_ends_of_channels(rows: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """Adds term_over_at, when the term was over, and is_over: it was, or a next channel to the broker was opened."""
    over_at = pl.min_horizontal("resigning_at", "ended_at", "superseded_at")
    ends = controller_term.select("cluster_id", "term_id", term_over_at=over_at)
    # Of channels whose begin was not seen there may be several: the next one's line alone says that they are told.
    term_over_at = when(col("channel_seq") != CUT).then("term_over_at")
    over = pl.min_horizontal("next_opened_at", term_over_at)
    return rows.join(ends, on=["cluster_id", "term_id"], how="left").with_columns(
        is_over=(over <= col("sent_at") + IN_TIME).fill_null(value=False)
    )


def with_last_receipts(rows: pl.DataFrame, receipts: pl.DataFrame) -> pl.DataFrame:
    """Adds last_got_id, the highest id that arrived by the channel, and is_broker_heard_later: the broker wrote of
    another channel after that, and none that no line of the controller opens. A broker that sums up no request of the
    channel (up to 2.5) does not print all kinds: nothing is behind its last one."""
    by_channel = receipts.group_by(RECEIPT_CHANNEL).agg(
        last_got_id=when(col("printed_count").is_not_null().any()).then(col("correlation_id").max()),
        last_place=col("place").max(),
    )
    paired = rows.drop_nulls("receipt_channel").select(RECEIPT_CHANNEL).unique()
    told = receipts.join(paired.with_columns(is_paired=lit(value=True)), on=list(RECEIPT_CHANNEL), how="left")
    # Of what arrived before lines are given nothing else than that is known.
    is_known = col("known_got_id").is_not_null()
    found = rows.join(by_channel, on=list(RECEIPT_CHANNEL), how="left").with_columns(
        last_got_id=pl.max_horizontal("last_got_id", "known_got_id"),
        next_place=pl.coalesce("last_place", when(is_known).then(lit(-1))).cast(pl.Int64) + 1,
    )
    heard = told.select(
        *BROKER, "is_paired", next_place="place", heard_at="received_at", heard_epoch="controller_epoch"
    ).sort("next_place")
    is_told = col("is_paired").fill_null(value=False) | (col("heard_epoch") != col("controller_epoch"))
    return (
        found.sort("next_place")
        .join_asof(heard, on="next_place", by=list(BROKER), strategy="forward", check_sortedness=False)
        .with_columns(
            is_broker_heard_later=(is_told & (col("heard_at") <= col("sent_at") + IN_TIME)).fill_null(
                value=False
            )
        )
        .drop("last_place", "next_place", "heard_at", "heard_epoch", "is_paired")
    )


def with_next_departure(rows: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Adds left_at and silent_from_at of the first session of the broker that ends after the request was sent, and
    is_session_known: one covers the time."""
    sessions = broker_session.filter(col("mode") == "zookeeper").select(
        *BROKER, "joined_at", "left_at", "silent_from_at"
    )
    ends = sessions.drop_nulls("left_at").drop("joined_at").sort("left_at")
    begins = sessions.select(*BROKER, "joined_at", stays_until="left_at").sort("joined_at")
    found = (
        rows.sort("sent_at")
        .join_asof(
            ends.with_columns(end_at="left_at"),
            left_on="sent_at",
            right_on="end_at",
            by=list(BROKER),
            strategy="forward",
            check_sortedness=False,
        )
        .join_asof(begins, left_on="sent_at", right_on="joined_at", by=list(BROKER), check_sortedness=False)
    )
    stays = col("stays_until").is_null() | (col("stays_until") > col("sent_at") + WAITS)
    return found.with_columns(is_session_known=col("joined_at").is_not_null() & stays).drop(
        "end_at", "joined_at", "stays_until"
    )
