"""Steps in the life of topics, from bronze.log_record."""

import polars as pl
from polars import col, element, when

from pipeline.model.lines.families import fed, field_text
from pipeline.model.lines.texts import last_of_each
from schemas.silver.topic_event import SPEC

# Why a deletion is put off, from 2.3 on; the other reason is a reassignment, after which it goes on by itself.
OUT_OF_REACH = ("offline replicas", "replica deletion failure")


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per topic that a line names; collections of topics are taken apart.

    Source: KafkaController, TopicDeletionManager, 0.8.1 to 3.9. Requests to delete are taken from
    'Starting topic deletion for topics', which names only topics that exist and may be deleted.
    """
    is_put_off = (col("step") != "deletion_blocked") | col("reason").fill_null("").is_in(["", *OUT_OF_REACH])
    topics = when(col("topic").is_null()).then(topic_names(field_text())).otherwise(pl.concat_list("topic"))
    named = topics.list.eval(pl.struct(topic=element()))
    return (
        fed(log_record, "topic_event")
        .filter(is_put_off)
        .pipe(last_of_each, named, "topic")
        .select(SPEC.columns)
    )


def topic_names(text: pl.Expr) -> pl.Expr:
    """`Set(orders, page.views)` or `orders,page.views` as a list of names."""
    inside = text.str.replace_all(r"^\s*\w+\(|\)\s*$", "")
    return inside.str.extract_all(r"[^,\s]+")
