"""Settings of automatic leader balancing as brokers print them, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import first
from pipeline.kafka.families import fed, field_text
from schemas.silver.broker_setting import NAMES, SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per setting and record; of all other settings nothing is taken.

    Source: AbstractConfig.logAll, from 0.9.0; VerifiableProperties.verify, 0.8.0 to 0.8.2.
    """
    return (
        fed(log_record, "broker_setting")
        .select("*", F.inline(stated(field_text())))
        .where("value IS NOT NULL")
        .select(*SPEC.columns)
    )


def stated(text: Column) -> Column:
    """(name, value) of each of the three; a null value where the record says nothing of it."""
    is_listed = F.col("step") == "listed"
    own = F.col("fields")["setting_name"]

    def value(name: str) -> Column:
        line = rf"(?m)^\s*{name.replace('.', '[.]')} = (.*?)\s*$"
        return F.when(is_listed, first(text, line)).when(own == name, F.trim(text))

    return F.array(*(F.struct(F.lit(name).alias("name"), value(name).alias("value")) for name in NAMES))
