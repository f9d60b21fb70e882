"""The rule topic_vanished."""

from datetime import timedelta

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

DAYS = timedelta(days=1)


@made_of_rows("topic_lifecycle")
def find(topic_lifecycle: pl.DataFrame, controller_term: pl.DataFrame, log_gap: pl.DataFrame) -> pl.DataFrame:
    """A topic that was queued for deletion is missing in the list of the next controller that starts; no finding where
    one was in office between of which no line was read, nor where lines of days are missing between: it may have been
    completed in them."""
    acted_at = col("last_act_at").shift(1).over("cluster_id", order_by="elected_at")
    in_zookeeper = controller_term.filter(col("elected_at").is_not_null(), col("mode") == "zookeeper")
    elected = in_zookeeper.with_columns(acted_at=acted_at)
    by = elected.select("cluster_id", "elected_at", "controller_id", "acted_at").sort("elected_at")
    has_list = named_lines("ended").list.len() > 0
    gone = topic_lifecycle.filter(
        (col("ended_how") == "vanished") & col("deletion_requested_at").is_not_null() & has_list,
        col("certainty") != "undetermined",
    )
    holes = log_gap.filter(kind="days_missing").select("cluster_id", missing_from_at="from_at")
    is_broken = (col("ended_at") - col("acted_at") >= DAYS) | (
        col("missing_from_at") >= col("deletion_requested_at")
    )
    found = (
        gone.sort("ended_at")
        .join_asof(by, left_on="ended_at", right_on="elected_at", by="cluster_id", check_sortedness=False)
        .join_asof(
            holes.sort("missing_from_at"), left_on="ended_at", right_on="missing_from_at", by="cluster_id",
            coalesce=False, check_sortedness=False,
        )
        .filter(~is_broken.fill_null(value=False))
    )  # fmt: skip
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
