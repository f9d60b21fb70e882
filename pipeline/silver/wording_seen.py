"""Wordings seen per segment and hour, from bronze.log_record."""

from functools import reduce
from itertools import groupby

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.core.days import hour_of
from pipeline.kafka.releases import LEVEL, Sign, events_with, signs
from pipeline.kafka.wording import table
from schemas.silver.wording_seen import SPEC

# Accounted for elsewhere, and no sign of anything missing.
NOT_COUNTED = ("other_logger", "blank")
GROUPS = (
    "cluster_id", "node_id", "file_id", "load_seq", "log", "seen_at", "logger", "level", "event",
    "template", "signs", "not_understood_reason", "is_start", "controller_id", "controller_epoch",
)  # fmt: skip


def build(log_record: DataFrame) -> DataFrame:
    """Rows: few per segment and hour, whatever its size.

    All sums are numbers: each task hashes its records down to wordings and hours before anything is shuffled.
    """
    return (
        log_record.where(~F.coalesce(F.col("not_understood_reason").isin(*NOT_COUNTED), F.lit(False)))
        .transform(with_signs)
        .withColumn("is_start", is_process_start())
        .withColumn(
            "seen_at",
            F.when(F.col("is_start"), F.col("logged_at")).otherwise(hour_of("logged_at")),
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


def with_signs(records: DataFrame) -> DataFrame:
    """The signs that a record shows.

    The texts of fields are a step of their own, and taken from records only whose wording has the field: a look into
    the map costs more than all else here, and would be repeated for each sign.
    """
    fields = [(name, list(some)) for name, some in groupby(sorted(signs(), key=by_field), key=by_field)]
    texts = {f"text_{name}": text_of(name, some) for name, some in fields}
    shown = (sign_of(F.col(f"text_{name}"), some) for name, some in fields)
    return records.withColumns(texts).withColumn("signs", F.array_compact(F.array(*shown))).drop(*texts)


def by_field(sign: Sign) -> str:
    return sign.field


def text_of(field: str, some: list[Sign]) -> Column:
    """Text of a field, on records of the events that its signs are about."""
    named = {sign.event for sign in some}
    events = events_with(field) if "" in named else sorted(named)
    text = F.col(LEVEL) if field == LEVEL else F.try_element_at("fields", F.lit(field))
    return F.when(F.col("event").isin(*events), text)


def sign_of(text: Column, some: list[Sign]) -> Column:
    """The first sign of a field that the record shows, null if none."""
    found = F.lit(None).cast("string")
    for sign in reversed(some):
        is_its_own = F.col("event") == sign.event
        holds = shows(text, sign.pattern)
        found = F.when(is_its_own & holds if sign.event else holds, F.lit(sign.name)).otherwise(found)
    return F.when(text.isNotNull(), found)


def shows(text: Column, pattern: str) -> Column:
    """Whether the text has the pattern of a sign."""
    if pattern.startswith("/"):
        return text.rlike(pattern.strip("/"))
    beginning, *pieces = pattern.split("…")
    conditions = [text.contains(piece) for piece in pieces]
    return reduce(Column.__and__, [text.startswith(beginning), *conditions] if beginning else conditions)
