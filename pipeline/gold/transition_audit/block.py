"""Judges the moves of one block: legal or not, and does each leave from the state that was entered before it?"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql.pandas.types import to_arrow_schema

from pipeline.core.machine import ILLEGAL, LEGAL, UNDETERMINED
from pipeline.core.replay import (
    BROKEN,
    CONTINUITY,
    FIRST,
    FOLLOWS,
    HIDDEN,
    NONE,
    UNKNOWN,
    UNREADABLE,
    Bool,
    Int,
    Moves,
    judged,
    replay,
)
from pipeline.kafka.machines import (
    KINDS,
    REPLICA,
    STATES,
    UNKNOWN_RELEASE,
    candidates,
    legality_for,
    normal_moves,
    visibility,
)
from schemas.gold.transition_audit import SPEC

# The first line that holds decides.
PRECEDENCE = (
    ("refused", "not done, and the controller says that the pair is not allowed"),
    ("failed", "not done for another reason"),
    ("illegal", "done, and the pair is not in the matrix"),
    ("undetermined", "release, term or beginning unknown, or the reason of a move not done is cut off"),
    ("first", "first sight of the object in its term, from a state of the start-up"),
    ("same_state", "leaves from the replayed state and stays in it"),
    ("valid", "leaves from the replayed state, and the pair is in the matrix"),
    ("hidden", "leaves from another state, and moves that this log does not print explain it"),
    ("discontinuity", "leaves from another state, every move would be printed, and nothing explains it"),
    ("undetermined", "leaves from another state, and the log does not print enough to decide"),
)
CERTAINTY = {"hidden": "inferred", "discontinuity": "inferred", "undetermined": "undetermined"}  # else proved
RESTS_ON_PREVIOUS = ("valid", "same_state", "hidden", "discontinuity")

# The same by position in PRECEDENCE.
VERDICT_OF_RULE = np.array([verdict for verdict, _ in PRECEDENCE], dtype=object)
CERTAINTY_OF_RULE = np.array([CERTAINTY.get(verdict, "proved") for verdict in VERDICT_OF_RULE], dtype=object)
RULE_RESTS_ON_PREVIOUS = np.isin(VERDICT_OF_RULE, RESTS_ON_PREVIOUS)

# kafka.controller: logInvalidTransition from 1.1 on; before, of replicas an assertion.
REFUSING_EXCEPTION = r"(^|\.)(IllegalStateException|AssertionError)$"
REFUSING_MESSAGE = "should be in"

JUDGED = ("is_legal_pair", "continuity", "verdict", "normal", "certainty", "evidence")
FROM_LINES = ("term_id", "seq", "ordered_at", "cause")
FROM_TERM = ("replica_machine",)
FROM_MOVES = tuple(name for name in SPEC.columns if name not in JUDGED + FROM_LINES + FROM_TERM)
WANTED = (*FROM_MOVES, *FROM_LINES, *FROM_TERM, "is_earlier")  # columns of a block


def replay_block(moves: pa.Table) -> pa.Table:
    """The audited rows of one block: the moves of one term, in any order; each machine by itself.

    Shape: one row per move, columns of SPEC. Other columns than WANTED are dropped, and so are moves
    of earlier days (is_earlier), which are there for what they led to.
    """
    moves = moves.sort_by([(name, "ascending") for name in ("seq", "file_id", "byte_offset")])
    is_traced = within_trace(moves)
    own = {kind: mask(pc.equal(moves["machine"], kind)) for kind in KINDS}
    audited = [replay_machine(kind, moves.filter(at), is_traced[at]) for kind, at in own.items()]
    return pa.concat_tables(audited)


def within_trace(moves: pa.Table) -> Bool:
    """Whether TRACE lines stand on both sides; a level lowered and raised again in a term looks like lost lines."""
    is_trace = mask(pc.equal(moves["level"], "TRACE"))
    return np.logical_or.accumulate(is_trace) & np.logical_or.accumulate(is_trace[::-1])[::-1]


def replay_machine(kind: str, moves: pa.Table, is_traced: Bool) -> pa.Table:
    """The audited rows of one machine; `moves` in log order."""
    name = machine_name(kind, moves)
    from_state, to_state = state_codes(moves["from_state"], kind), state_codes(moves["to_state"], kind)
    is_done = mask(pc.equal(moves["outcome"], "done"))
    has_term = mask(pc.is_valid(moves["term_id"]))
    is_startup = (from_state >= 0) & candidates(kind, name)[0].is_startup[from_state]
    at_trace, at_info = (visibility(kind, name, is_trace_seen=is_seen) for is_seen in (True, False))
    objects = Moves(object_codes(moves), from_state, to_state, is_done, is_startup)
    replayed = replay(objects, at_trace.explained, at_trace.complete)
    unseen = judged(from_state, replayed.previous_state, is_startup, at_info.explained, at_info.complete)
    is_gap_traced = is_traced & (replayed.previous_row != NONE) & is_traced[replayed.previous_row]
    continuity = np.where(has_term, np.where(is_gap_traced, replayed.continuity, unseen), UNKNOWN)
    is_grounded = has_term & ((continuity != UNKNOWN) | (replayed.previous_state != NONE))
    legal = legality_of(from_state, to_state, kind, name)
    rule = deciding_rule(moves, legal, is_grounded, continuity, from_state == to_state)
    found = {
        "is_legal_pair": pa.array(legal == LEGAL, mask=legal == UNDETERMINED),
        "continuity": pa.array(np.array(CONTINUITY, dtype=object)[continuity], type=pa.string()),
        "verdict": pa.array(VERDICT_OF_RULE[rule], type=pa.string()),
        "normal": pa.array(
            normal_labels(VERDICT_OF_RULE[rule], from_state, to_state, kind, name), type=pa.string()
        ),
        "certainty": pa.array(CERTAINTY_OF_RULE[rule], type=pa.string()),
    }
    is_own = ~mask(moves["is_earlier"])
    rests_on = np.where(RULE_RESTS_ON_PREVIOUS[rule], replayed.previous_row, NONE)
    schema, kept = to_arrow_schema(SPEC.struct), pa.array(is_own)
    found |= {field.name: moves[field.name] for field in schema if field.name not in JUDGED}
    rows = found if is_own.all() else {name: values.filter(kept) for name, values in found.items()}
    rows["evidence"] = evidence(moves, np.flatnonzero(is_own), rests_on[is_own])
    columns = [rows[field.name] for field in schema]
    return pa.table([c.cast(f.type) for c, f in zip(columns, schema, strict=True)], names=schema.names)


def machine_name(kind: str, moves: pa.Table) -> str | None:
    """The machine of the block; None while the release leaves several."""
    known = pc.unique(moves["replica_machine"]).drop_null().to_pylist()
    if len(KINDS[kind]) == 1:
        return KINDS[kind][0]
    return known[0] if len(known) == 1 else None


def state_codes(names: pa.ChunkedArray, kind: str) -> Int:
    """Position of each state in STATES[kind], UNREADABLE for any other name and for null."""
    codes = pc.index_in(names, value_set=pa.array(STATES[kind]))
    return np.asarray(pc.fill_null(codes, UNREADABLE), dtype=np.int64)


def object_codes(moves: pa.Table) -> Int:
    """One integer per (topic, partition, replica_id), from 0 without gaps."""
    codes = np.zeros(len(moves), dtype=np.int64)
    for name in ("topic", "partition", "replica_id"):
        values = moves[name].combine_chunks().dictionary_encode(null_encoding="encode").indices
        each = np.asarray(values, dtype=np.int64)
        codes = codes * (each.max(initial=0) + 1) + each
        codes = np.asarray(pa.array(codes).dictionary_encode().indices, dtype=np.int64)
    return codes


def legality_of(from_state: Int, to_state: Int, kind: str, name: str | None) -> NDArray[np.int8]:
    """LEGAL, ILLEGAL or UNDETERMINED per move; the last where the release or a state is unknown."""
    known = legality_for(kind, name)[from_state, to_state]
    return np.where((from_state < 0) | (to_state < 0), UNDETERMINED, known).astype(np.int8)


def deciding_rule(
    moves: pa.Table, legal: NDArray[np.int8], is_grounded: Bool, continuity: Int, is_same: Bool
) -> Int:
    """Per move the first line of PRECEDENCE that holds. Grounded: its term and its beginning are known."""
    is_done = mask(pc.equal(moves["outcome"], "done"))
    is_refusing = mask(pc.match_substring_regex(moves["exception_class"], REFUSING_EXCEPTION))
    says_so = is_refusing & mask(pc.match_substring(moves["exception_message"], REFUSING_MESSAGE))
    has_text = mask(pc.is_valid(moves["exception_message"])) | (
        mask(pc.is_valid(moves["exception_class"])) & ~is_refusing
    )
    is_cut = ~is_done & ~has_text & (legal != LEGAL)
    holds = (
        ~is_done & says_so,
        ~is_done & ~is_cut,
        is_done & (legal == ILLEGAL),
        (legal == UNDETERMINED) | ~is_grounded | is_cut,
        continuity == FIRST,
        (continuity == FOLLOWS) & is_same,
        continuity == FOLLOWS,
        continuity == HIDDEN,
        continuity == BROKEN,
        np.ones(len(moves), dtype=np.bool_),
    )
    rule: Int = np.argmax(np.stack(holds), axis=0)
    return rule


def normal_labels(
    verdict: NDArray[np.object_], from_state: Int, to_state: Int, kind: str, name: str | None
) -> NDArray[np.object_]:
    """The label of normal_moves.tsv per move, None where nothing calls it normal."""
    replica_machine = (name or UNKNOWN_RELEASE) if kind == REPLICA else ""
    labels = np.full(len(verdict), None, dtype=object)
    for normal in normal_moves():
        if (normal.machine, normal.replica_machine) != (kind, replica_machine):
            continue
        is_pair = (from_state == STATES[kind].index(normal.from_state)) & (
            to_state == STATES[kind].index(normal.to_state)
        )
        labels[is_pair & (verdict == normal.verdict)] = normal.label
    return labels


def evidence(moves: pa.Table, own_row: Int, previous_row: Int) -> pa.ListArray:
    """Per move of `own_row` its record, then that of `previous_row`; -1 where the verdict does not rest on one."""
    has_previous = previous_row != NONE
    offsets = np.concatenate([[0], np.cumsum(1 + has_previous)])
    rows = np.repeat(own_row, 1 + has_previous)
    rows[offsets[1:][has_previous] - 1] = previous_row[has_previous]
    kind = to_arrow_schema(SPEC.struct).field("evidence").type
    records = [moves[field.name].combine_chunks().take(pa.array(rows)) for field in kind.value_type]
    values = pa.StructArray.from_arrays(records, fields=list(kind.value_type))
    return pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), values, type=kind)


def mask(values: pa.ChunkedArray) -> Bool:
    """Arrow truth values as NumPy; null is false."""
    return np.asarray(pc.fill_null(values, fill_value=False), dtype=np.bool_)
