"""Carries the states of objects from the days that are judged to the days that are to be judged."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

OBJECT = ("cluster_id", "term_id", "machine", "topic", "partition", "replica_id")
LAST = ("last_to", "last_seq", "file_id", "byte_offset")


def stitched(summary_before: DataFrame) -> DataFrame:
    """The days before as moves: per object its last one, and its last attempt where one came after it.

    Columns: OBJECT, to_state, outcome, level, seq, file_id, byte_offset. level: TRACE from the term's first line
    at TRACE on: what is asked of earlier lines is only whether such a line stands before them.
    """
    moved_seq = F.when(F.col("last_to").isNotNull(), F.col("last_seq"))
    objects = summary_before.groupBy(*OBJECT).agg(
        F.max_by(F.struct(*LAST), moved_seq).alias("last"),
        F.max("end_seq").alias("end_seq"),
        F.min("first_trace_seq").alias("first_trace_seq"),
    )
    of_term = Window.partitionBy("cluster_id", "term_id")
    move = F.struct(
        F.col("last.last_to").alias("to_state"), F.lit("done").alias("outcome"), F.col("last.last_seq").alias("seq"),
        "last.file_id", "last.byte_offset",
    )  # fmt: skip
    attempt = F.struct(
        F.lit(None).cast("string").alias("to_state"), F.lit("failed").alias("outcome"), F.col("end_seq").alias("seq"),
        F.lit(None).cast("string").alias("file_id"), F.lit(None).cast("long").alias("byte_offset"),
    )  # fmt: skip
    is_attempt = ~F.col("end_seq").eqNullSafe(F.col("last.last_seq"))
    both = F.array_compact(F.array(F.when(F.col("last").isNotNull(), move), F.when(is_attempt, attempt)))
    return (
        objects.withColumn("first_trace_seq", F.min("first_trace_seq").over(of_term))
        .select(*OBJECT, "first_trace_seq", F.explode(both).alias("one"))
        .select(
            *OBJECT, "one.*", F.when(F.col("one.seq") >= F.col("first_trace_seq"), "TRACE").alias("level")
        )
    )
