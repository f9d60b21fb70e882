"""The rule stuck_deletion."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.wording import (
    count_above_zero,
    counted_noun,
    duration_text,
    enumerated_ids,
    epoch_millis,
    facts_column,
    filled_text,
    named_lines,
    root_columns,
    topic_finding_columns,
)

AGAIN = "it is tried again when a broker with a replica starts or the controller changes"
# How a deletion that was put off ended.
ENDS = {
    "deleted": "completed",
    "vanished": "then missing in the list of the next controller",
    "wiped": "ended with the cluster's metadata",
    "removed_by_hand": "then removed from ZooKeeper by somebody",
}
# What replicas that a deletion waits for have.
HOLDS = {
    "dead_replica": " (dead)",
    "replica_deletion_failed": " (not deleted)",
    "storage_error": " (log directory failed)",
}


@made_of_rows("topic_lifecycle")
def find(topic_lifecycle: pl.DataFrame, deletion_ms: int, data_end: pl.DataFrame) -> pl.DataFrame:
    """A topic's deletion was put off: a warning while it waits, or has begun anew and takes longer than a finding
    allows; told once it has ended only where it took longer. Where a controller of which no line was read came after it
    nobody knows whether it waits, nor for how long it did.

    Source: TopicDeletionManager.markTopicIneligibleForDeletion, failReplicaDeletion, resumeDeletions.
    """
    error = col("blocking_replicas").list.first().struct.field("error")
    began_at = pl.coalesce("deletion_requested_at", "put_off_at")
    until_at = pl.coalesce("ended_at", "until_at")
    held = (
        topic_lifecycle.filter(col("put_off_at").is_not_null())
        .join(data_end, on="cluster_id", how="left")
        .with_columns(began_at=began_at, error=error, **waited_for())
        .with_columns(took_ms=until_at.dt.epoch("ms") - epoch_millis("began_at"))
    )
    is_open, is_long = col("ended_at").is_null(), col("took_ms") > deletion_ms
    is_unsure = col("certainty") == "undetermined"
    is_told = (
        when(is_open).then((col("deletion_state") == "put_off") | is_long).otherwise(is_long & ~is_unsure)
    )
    cause = when(col("error").is_not_null()).then(filled_text(" ({})", "error")).otherwise(
        col("blocked_by").replace_strict(HOLDS, default="", return_dtype=pl.String)
    )  # fmt: skip
    replicas = counted_noun("replicas_count", "replica")
    since = col("began_at").dt.strftime("%H:%M:%S")
    is_moving = col("blocked_by") == "reassignment"
    what = when(is_moving).then(lit("a reassignment")).when(col("replicas_count") > 0).then(
        filled_text("{} on {}{}", replicas, "brokers", cause)
    ).otherwise(lit("a replica out of reach"))  # fmt: skip
    by = when(is_moving).then(lit("a reassignment")).when(col("replicas_count") > 0).then(
        filled_text("{}{}", "brokers", cause)
    ).otherwise(lit("a replica out of reach"))  # fmt: skip
    how = col("ended_how").replace_strict(ENDS, default="", return_dtype=pl.String)
    waiting = filled_text(
        "deletion of topic {} has waited since {} for {}; {}", "topic", since, what, lit(AGAIN)
    )
    unsure = filled_text(
        "deletion of topic {} was put off by {}; what became of it is not known, no line of a later controller was "
        "read",
        *("topic", by),
    )
    took = duration_text(col("took_ms"))
    over = (
        when(col("deletion_requested_at").is_not_null())
        .then(filled_text("deletion of topic {} took {}, put off by {}; {}", "topic", took, by, how))
        .otherwise(filled_text("deletion of topic {} was put off for {} by {}; {}", "topic", took, by, how))
    )
    return held.filter(is_told).select(
        *topic_finding_columns(when(is_open & ~is_unsure).then(lit("warning")).otherwise(lit("info"))),
        root_event=filled_text("deletion {}", epoch_millis("began_at")),
        **root_columns("deletion", "began_at"),
        valid_from_at="began_at",
        valid_until_at="ended_at",
        sentence=when(is_open & is_unsure).then(unsure).when(is_open).then(waiting).otherwise(over),
        facts=facts_column(
            topic="topic",
            blocked_by="blocked_by",
            broker_ids=when(col("broker_ids").list.len() > 0).then("broker_ids"),
            replicas_count=count_above_zero(col("replicas_count")),
            error="error",
            lasted_ms=when(~is_open).then("took_ms"),
        ),
        certainty="certainty",
        evidence=named_lines("requested", "put_off", "blocking", "ended"),
    )


def waited_for() -> dict[str, pl.Expr]:
    """Brokers that the replicas of a deletion that waits are on, and how many these are."""
    ids = col("blocking_replicas").list.eval(pl.element().struct.field("broker_id")).list.drop_nulls()
    own = ids.list.unique().list.sort()
    text = (
        when(own.list.len() == 1).then(filled_text("broker {}", enumerated_ids(own)))
        .when(own.list.len() > 1).then(filled_text("brokers {}", enumerated_ids(own)))
        .otherwise(lit("brokers that no line names"))
    )  # fmt: skip
    return {"broker_ids": own, "brokers": text, "replicas_count": col("blocking_replicas").list.len()}


RULE = Rule(
    name="stuck_deletion",
    version=2,
    severities=("warning", "info"),
    facts=("topic", "blocked_by", "broker_ids", "replicas_count", "error", "lasted_ms"),
    find=find,
    limits=(
        Limit(
            "deletion_ms",
            10_000,
            "ms",
            "A topic's deletion that was put off is no finding once it is over, if it took no longer than this.",
        ),
    ),
)
