"""Steps in the life of topics, from bronze.log_record."""

from datetime import datetime

import polars as pl
from polars import col, element, lit, when

from pipeline.core.conditions import all_conditions, column_before, column_equals, is_in
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand, names_condition
from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import element_field, explode_elements, first_match, matched_groups
from pipeline.model.partitions import topic_lives
from schemas.silver.topic_event import SPEC

PLACE, TOPIC = ("file_id", "byte_offset"), ("cluster_id", "topic")

# Why a deletion is put off, from 2.3 on; the other reason is a reassignment.
OUT_OF_REACH = ("offline replicas", "replica deletion failure")
# `CreatableTopic(name='t', numPartitions=1, …, configs=[…]): SUCCESS`, `{id: …, name: t, result: SUCCESS}`.
CREATED = r"CreatableTopic\(name='([^']+)', numPartitions=.*?\]\): ([A-Z_]+)"
DELETED = r"\{id: ([\w-]+), name: ([^,}]+), result: ([A-Z_]+)"
WITH_ID = r"TopicIdReplicaAssignment\(([^,()]+),Some\(([\w-]+)\)"
SUCCESS = "SUCCESS"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per topic that a line names; collections of topics are taken apart.

    Requests to delete are taken from 'Starting topic deletion for topics', which names only topics that exist and may
    be deleted, those too whose deletion goes on.
    Source: KafkaController, TopicDeletionManager, 0.8.1 to 3.9; ReplicationControlManager, from 2.8.
    """
    lines = family_records(log_record, "topic_event").with_columns(
        topic_id=first_match(printed_field("topic_id"), r"^(?:Some\()?([\w-]{22})\)?$")
    )
    is_result = col("field") == "results"
    several = (
        lines.filter(is_result.fill_null(value=False)).pipe(explode_elements, topic_results(), "topic"),
        lines.filter(~is_result.fill_null(value=False)).pipe(explode_elements, topics_in_line(), "topic"),
    )
    rows = pl.concat(several, how="diagonal").pipe(with_topic_ids)
    return rows.with_columns(**step_and_reason()).select(SPEC.columns)


def topics_in_line() -> pl.Expr:
    """(topic) of the line, or of each element of the field that the feed names."""
    topics = when(col("field").is_null()).then(pl.concat_list("topic")).otherwise(topic_names(field_text()))
    return topics.list.eval(pl.struct(topic=element()))


def topic_names(text: pl.Expr) -> pl.Expr:
    """`Set(orders, page.views)`, `orders,page.views` or `/admin/delete_topics/orders` as a list of names."""
    inside = text.str.replace_all(r"^\s*\w+\(|\)\s*$", "").str.replace(r"^/.*/", "")
    return inside.str.extract_all(r"[^,\s]+")


def topic_results() -> pl.Expr:
    """(topic, topic_id, error) of each topic that a controller of KRaft answers about."""
    nothing = lit(None, pl.String)
    created = matched_groups(field_text(), CREATED, "topic", "error").list.eval(
        pl.struct(topic=element_field("topic"), topic_id=nothing, error=element_field("error"))
    )
    name = when(element_field("topic") != "null").then(element_field("topic"))
    deleted = matched_groups(field_text(), DELETED, "topic_id", "topic", "error").list.eval(
        pl.struct(
            topic=pl.coalesce(name, element_field("topic_id")),
            topic_id=element_field("topic_id"),
            error=element_field("error"),
        )
    )
    return when(col("event") == "create_topics_result").then(created).otherwise(deleted)


def with_topic_ids(rows: pl.DataFrame) -> pl.DataFrame:
    """topic_id of topics of which a line of ZooKeeper mode says it, from 2.8 on."""
    place = ["file_id", "byte_offset"]
    ids = (
        rows.filter(col("step") == "created")
        .unique(place, maintain_order=True)
        .select(*place, of=matched_groups(printed_field("replica_assignment"), WITH_ID, "topic", "given_id"))
        .explode("of", empty_as_null=False, keep_nulls=False)
        .unnest("of")
        .unique([*place, "topic"], maintain_order=True)
    )
    return (
        rows.join(ids, on=[*place, "topic"], how="left", maintain_order="left")
        .with_columns(topic_id=pl.coalesce("topic_id", "given_id"))
        .drop("given_id")
    )


def step_and_reason() -> dict[str, pl.Expr]:
    """step and reason: what was refused is told by the error, what is put off for a reassignment by the reason."""
    step, error = col("step"), when(col("error") != SUCCESS).then("error")
    is_deferred = (step == "deletion_blocked") & ~col("reason").fill_null("").is_in(["", *OUT_OF_REACH])
    refused = step.str.replace("accepted", "refused", literal=True)
    restarted = when(step == "deletion_resumed").then(printed_field("broker_ids"))
    return {
        "step": when(is_deferred).then(lit("deletion_deferred"))
        .when(error.is_not_null() & (step != "create_validated")).then(refused)
        .otherwise(step),
        "reason": pl.coalesce(error, restarted, "reason"),
    }  # fmt: skip


def deletion_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """(cluster_id, topic, deletions, removed_at): how often each topic ended before the day, and when it was removed,
    if it has not been created since."""
    is_done = is_in("step", topic_lives.ENDED) & column_before("logged_at", start)
    later = at_hand.since("controller_line", start).select(PLACE)
    done = at_hand.stored(SPEC, is_done).join(later, on=PLACE, how="anti")
    removed = done.filter(col("step") == topic_lives.REMOVED)
    created = removed.clear()
    if not removed.is_empty():
        is_created = column_equals("step", topic_lives.CREATED) & column_before("logged_at", start)
        of_them = names_condition("topic", removed["topic"])
        created = at_hand.stored(SPEC, all_conditions(is_created, of_them))
    last = (
        pl.concat([removed, created.join(later, on=PLACE, how="anti")])
        .sort("logged_at", *PLACE)
        .unique(TOPIC, keep="last", maintain_order=True)
        .filter(col("step") == topic_lives.REMOVED)
    )
    found = done.group_by(TOPIC).agg(deletions=pl.len().cast(pl.Int64))
    removed_at = last.select(*TOPIC, removed_at="logged_at")
    return found.join(removed_at, on=TOPIC, how="left").select(*topic_lives.DELETION_BEFORE)


INCREMENTAL = Incremental(
    carried={
        "deletion_before": CarriedState(deletion_before, pl.DataFrame(schema=topic_lives.DELETION_BEFORE))
    }
)
