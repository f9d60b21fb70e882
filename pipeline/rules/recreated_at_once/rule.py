"""The rule recreated_at_once."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    named_lines,
    root_columns,
    topic_finding_columns,
)

AT_ONCE_MS = 1_000


@made_of_rows("topic_lifecycle")
def find(topic_lifecycle: pl.DataFrame) -> pl.DataFrame:
    """A topic was created right after its deletion where topics have no ids, up to 2.7: a broker cannot tell a replica
    of the old one, should it have one, from the new one's.

    Source: KIP-516.
    """
    own = ("cluster_id", "topic")
    before = (
        topic_lifecycle.sort(*own, "topic_life")
        .with_columns(
            deleted_at=col("completed_at").shift(1).over(own),
            deleted_lines=named_lines("ended").shift(1).over(own),
        )
        .with_columns(after_ms=epoch_millis("created_at") - epoch_millis("deleted_at"))
    )
    is_at_once = (col("after_ms") <= AT_ONCE_MS) & col("topic_id").is_null()
    return before.filter(is_at_once).select(
        *topic_finding_columns("info"),
        root_event=filled_text("creation {}", epoch_millis("created_at")),
        **root_columns("creation", "created_at"),
        valid_from_at="deleted_at",
        valid_until_at="created_at",
        sentence=filled_text(
            "topic {} was created anew {} after its deletion, without ids: a broker that was away may bring old "
            "records back",
            *("topic", duration_text(col("after_ms"))),
        ),
        facts=facts_column(topic="topic", lasted_ms="after_ms"),
        certainty="certainty",
        evidence=pl.concat_list("deleted_lines", named_lines("created")),
    )


RULE = Rule(
    name="recreated_at_once",
    version=1,
    severities=("info",),
    facts=("topic", "lasted_ms"),
    find=find,
)
