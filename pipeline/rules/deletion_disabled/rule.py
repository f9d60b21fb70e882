"""The rule deletion_disabled."""

import polars as pl
from polars import col, lit

from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.wording import facts, lines_of, millis, of_topic, root, words


@of_rows("topic_lifecycle")
def find(topic_lifecycle: pl.DataFrame) -> pl.DataFrame:
    """A request to delete a topic was dropped; the first one of each life."""
    step = pl.element().struct.field("step")
    first = col("deletion_lines").list.filter(step == "disabled").list.first().struct.field("at")
    asked = topic_lifecycle.with_columns(asked_at=first).filter(col("asked_at").is_not_null())
    return asked.select(
        *of_topic("info"),
        root_event=words("request {}", millis("asked_at")),
        **root("deletion", "asked_at"),
        valid_from_at="asked_at",
        valid_until_at="asked_at",
        sentence=words("request to delete topic {} was dropped: delete.topic.enable=false", "topic"),
        facts=facts(topic="topic"),
        certainty=lit("proved"),
        evidence=lines_of("disabled"),
    )


RULE = Rule(
    name="deletion_disabled",
    version=1,
    severities=("info",),
    facts=("topic",),
    find=find,
)
