"""Holds the replay against Kafka's own statements: dumps, refusals, lists of valid previous states, requests."""

import polars as pl

from pipeline.core.incremental import Incremental
from pipeline.core.made_of import made_of
from pipeline.gold.replay_check.dumps import DUMP, count_dumps, dump_answer, dump_line
from pipeline.gold.replay_check.moves import machines_of_terms, moves_of_terms
from pipeline.gold.replay_check.refusals import check_listed_states, check_refused_moves
from pipeline.gold.replay_check.requests import batch_line, count_requests, request_answer
from pipeline.gold.replay_check.statements import COUNTED, STATEMENT, added_statements, count_statements
from schemas.gold.replay_check import SPEC


@made_of(COUNTED, "transition_audit")
def refusal_answer(transition_audit: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Refusals of some topics (COUNTED), and the lists of valid states in their exceptions: counts by STATEMENT."""
    moves = moves_of_terms(transition_audit, machines_of_terms(term))
    return pl.concat(
        [
            count_statements(check_refused_moves(moves), "refused_pair"),
            count_statements(check_listed_states(moves), "valid_previous_states"),
        ]
    )


PARTIALS = (dump_line, dump_answer, refusal_answer, batch_line, request_answer)


@made_of(SPEC, "dump_answer", "refusal_answer", "request_answer")
def build(
    dump_answer: pl.DataFrame, refusal_answer: pl.DataFrame, request_answer: pl.DataFrame
) -> pl.DataFrame:
    """Rows: one per dump; one per term, machine and day for the refusals, one for the lists of valid states, and
    one for the moves that a request follows (requests_of_moves).

    A dump says the state of each object after the moves of the start-up before it: it is held against the last move
    before, where there is none against the first one after, of that day or the next. A cut dump proves only what it
    shows. Of moves in the millisecond of the dump, which stands in the other log, nothing tells the order: the state
    may be before or after.
    Partials: of the moves and lines that are given, and of state.replay_summary of the days before them.
    Source: ReplicaStateMachine and PartitionStateMachine.startup and logInvalidTransition, 0.8.1 to 3.9.
    """
    of_days = pl.concat([refusal_answer, count_requests(request_answer)])
    of_dumps = added_statements(count_dumps(dump_answer), DUMP).filter(pl.col("said_count") > 0)
    return pl.concat([of_dumps, added_statements(of_days, STATEMENT)])


INCREMENTAL = Incremental(ordered_by="day_at", lookback_days=1)
