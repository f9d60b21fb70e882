"""The rule reassignment_skipped."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.waiting import one_each
from pipeline.rules.shared.wording import partition_name, words


@of_rows("reassignment")
def find(reassignment: pl.DataFrame) -> pl.DataFrame:
    """Requests that a controller does not take up, or drops at its start, as the topic is being deleted.

    Source: KafkaController.maybeTriggerPartitionReassignment, 0.8.1 to 3.9.
    """
    is_skipped = col("outcome").is_in(["skipped", "failed"]) & (col("reason") == "topic_deleting")
    said = words("reassignment of {} was skipped: its topic is being deleted", partition_name())
    return one_each(reassignment.filter(is_skipped), "info", said, {})


RULE = Rule(
    name="reassignment_skipped",
    version=1,
    severities=("info",),
    facts=(
        "topic",
        "partition",
        "reason",
    ),
    find=find,
)
