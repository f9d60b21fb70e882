"""The rule recreated_at_once."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.wording import facts, length, lines_of, millis, of_topic, root, words

AT_ONCE_MS = 1_000


@of_rows("topic_lifecycle")
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
            deleted_lines=lines_of("ended").shift(1).over(own),
        )
        .with_columns(after_ms=millis("created_at") - millis("deleted_at"))
    )
    is_at_once = (col("after_ms") <= AT_ONCE_MS) & col("topic_id").is_null()
    return before.filter(is_at_once).select(
        *of_topic("info"),
        root_event=words("creation {}", millis("created_at")),
        **root("creation", "created_at"),
        valid_from_at="deleted_at",
        valid_until_at="created_at",
        sentence=words(
            "topic {} was created anew {} after its deletion, without ids: a broker that was away may bring old "
            "records back",
            *("topic", length(col("after_ms"))),
        ),
        facts=facts(topic="topic", lasted_ms="after_ms"),
        certainty="certainty",
        evidence=pl.concat_list("deleted_lines", lines_of("created")),
    )


RULE = Rule(
    name="recreated_at_once",
    version=1,
    severities=("info",),
    facts=(
        "topic",
        "lasted_ms",
    ),
    find=find,
)
