"""Elections of leaders by controllers, each held against the rule that it goes by."""

import polars as pl
from polars import col, lit, when

from pipeline.core.frames import with_absent
from pipeline.core.made_of import made_of, needs_rows_of
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.gold.leader_election import leader_selectors
from pipeline.gold.leader_election.data_loss_bound import with_bound
from pipeline.gold.leader_election.election_attempts import attempted_elections
from pipeline.gold.leader_election.election_lines import SAID, election_statements
from pipeline.gold.leader_election.judging import with_judgement
from pipeline.gold.leader_election.kraft_elections import kraft_elections
from pipeline.gold.leader_election.last_leader import with_isr_line, with_last_leader
from pipeline.model.brokers.candidates import with_candidates
from pipeline.model.partitions.carried_views import behind_views, there_before
from pipeline.model.partitions.controller_view import OWN, ordered_states, states_held, term_begin_places
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.terms.missing_terms import without_doubted
from pipeline.model.terms.succession import TERM
from schemas.gold.leader_election import SPEC

OF_LINE = (
    "from_state", "event_seq", "message", "exception_class", "controller_epoch", "file_id", "byte_offset",
)  # fmt: skip
OF_ATTEMPT = (
    "seq", "how", "is_unclean_said", "is_clean_said", "note_file_id", "note_byte_offset", "isr_line_file_id",
    "isr_line_byte_offset", "said_selector",
)  # fmt: skip
# Causes of events in which no replica leaves an ISR.
OF_PREFERRED = ("automatic rebalance", "preferred election by tool")
REMOVING_NOBODY = ("broker start", "topic creation", *OF_PREFERRED)
REACH = Reach.PARTITION


@made_of(
    SPEC,
    "leader_and_isr",
    "partition_transition",
    "replica_transition",
    "assignment",
    "topic_event",
    "election_event",
    "reassignment_event",
    "partition_timeline",
)
def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    leader_and_isr: pl.DataFrame,
    partition_transition: pl.DataFrame,
    replica_transition: pl.DataFrame,
    assignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    election_event: pl.DataFrame,
    reassignment_event: pl.DataFrame,
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    log_gap: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    broker_session: pl.DataFrame,
    broker_absence: pl.DataFrame,
    replica_offset: pl.DataFrame,
    deletion_before: pl.DataFrame,
    run_before: pl.DataFrame,
    led_before: pl.DataFrame,
    view_before: pl.DataFrame,
    day_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per attempt to give one partition a leader; of a fenced controller (from 2.1) no line tells.

    KRaft: as kraft_elections says; what follows is of ZooKeeper mode.
    span: begins with a day, and the lines with it. deletion_before: of topics that ended before it;
    partition_timeline: what is open at it or begins later; run_before: rows of election_event before it, some run
    of preferred elections of each KRaft term that prints them; led_before: the last interval with a leader epoch,
    before it, of each partition of which none is known then; view_before, day_before: of the terms that go on then the
    last rows before it of state.partition_view and state.controller_day.

    The view of a term: the cluster-wide one (partition_timeline) at its first line, then its own lines alone.
    The choice is judged by the ISR before where that is certain, as of the write just before (with_isr_line), else by
    the ISR that the line states: the old one without those that are gone. Up to 1.0 lines of elections state none: the
    request that follows does.
    Source: PartitionLeaderSelector up to 1.0, Election and PartitionStateMachine since, 0.8.2 to 3.9.
    """
    intervals = whole_intervals(partition_timeline)
    in_zookeeper = intervals.filter(col("topic_id").is_null())
    moves = (leader_and_isr, partition_transition, replica_transition, assignment, topic_event)
    before = (deletion_before, there_before(in_zookeeper, view_before, span))
    said = election_statements(*moves, election_event, reassignment_event, controller_line, term, *before)
    begins = term_begin_places(term.filter(col("mode") == "zookeeper"), span)
    named_again = view_before.join(said, on=OWN, how="semi")
    own = behind_views(said, named_again, with_doubted=False)
    of_zookeeper = (
        attempts_within(begins, own, in_zookeeper)
        .pipe(with_candidates, broker_event, controller_line, day_before)
        .pipe(with_isr_line, pl.concat([led_before, intervals]))
        .pipe(with_judgement, term, log_gap, broker_session)
        .pipe(with_last_leader, pl.concat([led_before, intervals]))
    )
    chosen = pl.concat([election_event, run_before])
    told = (broker_absence, broker_event, chosen, reassignment_event, term, log_gap)
    of_kraft = kraft_elections(pl.concat([led_before, intervals]), *told)
    both = pl.concat([of_this_table(of_zookeeper), of_this_table(of_kraft)])
    return with_bound(both, replica_offset)


@needs_rows_of("begins", "own")
def attempts_within(begins: pl.DataFrame, own: pl.DataFrame, in_zookeeper: pl.DataFrame) -> pl.DataFrame:
    """One row per attempt that lines of a term tell, with what its controller knew of the partition before."""
    known = ordered_states(without_doubted(in_zookeeper))
    return rename_attempt_columns(attempted_elections(states_held(own, begins, known, *SAID)))


@needs_rows_of("elections")
def of_this_table(elections: pl.DataFrame) -> pl.DataFrame:
    """The columns of this table but for records_at_risk: null where the mode knows none."""
    names = [name for name in SPEC.columns if name != "records_at_risk"]
    return with_absent(elections, SPEC, names).select(names)


def rename_attempt_columns(found: pl.DataFrame) -> pl.DataFrame:
    """Columns of the row as its controller's lines have them. What only a request tells, and no line of a replica that
    went offline before it, was not in the event of the request where such an event removes nobody; nor was a removal in
    one that elects preferred leaders alone."""
    is_done = (col("said_outcome") == "done").fill_null(value=True)
    has_before = (col("said_from_state") != leader_selectors.NEW).fill_null(value=True)
    is_untold = (
        (col("how") == "implied") & col("told_file_id").is_null() & col("cause").is_in(REMOVING_NOBODY)
    ) | ((col("how") != "move") & col("cause").is_in(OF_PREFERRED))
    return found.select(
        *TERM,
        *("topic", "topic_life", "partition"),
        *OF_ATTEMPT,
        *(col(f"said_{name}").alias(name) for name in OF_LINE),
        elected_at="said_logged_at",
        trigger=when(is_untold).then(lit("unknown")).otherwise("cause"),
        outcome=when(is_done).then(lit("done")).otherwise(lit("failed")),
        strategy=col("said_message").str.extract(leader_selectors.STRATEGY, 1),
        is_old=when(is_done).then(col("said_leader_epoch").is_null()),
        old_epoch="leader_epoch_before",
        old_leader="leader_before",
        isr_before=when(has_before).then("isr_before"),
        replicas="replicas_before",
        target_replicas="target",
        is_deleting=col("is_deleting_before").fill_null(value=False),
        isr=when(is_done).then("isr"),
        leader_epoch=when(is_done).then("leader_epoch"),
        leader=when(is_done).then("said_leader"),
        partition_epoch=when(is_done).then("said_partition_epoch"),
    )
