"""The rule topic_vanished."""

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
def find(topic_lifecycle: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """A topic that was queued for deletion is missing in the list of the next controller that starts; no finding where
    one was in office between of which no line was read."""
    elected = controller_term.filter(col("elected_at").is_not_null(), col("mode") == "zookeeper")
    by = elected.select("cluster_id", "elected_at", "controller_id").sort("elected_at")
    has_list = named_lines("ended").list.len() > 0
    gone = topic_lifecycle.filter(
        (col("ended_how") == "vanished") & col("deletion_requested_at").is_not_null() & has_list,
        col("certainty") != "undetermined",
    )
    found = gone.sort("ended_at").join_asof(
        by, left_on="ended_at", right_on="elected_at", by="cluster_id", check_sortedness=False
    )
    return found.select(
        *topic_finding_columns("warning"),
        root_event=filled_text("end {}", epoch_millis("ended_at")),
        **root_columns("deletion", "deletion_requested_at"),
        valid_from_at="ended_at",
        valid_until_at="ended_at",
        sentence=filled_text(
            "topic {} was queued for deletion and is missing in the list of controller {}: nobody says that its "
            "deletion was completed",
            *("topic", "controller_id"),
        ),
        facts=facts_column(topic="topic", controller_id="controller_id"),
        certainty="certainty",
        evidence=named_lines("requested", "ended"),
    )


RULE = Rule(
    name="topic_vanished",
    version=1,
    severities=("warning",),
    facts=("topic", "controller_id"),
    find=find,
)
