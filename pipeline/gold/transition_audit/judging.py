"""Judges moves: is each legal, and does it leave from the state that was entered before it?"""

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.machine import LEGAL, UNDETERMINED
from pipeline.core.replay import (
    CONTINUITY,
    NONE,
    UNKNOWN,
    UNREADABLE,
    Bool,
    Int,
    Moves,
    judge_continuity,
    replay_moves,
)
from pipeline.gold.transition_audit.precedence import (
    RESTS_ON_PREVIOUS,
    certainty_of,
    deciding_verdict,
)
from pipeline.kafka.machines.by_release import (
    REPLICA,
    STATES,
    UNKNOWN_RELEASE,
    candidate_machines,
    legality_for,
    move_visibility,
    normal_moves,
)
from pipeline.model.partitions.carried_states import OBJECT
from schemas.gold.transition_audit import SPEC

JUDGED = ("is_legal_pair", "continuity", "verdict", "normal", "certainty", "evidence")
FROM_LINES = ("term_id", "seq", "ordered_at", "cause")
FROM_TERM = ("replica_machine",)
BY_TABLE = ("trigger",)
FROM_MOVES = tuple(name for name in SPEC.columns if name not in JUDGED + FROM_LINES + FROM_TERM + BY_TABLE)
WANTED = (
    *FROM_MOVES,
    *FROM_LINES,
    *FROM_TERM,
    *BY_TABLE,
    "is_earlier",
)  # columns of the moves that are judged

TERM = ("cluster_id", "term_id")
PAIR = ("from_state", "to_state")
NORMAL = (
    "machine",
    "named_machine",
    "verdict",
    *PAIR,
)  # named_machine: replica_machine as normal_moves.tsv has it


def judged_moves(moves: pl.DataFrame) -> pl.DataFrame:
    """The audited rows of all terms and of both machines; moves in any order.

    Columns in: WANTED. Moves of earlier days (is_earlier) are there for what they led to, and have no row. A move
    without a term is judged by itself: nothing is said of what came before it.
    """
    placed = moves.select(pl.arg_sort_by("seq", "file_id", "byte_offset", nulls_last=True)).to_series()
    by_machine = (
        moves[placed]
        .with_columns(is_traced=is_within_trace())
        .partition_by("machine", "replica_machine", as_dict=True)
    )
    if not by_machine:
        return empty_frame(SPEC)
    replayed = [with_replay(own, *machine) for machine, own in by_machine.items()]
    audited = (
        pl.concat(replayed)
        .filter(~col("is_earlier"))
        .with_columns(verdict=deciding_verdict())
        .with_columns(certainty=certainty_of(col("verdict")))
        .pipe(with_normal)
    )
    return audited.with_columns(evidence=verdict_evidence(audited)).select(SPEC.columns)


def is_within_trace() -> pl.Expr:
    """True if lines at TRACE stand on both sides in the term; a level that is lowered and raised again within a term
    looks like lost lines."""
    traced = col("seq").filter(col("level") == "TRACE")
    after_first = col("seq") >= traced.min().over(TERM)
    before_last = col("seq") <= traced.max().over(TERM)
    return (after_first & before_last).fill_null(value=False)


def with_replay(moves: pl.DataFrame, kind: str, name: str | None) -> pl.DataFrame:
    """Adds is_legal_pair, continuity, is_grounded, and the place of the move before (previous_file_id,
    previous_byte_offset) to the moves of one machine in log order. name: the replica machine of their release, None
    while the release leaves several."""
    from_state, to_state = (state_codes(moves[column], kind) for column in PAIR)
    is_startup = (from_state >= 0) & candidate_machines(kind, name)[0].is_startup[from_state]
    at_trace, at_info = (move_visibility(kind, name, is_trace_seen=is_seen) for is_seen in (True, False))
    is_done = moves["outcome"].eq("done").to_numpy()
    objects = Moves(object_codes(moves), from_state, to_state, is_done, is_startup)
    replayed = replay_moves(objects, at_trace.explained, at_trace.complete)
    unseen = judge_continuity(
        from_state, replayed.previous_state, is_startup, at_info.explained, at_info.complete
    )

    is_traced, has_term = moves["is_traced"].to_numpy(), moves["term_id"].is_not_null().to_numpy()
    is_gap_traced = is_traced & (replayed.previous_row != NONE) & is_traced[replayed.previous_row]
    continuity = np.where(has_term, np.where(is_gap_traced, replayed.continuity, unseen), UNKNOWN)
    is_grounded = has_term & ((continuity != UNKNOWN) | (replayed.previous_state != NONE))
    legal = pl.Series(legality_of(from_state, to_state, kind, name))
    previous = pl.Series(replayed.previous_row)
    before = when(previous != NONE).then(previous)
    return moves.with_columns(
        is_legal_pair=when(legal != UNDETERMINED).then(legal == LEGAL),
        continuity=pl.Series(CONTINUITY).gather(pl.Series(continuity)),
        is_grounded=pl.Series(is_grounded),
        previous_file_id=col("file_id").gather(before),
        previous_byte_offset=col("byte_offset").gather(before),
    )


def state_codes(names: pl.Series, kind: str) -> Int:
    """Position of each state in STATES[kind], UNREADABLE for any other name and for null."""
    known = {name: code for code, name in enumerate(STATES[kind])}
    return names.replace_strict(known, default=UNREADABLE, return_dtype=pl.Int64).to_numpy()


def object_codes(moves: pl.DataFrame) -> Int:
    """One integer per OBJECT, without gaps."""
    return moves.select(pl.struct(OBJECT).rank("dense").cast(pl.Int64)).to_series().to_numpy()


def legality_of(from_state: Int, to_state: Int, kind: str, name: str | None) -> NDArray[np.int8]:
    """LEGAL, ILLEGAL or UNDETERMINED per move; the last where the release or a state is unknown."""
    known = legality_for(kind, name)[from_state, to_state]
    return np.where((from_state < 0) | (to_state < 0), UNDETERMINED, known).astype(np.int8)


def with_normal(moves: pl.DataFrame) -> pl.DataFrame:
    """Adds normal: the label of normal_moves.tsv, null where nothing calls the verdict on that pair normal."""
    labels = pl.DataFrame(
        [
            (one.machine, one.replica_machine, one.verdict, one.from_state, one.to_state, one.label)
            for one in normal_moves()
        ],
        schema=[*NORMAL, "normal"],
        orient="row",
    )
    of_replicas = col("replica_machine").fill_null(UNKNOWN_RELEASE)
    named = moves.with_columns(
        named_machine=when(col("machine") == REPLICA).then(of_replicas).otherwise(lit(""))
    )
    return named.join(labels, on=NORMAL, how="left", maintain_order="left")


def verdict_evidence(moves: pl.DataFrame) -> pl.Series:
    """Per move its record, then the one before where the verdict rests on it.

    Made of one flat array and offsets: to join lists row by row takes seconds for a million moves.
    """
    rests = moves.select(col("verdict").is_in(RESTS_ON_PREVIOUS) & col("previous_file_id").is_not_null())
    has_previous: Bool = rests.to_series().to_numpy()
    offsets = np.concatenate([[0], np.cumsum(1 + has_previous)])
    own, before = np.arange(len(moves)), len(moves) + np.arange(len(moves))
    rows = np.repeat(own, 1 + has_previous)
    rows[offsets[1:][has_previous] - 1] = before[has_previous]
    places = pl.concat(
        [
            moves.select("file_id", "byte_offset"),
            moves.select(file_id="previous_file_id", byte_offset="previous_byte_offset"),
        ]
    )[rows]
    values = places.to_struct().to_arrow()
    found = pl.from_arrow(pa.LargeListArray.from_arrays(pa.array(offsets), values))
    if not isinstance(found, pl.Series):
        raise TypeError("a list array is one column")
    return found
