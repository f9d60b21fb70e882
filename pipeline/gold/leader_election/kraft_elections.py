"""Changes of leaders in KRaft mode: what the metadata log did to a partition, by which decision of the controller."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.leader_election.evidence import line_struct, with_source_lines
from pipeline.gold.leader_election.kraft_choosing import with_kraft_expected_leader, with_kraft_verdict
from pipeline.gold.leader_election.kraft_marks import with_marks
from pipeline.gold.leader_election.kraft_service import with_service
from pipeline.gold.leader_election.kraft_triggers import with_kind, with_kraft_trigger
from pipeline.gold.leader_election.kraft_unread import unread_stretches, with_unread
from pipeline.gold.leader_election.silent_controllers import without_silent_controllers
from pipeline.model.lines.own_gaps import with_missing_lines_since
from pipeline.model.partitions.statements import PARTITION

ONE_EVENT = timedelta(seconds=1)  # in which brokers print what one event of a controller changed
BEFORE = ("leader", "leader_epoch", "isr", "partition_epoch", "valid_from_at")


def kraft_elections(
    partition_timeline: pl.DataFrame,
    broker_absence: pl.DataFrame,
    broker_event: pl.DataFrame,
    election_event: pl.DataFrame,
    reassignment_event: pl.DataFrame,
    term: pl.DataFrame,
    log_gap: pl.DataFrame,
) -> pl.DataFrame:
    """One row per change of a leader in the timeline of partitions in KRaft mode, with the columns of
    gold.leader_election that the mode knows; partition_timeline may begin anywhere.

    elected_at: the first line of any node about the change, or about the decision that it is put down to. Which one
    that is: see with_trigger; Kafka names none but by what it prints before.
    Source: ReplicationControlManager.generateLeaderAndIsrUpdates, PartitionChangeBuilder.electLeader, from 3.0.
    """
    intervals = partition_timeline.filter(col("topic_id").is_not_null())
    decisions = (broker_event, election_event, reassignment_event, term)
    return (
        changes_of_leader(intervals)
        .pipe(with_marks, *decisions)
        .with_columns(certainty=certainty_of_change())
        .pipe(with_term_read, term, log_gap, broker_event)
        .pipe(without_silent_controllers, intervals, *decisions)
        .pipe(with_kraft_trigger)
        .pipe(with_kind)
        .with_columns(elected_at=pl.min_horizontal("valid_from_at", "mark_at", "said_at"))
        .pipe(with_service, broker_absence, term)
        .pipe(with_kraft_expected_leader)
        .pipe(with_kraft_verdict)
        .pipe(with_names)
    )


@needs_rows_of("intervals")
def changes_of_leader(intervals: pl.DataFrame) -> pl.DataFrame:
    """Intervals that begin with another leader or with more than one leader epoch more, and the first of new
    partitions (is_born); BEFORE of the interval before with _before. is_next: no change between the two is missing. The
    leader epoch that was known last names the same election, whatever is not known in between, and the next one that of
    the same leader may be none: changes of the ISR and of the assignment raise it, too."""
    epoch, partition_epoch = col("leader_epoch"), col("partition_epoch")
    is_first = col("valid_from_at_before").is_null()
    is_born = is_first & (col("interval_seq") == 1) & (partition_epoch == 0)
    is_other = col("leader").ne_missing(col("leader_before"))
    is_again = (epoch > col("leader_epoch_before") + 1).fill_null(value=False)
    is_known = (epoch <= col("last_epoch")).fill_null(value=False)
    is_bumped = (col("leader") == col("last_leader")) & (epoch == col("last_epoch") + 1)
    is_change = ~is_first & (is_other | is_again) & ~is_known & ~is_bumped.fill_null(value=False)
    is_next = (partition_epoch == col("partition_epoch_before") + 1).fill_null(value=False)
    missing_epochs = when(col("is_born")).then(0).otherwise(epoch - col("last_epoch") - 1)
    return (
        with_before(intervals)
        .with_columns(is_born=is_born)
        .filter(col("leader").is_not_null(), col("is_born") | is_change)
        .with_columns(is_next=col("is_born") | is_next, missing_epochs=missing_epochs)
        .drop("last_epoch", "last_leader")
    )


def certainty_of_change() -> pl.Expr:
    """Where it is not known for longer than one event who led before, and elections are missing, the leader may have
    led already: it is not certain that this leader epoch is of an election, unless a line says so."""
    is_said = col("diff_line").is_not_null() | col("choice_line").is_not_null()
    is_long = (col("valid_from_at") - col("known_until_at") > ONE_EVENT).fill_null(value=True)
    is_missed = ~col("is_born") & (col("missing_epochs").fill_null(1) > 0)
    is_untold = col("leader_before").is_null() & is_long & is_missed & ~is_said
    return when(is_untold).then(lit("undetermined")).otherwise("certainty")


def with_before(intervals: pl.DataFrame) -> pl.DataFrame:
    """Intervals with BEFORE of the one before, its ISR null where it is stale; last_epoch, last_leader: of the last
    known leader before, who led until known_until_at; topic_from_at: when the first partition of the topic began."""
    its = {name: when(~col("is_isr_stale")).then("isr") if name == "isr" else col(name) for name in BEFORE}
    known_epoch = when(col("leader").is_not_null()).then("leader_epoch")
    return intervals.sort(*PARTITION, "interval_seq").with_columns(
        **{f"{name}_before": one.shift(1).over(PARTITION) for name, one in its.items()},
        last_epoch=known_epoch.forward_fill().shift(1).over(PARTITION),
        known_until_at=when(col("leader").is_not_null())
        .then("valid_until_at")
        .forward_fill()
        .shift(1)
        .over(PARTITION),
        last_leader=col("leader").forward_fill().shift(1).over(PARTITION),
        topic_from_at=col("valid_from_at").min().over("cluster_id", "topic_id"),
    )


@needs_rows_of("found")
def with_term_read(
    found: pl.DataFrame, term: pl.DataFrame, log_gap: pl.DataFrame, broker_event: pl.DataFrame
) -> pl.DataFrame:
    """is_term_read: the controller in office wrote controller.log and no line of it is known to be missing by then,
    nor just then (kraft_unread): it prints every unclean election, so that where no line says so there was none."""
    is_elected = col("elected_at").is_not_null()
    elected = term.filter(is_elected, col("mode") == "kraft")
    told = elected.select("cluster_id", "term_id", "controller_id", "elected_at")
    is_of_controller = (col("log") != "state-change").fill_null(value=True)
    is_whole = (col("own_missing_from_at") > col("valid_from_at")).fill_null(value=True)
    return (
        found.join(told.drop("elected_at"), on=["cluster_id", "term_id"], how="left")
        .pipe(with_missing_lines_since, log_gap.filter(is_of_controller))
        .pipe(with_unread, unread_stretches(told, broker_event))
        .with_columns(is_term_read=col("controller_id").is_not_null() & is_whole & ~col("is_unread"))
        .drop("is_unread")
    )


@needs_rows_of("found")
def with_names(found: pl.DataFrame) -> pl.DataFrame:
    """The columns of gold.leader_election; its line is the one with which the interval begins."""
    own = col("evidence").list.get(0, null_on_oob=True).struct
    lines = (col("diff_line"), col("choice_line"), line_struct("mark_"), col("evidence"))
    named = found.with_columns(
        old_leader="leader_before",
        is_isr_before_certain=when(col("isr_before").is_not_null()).then(lit(value=True)),
        outcome=lit("done"),
        file_id=own.field("file_id"),
        byte_offset=own.field("byte_offset"),
    )
    return with_source_lines(named, *lines)
