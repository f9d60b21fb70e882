"""The rule topic_removed_by_hand."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    epoch_millis,
    facts_column,
    filled_text,
    named_lines,
    root_columns,
    topic_finding_columns,
)


@made_of_rows("topic_lifecycle")
def find(topic_lifecycle: pl.DataFrame) -> pl.DataFrame:
    """Somebody removed a topic from ZooKeeper: no broker is told, the replicas stay on their disks.

    Source: KafkaController.processTopicChange, deleted topics.
    """
    removed = topic_lifecycle.filter(col("ended_how") == "removed_by_hand")
    return removed.select(
        *topic_finding_columns("warning"),
        root_event=filled_text("end {}", epoch_millis("ended_at")),
        **root_columns("removal", "ended_at"),
        valid_from_at="ended_at",
        valid_until_at="ended_at",
        sentence=filled_text("somebody removed the znode of topic {}: its replicas stay on disk", "topic"),
        facts=facts_column(topic="topic"),
        certainty="certainty",
        evidence=named_lines("ended"),
    )


RULE = Rule(
    name="topic_removed_by_hand",
    version=1,
    severities=("warning",),
    facts=("topic",),
    find=find,
)
