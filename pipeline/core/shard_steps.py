"""Kernels of reach PARTITION, and partials, on one shard: the rows of some topics beside what is of no topic."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from pipeline.core.errors import ProgramFault
from pipeline.core.frames import arrow_of_frame, declared_table, frame_of
from pipeline.core.packed_rows import NO_SHARD, PACKED, TOPIC, ipc_bytes, packs_of
from pipeline.core.shards import judged_packs
from schemas.spec import TableSpec


@dataclass(frozen=True)
class ShardStep:
    """A kernel, or a partial (spec: None), as a shard runs it. parameters: names of what it takes."""

    name: str
    build: Callable[..., pl.DataFrame]
    parameters: tuple[str, ...]
    spec: TableSpec | None = None


@dataclass(frozen=True)
class ShardInputs:
    """What every shard is handed. small: frames by name, as Arrow's stream: all that is not kept by topic, and of what
    is the rows of no topic, or none. other: settings, span. packs: by the name of what is kept by topic that of its
    packs."""

    small: Mapping[str, bytes]
    other: Mapping[str, Any]
    packs: Mapping[str, str]

    @classmethod
    def of(cls, given: Mapping[str, Any], packs: Mapping[str, str]) -> "ShardInputs":
        frames = {name: one for name, one in given.items() if isinstance(one, pl.DataFrame)}
        other = {name: one for name, one in given.items() if name not in frames}
        small = {name: ipc_bytes(arrow_of_frame(one)) for name, one in frames.items()}
        return cls(small, other, packs)

    def known(self, packs: Mapping[str, Sequence[bytes]]) -> dict[str, Any]:
        """What kernels take by name, with the rows of one shard. packs: by the name of packs."""
        known = dict(self.other)
        for name, small in self.small.items():
            known[name] = unpacked([small, *packs.get(self.packs.get(name, ""), ())])
        return known


def unpacked(packs: Sequence[bytes]) -> pl.DataFrame:
    """The rows of packs of one table; none, too."""
    return pl.concat([frame_of(pa.ipc.open_stream(one).read_all()) for one in packs])


def pack_shard_rows(
    batches: Iterable[pa.RecordBatch], steps: Sequence[ShardStep], inputs: ShardInputs
) -> Iterator[pa.RecordBatch]:
    """Batches (PACKED) of what the steps give, in turn, of the packs of one shard; each takes what those before gave.
    batches: rows of PACKED, all of one shard; none of a shard without rows."""
    packs: dict[str, list[bytes]] = defaultdict(list)
    shards = set()
    for batch in batches:
        for row in batch.to_pylist():
            packs[row["name"]].append(row["rows"])
            shards.add(row["shard"])
    if not shards:
        return
    (shard,) = shards
    known = inputs.known(packs)
    packs.clear()
    for step in steps:
        rows = step.build(**{name: known[name] for name in step.parameters})
        if step.spec is None:
            some = packs_of(step.name, NO_SHARD, arrow_of_frame(rows))
        else:
            require_topics(step.spec, rows)
            judged = frame_of(declared_table(rows, step.spec))
            known[step.name], some = judged_packs(step.spec, judged, lambda sound: [(shard, sound)])
        if some:
            yield pa.RecordBatch.from_pylist(some, schema=PACKED)


def require_topics(spec: TableSpec, rows: pl.DataFrame) -> None:
    """ProgramFault: a row is of no topic, so that each shard gives it."""
    if rows[TOPIC].null_count():
        raise ProgramFault(
            expected=f"rows of {spec.name} that are each of a topic",
            found=f"{rows[TOPIC].null_count()} rows of none, which each shard gives",
            todo="report it with the name of the table; nothing of this run is published",
        )
