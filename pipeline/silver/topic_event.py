"""Steps in the life of topics, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.families import fed, field_text
from schemas.silver.topic_event import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per topic that a line names; collections of topics are taken apart.

    Source: KafkaController, TopicDeletionManager, 0.8.1 to 3.9. Requests to delete are taken from
    'Starting topic deletion for topics', which names only topics that exist and may be deleted.
    """
    topics = F.when(F.col("topic").isNotNull(), F.array("topic")).otherwise(topic_names(field_text()))
    return (
        fed(log_record, "topic_event")
        .select("*", F.explode(F.array_distinct(topics)).alias("one"))
        .drop("topic")
        .withColumnRenamed("one", "topic")
        .select(*SPEC.columns)
    )


def topic_names(text: Column) -> Column:
    """`Set(orders, page.views)` or `orders,page.views` as a list of names."""
    inside = F.regexp_replace(text, r"^\s*\w+\(|\)\s*$", "")
    return F.filter(F.split(inside, r"[,\s]+"), lambda name: F.length(name) > 0)
