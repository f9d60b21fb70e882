"""Moves of replicas that Kafka follows by a request: whether the request that it sent then has their partition."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.gold.replay_check.refusals import STATEMENT
from pipeline.gold.replay_check.statements import DIFFERS, EQUAL, PLACE, UNDECIDED

OF_PARTITION, SUMMARY, END = (
    "leader_and_isr_sent",
    "leader_and_isr_sent_summary",
    "update_metadata_sent_summary",
)
ONLINE = "OnlineReplica"
# A replica that comes from these may be of a partition without a leader, of which nothing is sent.
FROM = ("OfflineReplica", "OnlineReplica")
LED = "OnlinePartition"
TERM = ("cluster_id", "term_id")
BROKER = (*TERM, "broker_id")
PARTITION = (*TERM, "topic", "partition")
LINE = ("cluster_id", "file_id", "byte_offset")
# Between lines that are further apart others may be missing.
BATCH = timedelta(seconds=1)


def check_requests_of_moves(
    moves: pl.DataFrame, earlier: pl.DataFrame, control_request: pl.DataFrame, controller_line: pl.DataFrame
) -> pl.DataFrame:
    """One row per move to OnlineReplica that was done: a LeaderAndIsr request to its broker with its partition follows.

    It has none only where the request of its batch to the broker is complete, and the partition known to have a leader.
    Such a request stands behind the moves and before the next ones, and before the UpdateMetadata that ends a batch,
    within a second and in the file of the move, with as many lines of partitions (TRACE) as it is summed up with (from
    2.6). moves, earlier: rows of gold.transition_audit, and those of the days before.
    Source: ZkReplicaStateMachine.doHandleStateChanges, ControllerBrokerRequestBatch.sendLeaderAndIsrRequest.
    """
    online = moves.filter(
        (col("machine") == "replica") & (col("outcome") == "done"),
        (col("to_state") == ONLINE) & col("from_state").is_in(FROM),
        col("term_id").is_not_null(),
    ).with_columns(broker_id="replica_id")
    sent = sent_lines_of_terms(control_request, controller_line)
    if online.is_empty() or sent.is_empty():
        return statements_of(online.with_columns(answer=lit(UNDECIDED)))
    return (
        online.pipe(
            with_next_line,
            sent.filter(col("event") == SUMMARY),
            BROKER,
            "summary",
            "file_id",
            "partition_count",
            "logged_at",
        )
        .pipe(with_next_line, sent.filter(col("event") == END), TERM, "end")
        .pipe(with_next_line, sent, TERM, "first")
        .pipe(with_next_move, moves)
        .pipe(with_partition_line, sent)
        .pipe(with_lines_of_request, sent)
        .pipe(with_partition_state, moves, earlier)
        .with_columns(answer=request_answer())
        .pipe(statements_of)
    )


def request_answer() -> pl.Expr:
    is_whole = (
        (col("summary_seq") > col("seq"))
        & (col("summary_file_id") == col("file_id"))
        & (col("summary_logged_at") - col("logged_at") <= BATCH)
        & (col("summary_partition_count") == col("lines_count"))
        & (col("end_seq") > col("summary_seq")).fill_null(value=True)
        & (col("next_move_seq") > col("summary_seq")).fill_null(value=True)
    )
    is_without = is_whole & (col("partition_state") == LED) & ~col("has_line")
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


def with_next_move(online: pl.DataFrame, moves: pl.DataFrame) -> pl.DataFrame:
    """Adds next_move_seq, the first move of any object behind the first line of a request that follows."""
    later = moves.drop_nulls(["term_id", "seq"]).select(*TERM, next_move_seq="seq").sort("next_move_seq")
    return online.sort("first_seq").join_asof(
        later,
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


def with_lines_of_request(online: pl.DataFrame, sent: pl.DataFrame) -> pl.DataFrame:
    """Adds lines_count: of partitions sent to the broker between the move and the line that sums them up."""
    nth = sent.filter(col("event") == OF_PARTITION).with_columns(
        nth=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(BROKER)
    )
    counted = nth.select(*BROKER, "nth", nth_seq="seq")
    found = online
    for bound, name in (("seq", "nth_before"), ("summary_seq", "nth_until")):
        found = found.sort(bound).join_asof(
            counted.rename({"nth": name}),
            left_on=bound, right_on="nth_seq", by=list(BROKER), check_sortedness=False,
        ).drop("nth_seq")  # fmt: skip
    return found.with_columns(lines_count=col("nth_until").fill_null(0) - col("nth_before").fill_null(0))


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
    return online.select(
        *STATEMENT, *PLACE, "answer",
        example=pl.format("{}-{} replica {}: no LeaderAndIsr", "topic", "partition", "replica_id"),
        line_file_id="file_id", line_byte_offset="byte_offset",
    )  # fmt: skip
