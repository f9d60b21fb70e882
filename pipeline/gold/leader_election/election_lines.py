"""Lines of controllers about elections: what each says of a partition, in its place within the term."""

import polars as pl
from polars import col, lit, when

from pipeline.model.partitions.statements import (
    SENT,
    lines_with_term_order,
    stated_by_lines,
    with_partition_ends,
)
from pipeline.model.partitions.topic_lives import with_topic_life

LINE_KEY = ("file_id", "byte_offset", "topic", "partition")
ONLINE = "OnlinePartition"
REMOVED, UPDATED = "replica_removed_from_isr", "isr_updated"
NOTED = (
    "partition_transition",
    "partition_transition_failed",
    "partition_leader_elected",
    "selector_unclean_elected",
    "selector_isr_elected",
    "selector_offline_result",
)
# Lines that may be an attempt.
TRYING = ("partition_transition", "partition_transition_failed", REMOVED, UPDATED, *SENT)
AIMED = ("leader_not_in_target", "leader_dead")
SAYING = (
    "event", "from_state", "outcome", "leader", "isr", "leader_epoch", "partition_epoch", "choice", "selector",
    "message", "exception_class", "target", "gone_id", "logged_at", "event_seq", "controller_epoch", "file_id",
    "byte_offset",
)  # fmt: skip
SAID = tuple(f"said_{name}" for name in SAYING)


def election_statements(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    leader_and_isr: pl.DataFrame,
    partition_transition: pl.DataFrame,
    replica_transition: pl.DataFrame,
    assignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    election_event: pl.DataFrame,
    reassignment_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    deletion_before: pl.DataFrame,
    before: pl.DataFrame,
) -> pl.DataFrame:
    """One row per line and partition of which it states, attempts or chooses something; as partition_statements()
    has it, and SAID: what the line itself says."""
    lines = lines_with_term_order(controller_line)
    states = stated_by_lines(leader_and_isr, partition_transition, assignment).filter(
        col("topic").is_not_null(), col("partition").is_not_null()
    )
    more = more_of_election_lines(
        partition_transition, election_event, reassignment_event, replica_transition
    )
    together = states.join(more, on=LINE_KEY, how="full", coalesce=True).with_columns(
        event=pl.max_horizontal("event", "more_event")
    )
    lived = with_topic_life(together.drop("more_event"), topic_event, lines, term, deletion_before)
    own = with_partition_ends(lived, lines, term, topic_event, before)
    return own.with_columns(col(SAYING).name.prefix("said_"))


def more_of_election_lines(
    partition_transition: pl.DataFrame,
    election_event: pl.DataFrame,
    reassignment_event: pl.DataFrame,
    replica_transition: pl.DataFrame,
) -> pl.DataFrame:
    """(LINE_KEY, more_event, ...): what a line says of a partition besides its state; one row each, of what several
    rows say the greatest."""
    is_failed = (col("outcome") == "failed").fill_null(value=False)
    tried = partition_transition.filter(col("to_state") == ONLINE).select(
        *LINE_KEY,
        *("from_state", "outcome", "exception_class"),
        message="exception_message",
        more_event=when(is_failed)
        .then(lit("partition_transition_failed"))
        .otherwise(lit("partition_transition")),
    )
    chosen = election_event.filter(col("event").is_in(NOTED)).select(
        *LINE_KEY, "selector", more_event="event", choice="step"
    )
    aimed = reassignment_event.filter(col("step").is_in(AIMED)).select(
        *LINE_KEY, more_event="event", target="target_replicas"
    )
    is_off = (col("to_state") == "OfflineReplica") & (col("outcome") == "done")
    gone = replica_transition.filter(is_off).select(
        *LINE_KEY, more_event=lit("replica_transition"), gone_id="replica_id"
    )
    is_of_partition = col("topic").is_not_null() & col("partition").is_not_null()
    every = pl.concat([tried, chosen, aimed, gone], how="diagonal").filter(is_of_partition)
    is_repeated = every.select(LINE_KEY).is_duplicated()
    greatest = (
        every.filter(is_repeated)
        .group_by(LINE_KEY)
        .agg(pl.all().exclude("target").max(), col("target").sort().last())
    )
    return pl.concat([every.filter(~is_repeated), greatest], how="diagonal")
