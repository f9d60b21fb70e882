"""Chunks of the replay: what each day of a term leaves to the days after it, object by object."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.core.days import day_of
from pipeline.kafka.stitching import OBJECT
from schemas.gold.replay_summary import SPEC


def build(transition_audit: DataFrame) -> DataFrame:
    """One row per object, term and day, of the moves that belong to a term."""
    seq, is_done = F.col("seq"), F.col("outcome") == "done"
    done_seq, trace_seq = F.when(is_done, seq), F.when(F.col("level") == "TRACE", seq)
    last = F.struct(F.col("to_state").alias("last_to"), seq.alias("last_seq"), "file_id", "byte_offset")
    found = (
        transition_audit.where("term_id IS NOT NULL")
        .withColumn("day_at", day_of("ordered_at"))
        .groupBy(*OBJECT, "day_at")
        .agg(
            F.max_by(last, done_seq).alias("last"),
            F.max(seq).alias("end_seq"),
            F.min(trace_seq).alias("first_trace_seq"),
            F.max(trace_seq).alias("last_trace_seq"),
        )
    )
    return found.select("*", "last.*").select(*SPEC.columns)
