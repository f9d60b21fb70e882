"""When requests were sent that no line of the controller sums up (up to 2.5, TRACE): by the text of a partition."""

import polars as pl
from polars import col, lit

from pipeline.gold.request_trace.orders import CHANNEL, CUT, LINE, QUEUE

SENT, RECEIVED = "leader_and_isr_sent", "broker_leader_and_isr_received"
# What a LeaderAndIsr says of a partition, printed alike by both sides.
TEXT = ("topic", "partition", "leader", "leader_epoch", "isr")


# By whom and whose it is.
SAID = ("cluster_id", "broker_id", *TEXT)


def sent_text(control_request: pl.DataFrame) -> pl.DataFrame:
    """One row per text about a partition that a controller sent to a broker and that it got.

    Columns: cluster_id, broker_id; sent_lines (structs of file_id, byte_offset, logged_at): where it was sent;
    got_lines (structs of file_id, byte_offset): where the broker prints it.
    """
    is_of_partition, event = col("topic").is_not_null(), col("event")
    sent, got = (
        control_request.filter((event == of) & is_of_partition).select(*SAID, *LINE, "logged_at")
        for of in (SENT, RECEIVED)
    )
    by_text = sent.group_by(SAID).agg(sent_lines=pl.struct(*LINE, "logged_at"))
    return by_text.join(
        got.group_by(SAID).agg(got_lines=pl.struct(LINE)), on=list(SAID), nulls_equal=True
    ).select("cluster_id", "broker_id", "sent_lines", "got_lines")


def with_sent_times(
    rows: pl.DataFrame, sent_text: pl.DataFrame, controller_line: pl.DataFrame
) -> pl.DataFrame:
    """Rows with sent_at of LeaderAndIsr requests of which the first partition that the broker prints was sent so once
    in the channel; sent twice, it is not known which of both it was.

    Source: ControllerBrokerRequestBatch, ReplicaManager.becomeLeaderOrFollower, 0.9 to 2.5.
    """
    asked = rows.filter(
        col("sent_at").is_null() & (col("request") == "LEADER_AND_ISR") & col("got_file_id").is_not_null()
    )
    if asked.is_empty():
        return rows.with_columns(
            sent_line=lit(None, pl.Struct({"file_id": pl.String, "byte_offset": pl.Int64}))
        )
    numbered = sent_text.with_row_index("text_no")
    got = asked.select(*CHANNEL, *LINE, got_file_id="got_file_id", got_byte_offset="got_byte_offset")
    texts = (
        numbered.select("text_no", line="got_lines")
        .explode("line")
        .select("text_no", col("line").struct.rename_fields(["got_file_id", "got_byte_offset"]))
        .unnest("line")
    )
    of_requests = got.join(texts, on=["got_file_id", "got_byte_offset"]).unique([*CHANNEL, *LINE])
    wanted = numbered.join(of_requests.select("text_no").unique(), on="text_no", how="semi")
    found = (
        of_requests.join(
            sent_texts(rows, wanted, controller_line), on=[*CHANNEL, "text_no"], nulls_equal=True
        )
        .filter(col("sent_count") == 1)
        .select("broker_id", *LINE, "text_sent_at", "sent_line")
    )
    return rows.join(found, on=["broker_id", *LINE], how="left").with_columns(
        sent_at=pl.coalesce("sent_at", "text_sent_at")
    )


def sent_texts(rows: pl.DataFrame, numbered: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """One row per text (text_no) that a controller sent in a channel: how often and when first."""
    opened = rows.filter(col("channel_seq") != CUT).select(*CHANNEL).unique().with_columns(seq="channel_seq")
    sent = (
        numbered.select("cluster_id", "broker_id", "text_no", line="sent_lines")
        .explode("line")
        .unnest("line")
    )
    placed = sent.join(
        controller_line.select("cluster_id", "term_id", "seq", *LINE), on=["cluster_id", *LINE]
    )
    return (
        placed.sort("seq")
        .join_asof(opened.sort("seq"), on="seq", by=list(QUEUE), check_sortedness=False)
        .with_columns(col("channel_seq").fill_null(CUT))
        .group_by(*CHANNEL, "text_no")
        .agg(
            sent_count=pl.len(),
            text_sent_at=col("logged_at").first(),
            sent_line=pl.struct(LINE).first(),
        )
    )
