"""The rule deletion_disabled."""

import polars as pl
from polars import col, lit

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
    """A request to delete a topic was dropped; the first one of each life."""
    step = pl.element().struct.field("step")
    first = col("deletion_lines").list.filter(step == "disabled").list.first().struct.field("at")
    asked = topic_lifecycle.with_columns(asked_at=first).filter(col("asked_at").is_not_null())
    return asked.select(
        *topic_finding_columns("info"),
        root_event=filled_text("request {}", epoch_millis("asked_at")),
        **root_columns("deletion", "asked_at"),
        valid_from_at="asked_at",
        valid_until_at="asked_at",
        sentence=filled_text("request to delete topic {} was dropped: delete.topic.enable=false", "topic"),
        facts=facts_column(topic="topic"),
        certainty=lit("proved"),
        evidence=named_lines("disabled"),
    )


RULE = Rule(
    name="deletion_disabled",
    version=1,
    severities=("info",),
    facts=("topic",),
    find=find,
)
