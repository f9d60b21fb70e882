"""The rule slow_creation."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.limits import UNLED_TOPIC
from pipeline.rules.shared.wording import (
    duration_text,
    enumerated_ids,
    epoch_millis,
    facts_column,
    filled_text,
    named_lines,
    root_columns,
    topic_finding_columns,
)


@made_of_rows("topic_lifecycle")
def find(
    topic_lifecycle: pl.DataFrame, controller_term: pl.DataFrame, creation_ms: int, unled_topic_ms: int
) -> pl.DataFrame:
    """A topic was served long after its creation, as its controller was late to elect leaders: what brokers alone are
    late with may be a log that is missing."""
    refused = controller_term.filter(col("fenced_from_at").is_not_null()).select(
        "cluster_id", "term_id", "fenced_from_at", "controller_id"
    )
    is_late = (col("mode") == "kraft") | (col("online_ms") * 2 > col("serving_ms"))
    is_own = (col("online_ms") < unled_topic_ms) | col("waited_for").is_null()
    slow = (
        topic_lifecycle.filter(col("serving_ms") > creation_ms, is_late, is_own)
        .join(refused, on=["cluster_id", "term_id"], how="left")
        .with_columns(is_refused=(col("fenced_from_at") <= col("serving_at")).fill_null(value=False))
    )
    why = (
        when("is_refused").then(filled_text(": controller {} could not write", "controller_id"))
        .when(col("waited_for").is_not_null()).then(
            filled_text(
                ": partition {} waited for {}",
                *("slowest_partition", filled_text("broker {}", enumerated_ids("waited_for"))),
            )
        )
        .otherwise(lit(""))
    )  # fmt: skip
    return slow.select(
        *topic_finding_columns("info"),
        root_event=filled_text("creation {}", epoch_millis("created_at")),
        **root_columns("creation", "created_at"),
        valid_from_at="created_at",
        valid_until_at="serving_at",
        sentence=filled_text(
            "topic {} was served {} after its creation{}", "topic", duration_text(col("serving_ms")), why
        ),
        facts=facts_column(
            topic="topic",
            partition="slowest_partition",
            controller_id=when("is_refused").then("controller_id"),
            broker_ids=when(~col("is_refused")).then("waited_for"),
            lasted_ms="serving_ms",
        ),
        certainty="certainty",
        evidence=named_lines("created", "serving"),
    )


RULE = Rule(
    name="slow_creation",
    version=1,
    severities=("info",),
    facts=("topic", "partition", "controller_id", "broker_ids", "lasted_ms"),
    find=find,
    limits=(
        Limit("creation_ms", 5_000, "ms", "A topic that is served so soon after its creation is no finding."),
        UNLED_TOPIC,
    ),
)
