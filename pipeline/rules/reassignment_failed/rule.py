"""The rule reassignment_failed."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.waiting import one_each
from pipeline.rules.shared.wording import enumerated, ids, partition_name, words


@of_rows("reassignment")
def find(reassignment: pl.DataFrame) -> pl.DataFrame:
    """Reassignments that an error ended, or that the next controller does not know any more: up to 2.3 both leave the
    replicas in place that were to be added. What Kafka refuses in its answer is none.

    Source: KafkaController.onPartitionReassignment, initializePartitionReassignment, 0.8.1 to 2.3.
    """
    is_forgotten = col("outcome") == "forgotten"
    is_error = (col("outcome") == "failed") & (col("reason") == "error")
    move = words("{} to [{}]", partition_name(), ids("target_replicas"))
    is_kept = (col("form") == "znode") & (col("adding_replicas").list.len() > 0)
    kept = (
        when(is_kept.fill_null(value=False))
        .then(
            words(
                "; replica {} stays beside the old ones until it is reassigned again",
                enumerated("adding_replicas"),
            )
        )
        .otherwise(lit(""))
    )
    said = when(is_forgotten).then(
        words("reassignment of {} was forgotten: the next controller found no request for it{}", move, kept)
    ).otherwise(words("reassignment of {} failed{}", move, kept))  # fmt: skip
    target = {"target_replicas": "target_replicas"}
    return one_each(reassignment.filter(is_forgotten | is_error), "warning", said, target)


RULE = Rule(
    name="reassignment_failed",
    version=1,
    severities=("warning",),
    facts=(
        "topic",
        "partition",
        "target_replicas",
        "reason",
    ),
    find=find,
)
