"""Simulated log files through the product's reader and its replay, terms given by the truth."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.gold.transition_audit.judging import WANTED
from tests.kafka.reading import read_table
from tests.replay.generated import TYPES, audited
from tests.replay.simulator.disk import files
from tests.replay.simulator.record import Line, Term, Thing

EVENTS = {
    "replica_transition": ("replica", "done"),
    "replica_transition_failed": ("replica", "failed"),
    "partition_transition": ("partition", "done"),
    "partition_transition_failed": ("partition", "failed"),
}
SAID = ("verdict", "normal", "from_state", "to_state", "outcome", "seq")


class Told(NamedTuple):
    """What the product says about one line; `seq` is its place in the state-change.log of its node."""

    thing: Thing
    term: Term
    verdict: str
    normal: str | None
    from_state: str
    to_state: str
    outcome: str
    seq: int

    @property
    def is_finding(self) -> bool:
        """What a person should look at."""
        return self.verdict in ("illegal", "discontinuity") or (self.verdict == "refused" and not self.normal)


def told(lines: Sequence[Line], replica_machine: str | None) -> list[Told]:
    """The audit of all lines, node by node, in the order of its file."""
    rows: list[Told] = []
    written = files(line for line in lines if line.log == "state-change")
    for (node, _), (data, offsets) in sorted(written.items()):
        of_node: list[Told] = []
        terms = [line.term for line in lines if (line.node, line.log) == (node, "state-change")]
        for term, block in blocks(node, data, offsets, terms, replica_machine):
            judged = audited(block)
            columns = [judged[name].to_pylist() for name in ("topic", "partition", "replica_id", *SAID)]
            of_node += [Told((a, b, c), term, *said) for a, b, c, *said in zip(*columns, strict=True)]
        rows += sorted(of_node, key=lambda row: row.seq)
    return rows


def blocks(
    node: int,
    data: bytes,
    offsets: np.typing.NDArray[np.int64],
    terms: list[Term],
    replica_machine: str | None,
) -> list[tuple[Term, pa.Table]]:
    """The moves of each term of one file, with the columns that the tables before the audit would add."""
    records = read_table(data, node_id=node, file_id=f"f{node}")
    moves = records.filter(pc.is_in(records["event"], pa.array(EVENTS)))
    places = np.searchsorted(offsets, moves["byte_offset"].to_numpy())
    known = list(dict.fromkeys(terms))
    codes = np.array([known.index(term) for term in terms], dtype=np.int64)[places]
    machine, outcome = zip(*(EVENTS[event] for event in moves["event"].to_pylist()), strict=True)
    columns = {
        "machine": pa.array(machine),
        "outcome": pa.array(outcome),
        "seq": pa.array(places),
        "term_id": pa.array([f"{life}-{epoch}" for life, epoch in known]).take(pa.array(codes)),
        "replica_machine": pa.repeat(pa.scalar(replica_machine, pa.string()), len(moves)),
        "cause": pa.nulls(len(moves), pa.string()),
        "trigger": pa.nulls(len(moves), pa.string()),
        "ordered_at": moves["logged_at"],
        "is_earlier": pa.repeat(pa.scalar(False), len(moves)),
    }
    whole = pa.table({name: columns[name] if name in columns else moves[name] for name in WANTED})
    whole = whole.cast(pa.schema([(name, TYPES[name]) for name in WANTED]))
    return [(term, whole.filter(pa.array(codes == code))) for code, term in enumerate(known)]
