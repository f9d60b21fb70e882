"""Holds the replay against Kafka's own statements: dumps, refusals, lists of valid previous states, requests."""

import polars as pl
from polars import col

from pipeline.core.incremental import Incremental
from pipeline.core.made_of import made_of
from pipeline.gold.replay_check.dumps import DUMP, compare_dumped_states
from pipeline.gold.replay_check.refusals import STATEMENT, check_listed_states, check_refused_moves
from pipeline.gold.replay_check.requests import check_requests_of_moves
from pipeline.gold.replay_check.statements import count_statements
from pipeline.model.partitions.carried_states import carried_moves
from schemas.gold.replay_check import SPEC

TERM = ("cluster_id", "term_id")


@made_of(SPEC, "transition_audit", "state_dump", "control_request")
def build(
    transition_audit: pl.DataFrame,
    state_dump: pl.DataFrame,
    control_request: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    summary_before: pl.DataFrame,
) -> pl.DataFrame:
    """Rows: one per dump; one per term, machine and day for the refusals, one for the lists of valid states, and
    one for the moves that a request follows (requests_of_moves).

    A dump says the state of each object after the moves of the start-up before it: it is held against the last move
    before, where there is none against the first one after, of that day or the next. A cut dump proves only what it
    shows. Of moves in the millisecond of the dump, which stands in the other log, nothing tells the order: the state
    may be before or after.
    summary_before: state.replay_summary of the days before those of the moves and lines that are given.
    Source: ReplicaStateMachine and PartitionStateMachine.startup and logInvalidTransition, 0.8.1 to 3.9.
    """
    terms = term.select(*TERM, "is_trace_seen", "replica_machine")
    moves = transition_audit.with_columns(day_at=col("ordered_at").dt.truncate("1d")).join(
        terms, on=TERM, how="inner"
    )
    earlier = carried_moves(summary_before).join(terms, on=TERM, how="inner")
    both = pl.concat([moves, earlier], how="diagonal")
    return pl.concat(
        [
            count_statements(
                compare_dumped_states(both, state_dump, controller_line, terms), "initial_state_dump", DUMP
            ),
            count_statements(check_refused_moves(moves), "refused_pair", STATEMENT),
            count_statements(check_listed_states(moves), "valid_previous_states", STATEMENT),
            count_statements(
                check_requests_of_moves(moves, earlier, control_request, controller_line),
                "requests_of_moves",
                STATEMENT,
            ),
        ]
    )


INCREMENTAL = Incremental(ordered_by="day_at", lookback_days=1)
