"""Steps in the life of topics, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.families import fed, field_text
from schemas.silver.topic_event import SPEC

# Why a deletion is put off, from 2.3 on; the other reason is a reassignment, after which it goes on by itself.
OUT_OF_REACH = ("offline replicas", "replica deletion failure")


def build(log_record: DataFrame) -> DataFrame:
    """One row per topic that a line names; collections of topics are taken apart.

    Source: KafkaController, TopicDeletionManager, 0.8.1 to 3.9. Requests to delete are taken from
    'Starting topic deletion for topics', which names only topics that exist and may be deleted.
    """
    reason = F.coalesce("reason", F.lit(""))
    is_put_off = (F.col("step") != "deletion_blocked") | reason.isin("", *OUT_OF_REACH)
    topics = F.when(F.col("topic").isNotNull(), F.array("topic")).otherwise(topic_names(field_text()))
    return (
        fed(log_record, "topic_event")
        .where(is_put_off)
        .select("*", F.explode(F.array_distinct(topics)).alias("one"))
        .drop("topic")
        .withColumnRenamed("one", "topic")
        .select(*SPEC.columns)
    )


def topic_names(text: Column) -> Column:
    """`Set(orders, page.views)` or `orders,page.views` as a list of names."""
    inside = F.regexp_replace(text, r"^\s*\w+\(|\)\s*$", "")
    return F.filter(F.split(inside, r"[,\s]+"), lambda name: F.length(name) > 0)
