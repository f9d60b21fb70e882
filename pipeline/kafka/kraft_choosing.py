"""Whom a KRaft controller has to make leader, and whether it was in the ISR before."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.kraft_marks import UNCLEAN

NOBODY = -1
LAST_KNOWN = "LAST_KNOWN_LEADER"


def is_unclean() -> Column:
    """A line says so of this very election."""
    return F.coalesce(F.col("said.step") == UNCLEAN, F.lit(False))


def with_choice(found: DataFrame) -> DataFrame:
    """isr_before, expected_leader, is_clean, is_unclean_said.

    The leader stays if it is in service and in the ISR; else the first assigned replica that is; from 3.7 on an
    eligible one (ELR) or the last known leader where the ISR is empty; an unclean election takes the first assigned
    replica in service. A preferred one takes the head first. The ISR is the one after: those that are gone are out.
    Source: PartitionChangeBuilder.electLeader, electPreferredLeader, electAnyLeader, 3.0 to 4.3.
    """
    leader, old = F.col("leader"), F.col("before.leader")
    isr_before = F.when(F.col("is_next") & ~F.col("is_born"), F.col("before.isr"))
    target = F.coalesce(F.when(leader >= 0, F.col("isr")), F.col("before.isr"))
    able = F.array_except("replicas", "out")
    valid = F.when(is_unclean(), able).otherwise(F.array_intersect(able, target))
    head = F.get("replicas", F.lit(0))
    is_last_known = F.coalesce(F.col("said.selector") == LAST_KNOWN, F.lit(False))
    expected = F.coalesce(
        F.when(is_last_known, leader),
        F.when((F.col("kind") == "preferred") & F.array_contains(valid, head), head),
        F.when(F.array_contains(valid, old) & (leader >= 0), old),
        F.get(valid, F.lit(0)),
        F.lit(NOBODY),
    )
    was_in_sync = F.coalesce(F.array_contains(isr_before, leader), F.lit(False))
    is_safe = F.col("is_born") | was_in_sync | (F.col("kind") == "reassign") | F.col("said").isNotNull()
    is_clean = (
        F.when(leader < 0, F.lit(None).cast("boolean"))
        .when(is_unclean(), F.lit(False))
        .when(is_safe, F.lit(True))
        .when((F.size(isr_before) > 0) & F.col("is_office_read"), F.lit(False))
        .when(F.col("is_office_read"), F.lit(True))
    )
    return found.withColumns(
        {
            "isr_before": isr_before,
            "expected_leader": F.when(valid.isNotNull(), expected),
            "is_clean": is_clean,
            "is_unclean_said": is_unclean(),
        }
    )


def with_verdict(found: DataFrame) -> DataFrame:
    """A choice is held against its rule where no leader epoch is missing before, and assignment and ISR are known.

    Of a change whose kind is not known the choice may be that of another rule: it is never against one.
    """
    leader = F.col("leader")
    is_old_known = F.col("is_born") | F.col("before.leader").isNotNull()
    # A reassignment that only takes replicas away is in no line: the assignment of the timeline is the one before.
    is_taken = (F.col("kind") == "reassign") & F.array_contains("replicas", F.col("before.leader"))
    is_stale = F.coalesce("is_assignment_stale", F.lit(False)) | F.coalesce(is_taken, F.lit(False))
    is_known = (
        is_old_known
        & (F.col("missing_epochs") == 0)
        & (F.col("certainty") != "undetermined")
        & F.col("expected_leader").isNotNull()
        & F.col("is_out_known")
        & (F.col("is_office_read") | F.col("is_born"))
        & ~is_stale
        & ((F.col("kind") != "unknown") | (leader == F.col("expected_leader")))
    )
    by_isr = F.coalesce(F.array_contains("isr_before", leader), F.lit(False)) | F.col("is_born")
    verdict = (
        F.when(~F.coalesce(is_known, F.lit(False)), "undetermined")
        .when(leader != F.col("expected_leader"), "differs")
        .otherwise(F.when(by_isr, "as_prescribed").otherwise("as_prescribed_by_result"))
    )
    reason = (
        F.when(F.col("replicas").isNull() | is_stale, "replicas_unknown")
        .when(~is_old_known | F.col("missing_epochs").isNull(), "leader_unknown")
        .when(F.col("missing_epochs") > 0, "lines_missing")
        .when(F.col("isr").isNull(), "isr_unknown")
        .otherwise("kind_unknown")
    )
    is_unsure = (F.col("verdict") == "undetermined") | (F.col("is_clean").isNull() & (leader >= 0))
    is_expected = F.when(F.col("verdict") != "undetermined", F.col("verdict") != "differs")
    return found.withColumn("verdict", verdict).withColumns(
        {"is_expected": is_expected, "reason": F.when(is_unsure, reason)}
    )
