"""The rule reassignment_failed."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.waiting import ended_reassignment_findings
from pipeline.rules.shared.wording import enumerated_ids, filled_text, ids_text, partition_name_text


@made_of_rows("reassignment")
def find(reassignment: pl.DataFrame) -> pl.DataFrame:
    """Reassignments that an error ended, or that the next controller does not know any more: up to 2.3 both leave the
    replicas in place that were to be added. What Kafka refuses in its answer is none.

    Source: KafkaController.onPartitionReassignment, initializePartitionReassignment, 0.8.1 to 2.3.
    """
    is_forgotten = col("outcome") == "forgotten"
    is_error = (col("outcome") == "failed") & (col("reason") == "error")
    move = filled_text("{} to [{}]", partition_name_text(), ids_text("target_replicas"))
    is_kept = (col("form") == "znode") & (col("adding_replicas").list.len() > 0)
    kept = (
        when(is_kept.fill_null(value=False))
        .then(
            filled_text(
                "; replica {} stays beside the old ones until it is reassigned again",
                enumerated_ids("adding_replicas"),
            )
        )
        .otherwise(lit(""))
    )
    said = when(is_forgotten).then(
        filled_text("reassignment of {} was forgotten: the next controller found no request for it{}", move, kept)
    ).otherwise(filled_text("reassignment of {} failed{}", move, kept))  # fmt: skip
    target = {"target_replicas": "target_replicas"}
    return ended_reassignment_findings(reassignment.filter(is_forgotten | is_error), "warning", said, target)


RULE = Rule(
    name="reassignment_failed",
    version=1,
    severities=("warning",),
    facts=("topic", "partition", "target_replicas", "reason"),
    find=find,
)
