"""Moves of replicas that Kafka follows by a request: whether the request that it sent then has their partition."""

from collections.abc import Collection
from datetime import timedelta

import polars as pl
import pyarrow as pa
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.made_of import made_of
from pipeline.gold.replay_check.moves import TERM, earlier_moves, machines_of_terms, moves_of_terms
from pipeline.gold.replay_check.statements import (
    COUNTED,
    DIFFERS,
    EQUAL,
    PLACE,
    STATEMENT,
    UNDECIDED,
    count_statements,
)
from pipeline.model.lines.families import events_of
from schemas.types import INTEGER, LONG

OF_PARTITION, SUMMARY, END = (
    "leader_and_isr_sent",
    "leader_and_isr_sent_summary",
    "update_metadata_sent_summary",
)
ONLINE = "OnlineReplica"
# A replica that comes from these may be of a partition without a leader, of which nothing is sent.
FROM = ("OfflineReplica", "OnlineReplica")
LED = "OnlinePartition"
MOVES = events_of("replica_transition") | events_of("partition_transition")
BROKER = (*TERM, "broker_id")
PARTITION = (*TERM, "topic", "partition")
LINE = ("cluster_id", "file_id", "byte_offset")
REQUESTS = pa.schema(
    [
        *COUNTED,
        *(("broker_id", INTEGER), ("summary_seq", LONG), ("partition_count", LONG), ("lines_count", LONG)),
    ]
)
# Between lines that are further apart others may be missing.
BATCH = timedelta(seconds=1)


def batch_line(controller_line: pl.DataFrame) -> pl.DataFrame:
    """(TERM, seq, event) of the lines of all topics that move something, or send a request or end a batch of them."""
    events = [*MOVES, OF_PARTITION, SUMMARY, END]
    return controller_line.filter(col("event").is_in(sorted(events))).select(*TERM, "seq", "event")


@made_of(REQUESTS, "transition_audit", "control_request")
def request_answer(
    transition_audit: pl.DataFrame,
    control_request: pl.DataFrame,
    controller_line: pl.DataFrame,
    batch_line: pl.DataFrame,
    term: pl.DataFrame,
    summary_before: pl.DataFrame,
) -> pl.DataFrame:
    """Of each move to OnlineReplica that was done: a LeaderAndIsr request to its broker with its partition follows.

    It has none only where the request of its batch to the broker is complete, and the partition known to have a leader.
    Such a request stands behind the moves and before the next ones, and before the UpdateMetadata that ends a batch,
    within a second and in the file of the move, with as many lines of partitions (TRACE) as it is summed up with (from
    2.6).
    Rows (REQUESTS): counts by STATEMENT; those of moves that have none if the request is complete by its summary
    (broker_id, summary_seq), with what that counts (partition_count); how many lines of these topics it has.
    Source: ZkReplicaStateMachine.doHandleStateChanges, ControllerBrokerRequestBatch.sendLeaderAndIsrRequest.
    """
    terms = machines_of_terms(term)
    moves, earlier = moves_of_terms(transition_audit, terms), earlier_moves(summary_before, terms)
    online = moves.filter(
        (col("machine") == "replica") & (col("outcome") == "done"),
        (col("to_state") == ONLINE) & col("from_state").is_in(FROM),
        col("term_id").is_not_null(),
    ).with_columns(broker_id="replica_id")
    sent = sent_lines_of_terms(control_request, controller_line)
    summaries, move_lines = sent.filter(col("event") == SUMMARY), lines_of_events(batch_line, MOVES)
    counted = lines_of_requests(sent, summaries, move_lines)
    answers = (
        online.pipe(
            with_next_line, summaries, BROKER, "summary", "file_id", "partition_count", "logged_at",
        )
        .pipe(with_next_line, sent.filter(col("event") == END), TERM, "end")
        .pipe(with_next_line, lines_of_events(batch_line, (OF_PARTITION, SUMMARY, END)), TERM, "first")
        .pipe(with_next_move, move_lines)
        .pipe(with_partition_line, sent)
        .pipe(with_partition_state, moves, earlier)
        .with_columns(answer=answer_if_complete())
        .with_columns(
            when(col("answer") == DIFFERS).then(name).alias(name) for name in ("broker_id", "summary_seq")
        )
        .pipe(statements_of)
    )  # fmt: skip
    rows = count_statements(
        answers, "requests_of_moves", "broker_id", "summary_seq", "summary_partition_count"
    )
    return pl.concat(
        [empty_frame(REQUESTS), rows.rename({"summary_partition_count": "partition_count"}), counted],
        how="diagonal",
    )


def count_requests(request_answer: pl.DataFrame) -> pl.DataFrame:
    """Rows (COUNTED): a move is without its request where that has the lines of as many partitions of all topics as its
    summary counts; else nothing is decided."""
    by = [*BROKER, "summary_seq"]
    is_lines = col("lines_count").is_not_null()
    lines = request_answer.filter(is_lines).group_by(by).agg(col("lines_count").sum())
    is_of_summary = col("summary_seq").is_not_null()
    is_complete = (col("partition_count") == col("lines_count").fill_null(0)).fill_null(value=False)
    is_open = is_of_summary & ~is_complete
    return (
        request_answer.filter(~is_lines)
        .drop("lines_count")
        .join(lines, on=by, how="left")
        .with_columns(
            differing_count=when(~is_open).then("differing_count").otherwise(0),
            undecided_count=when(is_open).then("said_count").otherwise("undecided_count"),
            examples=when(~is_open).then("examples"),
        )
        .select(COUNTED.names)
    )


def answer_if_complete() -> pl.Expr:
    """EQUAL: the line is there; DIFFERS: it is not, if the request has all lines that it is summed up with."""
    is_its_request = (
        (col("summary_seq") > col("seq"))
        & (col("summary_file_id") == col("file_id"))
        & (col("summary_logged_at") - col("logged_at") <= BATCH)
        & (col("end_seq") > col("summary_seq")).fill_null(value=True)
        & (col("next_move_seq") > col("summary_seq")).fill_null(value=True)
    )
    is_without = is_its_request & (col("partition_state") == LED) & ~col("has_line")
    return (
        when(col("has_line")).then(lit(EQUAL))
        .when(is_without.fill_null(value=False)).then(lit(DIFFERS))
        .otherwise(lit(UNDECIDED))
    )  # fmt: skip


def sent_lines_of_terms(control_request: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """What the controller says of LeaderAndIsr requests that it sends, and the ends of its batches, in order."""
    said = control_request.filter(col("event").is_in([OF_PARTITION, SUMMARY, END])).select(
        *LINE, "event", "broker_id", "topic", "partition", "partition_count", "logged_at"
    )
    seqs = controller_line.select(*LINE, "term_id", "seq")
    return said.join(seqs, on=LINE).drop_nulls("term_id").sort("seq")


def lines_of_events(batch_line: pl.DataFrame, events: Collection[str]) -> pl.DataFrame:
    """(TERM, seq) of the lines of all topics, in order."""
    return batch_line.filter(col("event").is_in(sorted(events))).select(*TERM, "seq").sort("seq")


def lines_of_requests(sent: pl.DataFrame, summaries: pl.DataFrame, move_lines: pl.DataFrame) -> pl.DataFrame:
    """(BROKER, summary_seq, lines_count): lines of partitions behind the last move before the line that sums them up.
    Of moves without their request no other line of one stands between them and that move."""
    moved = move_lines.select(*TERM, moved_seq="seq")
    by_summary = summaries.sort("seq").join_asof(
        moved, left_on="seq", right_on="moved_seq", by=list(TERM), check_sortedness=False
    )
    named = by_summary.select(*BROKER, "moved_seq", summary_seq="seq")
    lines = sent.filter(col("event") == OF_PARTITION).join_asof(
        named,
        left_on="seq",
        right_on="summary_seq",
        by=list(BROKER),
        strategy="forward",
        check_sortedness=False,
    )
    is_behind = (col("seq") > col("moved_seq")).fill_null(value=True)
    return (
        lines.filter(col("summary_seq").is_not_null() & is_behind)
        .group_by(*BROKER, "summary_seq")
        .agg(lines_count=pl.len().cast(pl.Int64))
    )


def with_next_line(
    moves: pl.DataFrame, lines: pl.DataFrame, by: tuple[str, ...], name: str, *values: str
) -> pl.DataFrame:
    """Adds NAME_seq and these values of the first of the lines behind each move."""
    named = lines.select(
        *by, col("seq").alias(f"{name}_seq"), *(col(one).alias(f"{name}_{one}") for one in values)
    )
    return moves.sort("seq").join_asof(
        named, left_on="seq", right_on=f"{name}_seq", by=list(by), strategy="forward", check_sortedness=False
    )


def with_next_move(online: pl.DataFrame, move_lines: pl.DataFrame) -> pl.DataFrame:
    """Adds next_move_seq, the first move of any object behind the first line of a request that follows."""
    return online.sort("first_seq").join_asof(
        move_lines.select(*TERM, next_move_seq="seq"),
        left_on="first_seq",
        right_on="next_move_seq",
        by=list(TERM),
        strategy="forward",
        check_sortedness=False,
    )


def with_partition_line(online: pl.DataFrame, sent: pl.DataFrame) -> pl.DataFrame:
    """Adds has_line: a line sends the partition to the broker, before the replica moves again, or the batch ends."""
    by = [*PARTITION, "broker_id"]
    own = sent.filter(col("event") == OF_PARTITION).select(*by, own_seq="seq")
    return (
        online.sort("seq")
        .join_asof(own, left_on="seq", right_on="own_seq", by=by, strategy="forward", check_sortedness=False)
        .with_columns(
            has_line=(
                col("own_seq").is_not_null() & (col("next_move_seq") > col("own_seq")).fill_null(value=True)
            )
        )
    )


def with_partition_state(online: pl.DataFrame, moves: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Adds partition_state, which the partition entered last before the move; null: no line says it."""
    wanted = [*PARTITION, "machine", "outcome", "to_state", "seq"]
    both = pl.concat([moves.select(wanted), earlier.select(wanted)])
    states = both.filter((col("machine") == "partition") & (col("outcome") == "done")).drop_nulls("seq")
    named = states.select(*PARTITION, state_seq="seq", partition_state="to_state").sort("state_seq")
    return online.sort("seq").join_asof(
        named, left_on="seq", right_on="state_seq", by=list(PARTITION), check_sortedness=False
    )


def statements_of(online: pl.DataFrame) -> pl.DataFrame:
    count = when(col("answer") == DIFFERS).then("summary_partition_count")
    return online.select(
        *STATEMENT, *PLACE, "answer", "broker_id", "summary_seq", summary_partition_count=count.cast(pl.Int64),
        example=pl.format("{}-{} replica {}: no LeaderAndIsr", "topic", "partition", "replica_id"),
        line_file_id="file_id", line_byte_offset="byte_offset",
    )  # fmt: skip
