"""The rule reassignment_skipped."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.waiting import ended_reassignment_findings
from pipeline.rules.shared.wording import filled_text, partition_name_text


@made_of_rows("reassignment")
def find(reassignment: pl.DataFrame) -> pl.DataFrame:
    """Requests that a controller does not take up, or drops at its start, as the topic is being deleted.

    Source: KafkaController.maybeTriggerPartitionReassignment, 0.8.1 to 3.9.
    """
    is_skipped = col("outcome").is_in(["skipped", "failed"]) & (col("reason") == "topic_deleting")
    said = filled_text("reassignment of {} was skipped: its topic is being deleted", partition_name_text())
    return ended_reassignment_findings(reassignment.filter(is_skipped), "info", said, {})


RULE = Rule(
    name="reassignment_skipped",
    version=1,
    severities=("info",),
    facts=("topic", "partition", "reason"),
    find=find,
)
