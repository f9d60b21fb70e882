"""The rule topic_removed_by_hand."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.wording import facts, lines_of, millis, of_topic, root, words


@of_rows("topic_lifecycle")
def find(topic_lifecycle: pl.DataFrame) -> pl.DataFrame:
    """Somebody removed a topic from ZooKeeper: no broker is told, the replicas stay on their disks.

    Source: KafkaController.processTopicChange, deleted topics.
    """
    removed = topic_lifecycle.filter(col("ended_how") == "removed_by_hand")
    return removed.select(
        *of_topic("warning"),
        root_event=words("end {}", millis("ended_at")),
        **root("removal", "ended_at"),
        valid_from_at="ended_at",
        valid_until_at="ended_at",
        sentence=words("somebody removed the znode of topic {}: its replicas stay on disk", "topic"),
        facts=facts(topic="topic"),
        certainty="certainty",
        evidence=lines_of("ended"),
    )


RULE = Rule(
    name="topic_removed_by_hand",
    version=1,
    severities=("warning",),
    facts=("topic",),
    find=find,
)
