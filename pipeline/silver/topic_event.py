"""Steps in the life of topics, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from schemas.silver.topic_event import SPEC

STEPS = {
    "topic_change": "created",
    "topic_deletion_requested": "deletion_queued",
    "topic_deletion_pending": "deletion_queued",
    "topic_deletion_init": "deletion_queued",
    "topic_deletion_not_retried": "deletion_blocked",
    "topic_deletion_completed": "deletion_completed",
}


def build(log_record: DataFrame) -> DataFrame:
    """One row per topic named in a line of STEPS; collections of topics are taken apart.

    Source: KafkaController, TopicDeletionManager, 0.8.1 to 3.9. Requests to delete are taken from
    'Starting topic deletion for topics', which names only topics that exist and may be deleted.
    """
    step = F.create_map(*(F.lit(text) for pair in STEPS.items() for text in pair))[F.col("event")]
    named = F.coalesce(F.col("fields")["new_topics"], F.col("fields")["topics"])
    topics = F.when(F.col("topic").isNotNull(), F.array("topic")).otherwise(topic_names(named))
    return (
        log_record.where(F.col("event").isin(*STEPS) & F.col("logged_at").isNotNull())
        .select("*", step.alias("step"), F.explode(F.array_distinct(topics)).alias("one"))
        .drop("topic")
        .withColumnRenamed("one", "topic")
        .select(*SPEC.columns)
    )


def topic_names(text: Column) -> Column:
    """`Set(orders, page.views)` or `orders,page.views` as a list of names."""
    inside = F.regexp_replace(text, r"^\s*\w+\(|\)\s*$", "")
    return F.filter(F.split(inside, r"[,\s]+"), lambda name: F.length(name) > 0)
