"""Judges every state change: legal or not, and does it leave from the state that the term last entered?"""

import polars as pl
from polars import lit

from pipeline.core.incremental import Incremental
from pipeline.core.made_of import made_of
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.gold.transition_audit.judging import FROM_LINES, FROM_MOVES, FROM_TERM, judged_moves
from pipeline.gold.transition_audit.triggers import with_move_trigger
from pipeline.kafka.machines.by_release import PARTITION, REPLICA
from pipeline.model.partitions.carried_states import carried_moves
from schemas.gold.transition_audit import SPEC

RECORD = ("cluster_id", "file_id", "byte_offset")
TERM = ("cluster_id", "term_id")
REACH = Reach.PARTITION


@made_of(SPEC, "replica_transition", "partition_transition")
def build(
    replica_transition: pl.DataFrame,
    partition_transition: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    summary_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per state change of both machines, in the span, which begins with a day.

    Rows:    one move gives one row, with a term or without.
    summary_before: state.replay_summary of the days before the span; controller_line: the lines from then on.
    Order:   (term_id, seq); a start-up seeds all states anew, so nothing is carried from term to term.
    Source:  ReplicaStateMachine and PartitionStateMachine, 0.8.1 to 3.9, ZooKeeper mode.
    """
    of_replicas = replica_transition.with_columns(machine=lit(REPLICA))
    of_partitions = partition_transition.with_columns(machine=lit(PARTITION), replica_id=lit(None, pl.Int32))
    printed = pl.concat([of_replicas.select(FROM_MOVES), of_partitions.select(FROM_MOVES)])
    moves = with_place(printed, controller_line)
    moves = with_move_trigger(moves.filter(span.since("ordered_at")), controller_line)
    earlier = carried_moves(summary_before).with_columns(is_earlier=lit(True))
    both = pl.concat([moves.with_columns(is_earlier=lit(False)), earlier], how="diagonal")
    return judged_moves(with_machine_of_term(both, term))


def with_place(moves: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """Adds term, order and cause; null where the record belongs to no known term. Rows in, rows out."""
    lines = controller_line.select(*RECORD, *FROM_LINES)
    return moves.join(lines, on=RECORD, how="left").with_columns(
        ordered_at=pl.coalesce("ordered_at", "logged_at")
    )


def with_machine_of_term(moves: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Adds replica_machine; rows in, rows out."""
    return moves.join(term.select(*TERM, *FROM_TERM), on=TERM, how="left")


INCREMENTAL = Incremental(ordered_by="ordered_at", lookback_days=0)
