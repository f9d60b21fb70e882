"""Settings of brokers that the audit goes by, as they print them, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.core.incremental import AFFECTS, ALL_SINCE, Incremental
from pipeline.model.brokers import balancing
from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import first_match
from schemas.silver.broker_setting import NAMES, SPEC

# What ends a line in Java, and the blanks that may stand before it.
ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
BLANKS = r"[ \t\x0B\f]*"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per setting and record; of all other settings nothing is taken.

    Source: AbstractConfig.logAll, from 0.9.0; VerifiableProperties.verify, 0.8.0 to 0.8.2.
    """
    records = family_records(log_record, "broker_setting").with_columns(text=field_text())
    stated = [records.with_columns(name=lit(name), value=printed_setting_value(name)) for name in NAMES]
    return pl.concat(stated).filter(col("value").is_not_null()).select(SPEC.columns)


def printed_setting_value(name: str) -> pl.Expr:
    """The value of the setting; null where the record says nothing of it."""
    line = rf"(?:^|[{ENDS}])\s*{name.replace('.', '[.]')} = ([^{ENDS}]*?){BLANKS}(?:$|[{ENDS}])"
    is_listed = col("step") == "listed"
    is_its_own = printed_field("setting_name") == name
    text = col("text")
    return when(is_listed).then(first_match(text, line)).when(is_its_own).then(text.str.strip_chars(" "))


def held_values(broker_setting: pl.DataFrame) -> pl.DataFrame:
    """What brokers print of leader balancing, each value where it begins to hold: the first one of a broker holds
    before it, too, and tells nothing new where it is Kafka's default."""
    of_setting = ("cluster_id", "node_id", "name")
    parts = [
        broker_setting.filter((col("name") == name) & col("node_id").is_not_null()).with_columns(
            number=balancing.typed_setting_value(key)
            .cast(pl.Float64)
            .fill_null(float(balancing.DEFAULTS[key])),
            default=pl.lit(float(balancing.DEFAULTS[key])),
        )
        for key, name in balancing.NAMES.items()
    ]
    lines = pl.concat(parts).sort("logged_at", "file_id", "byte_offset")
    told = lines.with_columns(before=col("number").shift(1).over(*of_setting))
    is_first = col("before").is_null()
    is_other = col("number") != pl.coalesce("before", "default")
    since = (
        pl.when(is_first).then(pl.lit(ALL_SINCE, broker_setting.schema["logged_at"])).otherwise("logged_at")
    )
    return told.filter(is_other).select(*of_setting, "number", since.alias(AFFECTS))


INCREMENTAL = Incremental(changes_lines=(held_values,), is_taken_whole=True)
