"""Judges every state change: legal or not, and does it leave from the state that the term last entered?"""

from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import broadcast, coalesce, col, lit, when

from pipeline.gold.transition_audit.block import FROM_LINES, FROM_MOVES, FROM_TERM, replay_block
from pipeline.kafka.machines import PARTITION, REPLICA
from pipeline.kafka.stitching import stitched
from schemas.gold.transition_audit import SPEC


def build(
    replica_transition: DataFrame,
    partition_transition: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    summary_before: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """One row per state change, from both machines, from the cut on (the begin of a day); all where there is none.

    Rows:    one move gives one row, with a term or without.
    summary_before: gold.replay_summary of the days before the cut; controller_line: the lines from the cut on.
    Order:   (term_id, seq); a start-up seeds all states anew, so nothing is carried from term to term.
    Source:  ReplicaStateMachine and PartitionStateMachine, 0.8.1 to 3.9, ZooKeeper mode.
    """
    replicas = replica_transition.withColumn("machine", lit(REPLICA))
    partitions = partition_transition.withColumn("machine", lit(PARTITION)).withColumn(
        "replica_id", lit(None).cast("int")
    )
    moves = (
        replicas.select(*FROM_MOVES)
        .unionByName(partitions.select(*FROM_MOVES))
        .transform(with_place, controller_line)
    )
    if cut is not None:
        moves = moves.where(col("ordered_at") >= lit(cut))
    earlier = stitched(summary_before).withColumn("is_earlier", lit(True))
    return (
        moves.withColumn("is_earlier", lit(False))
        .unionByName(earlier, allowMissingColumns=True)
        .transform(with_machine, term)
        .groupBy("cluster_id", "term_id", file_without_term())
        .applyInArrow(replay_block, schema=SPEC.struct)
        .select(*SPEC.columns)
    )


def with_place(move: DataFrame, controller_line: DataFrame) -> DataFrame:
    """Adds term, order and cause; null where the record belongs to no known term. Rows in, rows out."""
    key = ("cluster_id", "file_id", "byte_offset")
    lines = controller_line.select(*key, *FROM_LINES)
    return move.join(lines, on=[*key], how="left").withColumn(
        "ordered_at", coalesce("ordered_at", "logged_at")
    )


def with_machine(move: DataFrame, term: DataFrame) -> DataFrame:
    """Adds replica_machine; rows in, rows out."""
    terms = term.select("cluster_id", "term_id", *FROM_TERM)
    return move.join(broadcast(terms), on=["cluster_id", "term_id"], how="left")


def file_without_term() -> Column:
    """Rows without a term are judged one by one: file by file, lest they meet in a single block."""
    return when(col("term_id").isNull(), col("file_id")).alias("file_without_term")
