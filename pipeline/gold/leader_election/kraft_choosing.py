"""Whom a KRaft controller has to make leader, and whether it was in the ISR before."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.leader_election.kraft_marks import UNCLEAN
from pipeline.gold.leader_election.leader_selectors import NOBODY
from pipeline.model.partitions.controller_view import first_replica

LAST_KNOWN = "LAST_KNOWN_LEADER"


def is_unclean() -> pl.Expr:
    """A line says so of this very election."""
    return (col("said_step") == UNCLEAN).fill_null(value=False)


def is_last_known() -> pl.Expr:
    return (col("said_selector") == LAST_KNOWN).fill_null(value=False)


@needs_rows_of("found")
def with_kraft_expected_leader(found: pl.DataFrame) -> pl.DataFrame:
    """isr_before, expected_leader, is_clean, is_unclean_said.

    The leader stays if it is in service and in the ISR; else the first assigned replica that is; from 3.7 on an
    eligible one (ELR) or the last known leader where the ISR is empty; an unclean election takes the first assigned
    replica in service. A preferred one takes the head first. The ISR is the one after: those that are gone are out.
    isr_before: of the interval before, else as the diff of this very election has it.
    Source: PartitionChangeBuilder.electLeader, electPreferredLeader, electAnyLeader, 3.0 to 4.3.
    """
    leader, old, head = col("leader"), col("leader_before"), first_replica("replicas")
    in_sync = pl.coalesce(when(leader >= 0).then("isr"), "isr_before")
    has_lost_disk = col("trigger") == "log-dir failure"
    target = when(has_lost_disk).then(in_sync.list.set_difference(pl.concat_list(old))).otherwise(in_sync)
    valid = when(is_unclean()).then("able").otherwise(col("able").list.set_intersection(target))
    is_head_valid = valid.list.contains(head)
    stays = valid.list.contains(old) & (leader >= 0)
    expected = pl.coalesce(
        when(is_last_known()).then(leader),
        when((col("kind") == "preferred") & is_head_valid).then(head),
        when(stays).then(old),
        valid.list.get(0, null_on_oob=True),
        NOBODY,
    )
    is_isr_known = col("is_next") & ~col("is_born")
    found = found.with_columns(
        expected_leader=when(valid.is_not_null()).then(expected),
        isr_before=pl.coalesce(when(is_isr_known).then("isr_before"), "said_isr"),
        is_unclean_said=is_unclean(),
    )
    return found.with_columns(is_clean=is_clean_in_kraft())


def is_clean_in_kraft() -> pl.Expr:
    """The controller prints every unclean election: where no line of it is missing there was none that it does not
    say. Of a leader that was not in the ISR before a line is missing, of that or of the reassignment that chose it.
    Where it is not known who led before, nor is whether a reassignment chose; nor, unless the controller prints it, in
    which term it was.

    Source: PartitionRegistration.maybeLogPartitionChange, electionWasClean; ReplicationControlManager.alterPartition.
    """
    was_in_sync = col("isr_before").list.contains(col("leader")).fill_null(value=False)
    is_old_known = col("leader_before").is_not_null()
    is_dated = col("mark_at").is_not_null() | (is_old_known & (col("missing_epochs") == 0))
    is_isr_known = (col("isr_before").list.len() > 0).fill_null(value=False)
    is_safe = col("is_born") | was_in_sync | (col("kind") == "reassign") | col("said_step").is_not_null()
    return (
        when(col("leader") < 0).then(lit(None, pl.Boolean))
        .when(is_unclean()).then(lit(value=False))
        .when(is_safe).then(lit(value=True))
        .when(is_isr_known & is_old_known).then(lit(None, pl.Boolean))
        .when(col("is_term_read") & is_dated).then(lit(value=True))
    )  # fmt: skip


@needs_rows_of("found")
def with_kraft_verdict(found: pl.DataFrame) -> pl.DataFrame:
    """A choice is held against its rule where no leader epoch is missing before, and assignment and ISR are known.

    Of a change whose kind is not known the choice may be that of another rule: it is never against one. Nor is one
    while a log directory of a replica is offline: what lies there can't lead. Nor one that only brokers print: they do
    so later than it was decided, nobody knows by how much, and a replica may have come or gone in between. A leader
    that is known to be out was back: no controller elects it, and the lines of its return are missing.
    """
    leader, expected, verdict = col("leader"), col("expected_leader"), col("verdict")
    is_old_known = col("is_born") | col("leader_before").is_not_null()
    # A reassignment that only takes replicas away is in no line: the assignment of the timeline is the one before.
    is_taken = (col("kind") == "reassign") & col("replicas").list.contains(col("leader_before"))
    is_stale = col("is_assignment_stale").fill_null(value=False) | is_taken.fill_null(value=False)
    is_timed = col("is_born") | col("mark_at").is_not_null() | col("said_at").is_not_null()
    may_differ = (col("kind") != "unknown") & ~col("has_disk_out") & is_timed
    is_known = (
        is_old_known
        & (col("missing_epochs") == 0)
        & (col("certainty") != "undetermined")
        & expected.is_not_null()
        & col("is_out_known")
        & ((leader < 0) | col("able").list.contains(leader))
        & (col("is_term_read") | col("is_born"))
        & ~is_stale
        & (may_differ | (leader == expected))
    )
    by_isr = col("isr_before").list.contains(leader).fill_null(value=False) | col("is_born")
    by_rule = when(by_isr).then(lit("as_prescribed")).otherwise(lit("as_prescribed_by_result"))
    found_so = (
        when(~is_known.fill_null(value=False)).then(lit("undetermined"))
        .when(leader != expected).then(lit("differs"))
        .otherwise(by_rule)
    )  # fmt: skip
    reason = (
        when(col("replicas").is_null() | is_stale).then(lit("replicas_unknown"))
        .when(~is_old_known | col("missing_epochs").is_null()).then(lit("leader_unknown"))
        .when(col("missing_epochs") > 0).then(lit("lines_missing"))
        .when(col("isr").is_null()).then(lit("isr_unknown"))
        .otherwise(lit("kind_unknown"))
    )  # fmt: skip
    is_unsure = (verdict == "undetermined") | (col("is_clean").is_null() & (leader >= 0))
    # That nobody leads may have been so for a while: which of the changes made it so no line tells.
    is_of_another = (leader < 0) & (col("missing_epochs") > 0).fill_null(value=False)
    certainty = when(is_of_another).then(lit("undetermined")).otherwise("certainty")
    return found.with_columns(verdict=found_so, certainty=certainty).with_columns(
        expected_leader=when(verdict != "undetermined").then(expected),
        is_expected=when(verdict != "undetermined").then(verdict != "differs"),
        reason=when(is_unsure).then(reason),
    )
