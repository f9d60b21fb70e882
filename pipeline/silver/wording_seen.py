"""Wordings seen per segment and hour, from bronze.log_record."""

from functools import reduce
from itertools import groupby

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.releases import Sign, signs
from pipeline.kafka.wording import table
from schemas.silver.wording_seen import SPEC

# Accounted for elsewhere, and no sign of anything missing.
NOT_COUNTED = ("other_logger", "blank")
GROUPS = (
    "cluster_id", "node_id", "file_id", "load_seq", "log", "seen_at", "logger", "level", "event",
    "template", "signs", "not_understood_reason", "is_start",
)  # fmt: skip


def build(log_record: DataFrame) -> DataFrame:
    """Rows: few per segment and hour, whatever its size; counted before anything is shuffled.

    Grouping keys and sums are of fixed size per row, so that each task keeps one row per wording and hour.
    """
    is_start = is_process_start()
    return (
        log_record.where(~F.coalesce(F.col("not_understood_reason").isin(*NOT_COUNTED), F.lit(False)))
        .select(
            "*",
            F.when(is_start, F.col("logged_at"))
            .otherwise(F.date_trunc("hour", "logged_at"))
            .alias("seen_at"),
            seen_signs().alias("signs"),
            is_start.alias("is_start"),
        )
        .groupBy(*GROUPS)
        .agg(
            F.count("*").alias("record_count"),
            F.min("logged_at").alias("first_at"),
            F.max("logged_at").alias("last_at"),
            F.min("byte_offset").alias("first_offset"),
            F.max("byte_offset").alias("last_offset"),
            F.max(F.col("byte_offset") + F.col("byte_length")).alias("end_offset"),
        )
        .select(*SPEC.columns)
    )


def is_process_start() -> Column:
    """A line of pipeline/kafka/process_starts.tsv."""
    starts = (
        (F.col("logger") == row["logger"]) & F.col("template").rlike(row["template"])
        for row in table("process_starts.tsv")
    )
    return F.coalesce(reduce(Column.__or__, starts), F.lit(False))


def seen_signs() -> Column:
    """The signs that a record shows, in the order of the table."""
    fields = groupby(sorted(signs(), key=lambda sign: sign.field), key=lambda sign: sign.field)
    return F.array_compact(F.array(*(sign_of(field, list(some)) for field, some in fields)))


def sign_of(field: str, some: list[Sign]) -> Column:
    """The first sign of a field that the record shows, null if none."""
    text = F.col("level") if field == "level" else F.col("fields")[field]
    found = F.lit(None).cast("string")
    for sign in reversed(some):
        holds = text.rlike(sign.pattern)
        if sign.event:
            holds = (F.col("event") == sign.event) & holds
        found = F.when(holds, F.lit(sign.name)).otherwise(found)
    return F.when(text.isNotNull(), found)
