"""Kernels of reach PARTITION, and partials, on one shard: the rows of some topics beside what is of no topic."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from pipeline.core.errors import PipelineError
from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.core.packed_rows import NO_SHARD, PACKED, TOPIC, ipc_bytes, packs_of
from pipeline.core.shards import judged_packs, sifted_rows
from schemas.spec import TableSpec


@dataclass(frozen=True)
class ShardStep:
    """A kernel, or a partial (spec: None), as a shard runs it. parameters: names of what it takes. A partial takes
    lines of controllers whole: what it counts by may follow from lines that name other topics."""

    name: str
    build: Callable[..., pl.DataFrame]
    parameters: tuple[str, ...]
    spec: TableSpec | None = None


@dataclass(frozen=True)
class ShardInputs:
    """What every shard is handed: small: by name tables that are not kept by topic, of those that are the rows of no
    topic, as Arrow's stream; other: settings, span. by_topic: tables whose rows come in packs; whole: of those that
    partials take whole all rows."""

    small: Mapping[str, bytes]
    other: Mapping[str, Any]
    by_topic: Sequence[TableSpec]
    whole: Mapping[str, bytes]

    @classmethod
    def of(
        cls, given: Mapping[str, Any], by_topic: Sequence[TableSpec], whole: Mapping[str, pl.DataFrame]
    ) -> "ShardInputs":
        frames = {name: one for name, one in given.items() if isinstance(one, pl.DataFrame)}
        other = {name: one for name, one in given.items() if name not in frames}
        return cls(packed_frames(frames), other, by_topic, packed_frames(whole))

    def known(self, packs: Mapping[str, Sequence[bytes]]) -> dict[str, Any]:
        """What kernels take by name, with the rows of one shard. packs: by name of the table."""
        known = dict(self.other) | {name: unpacked([one]) for name, one in self.small.items()}
        for spec in self.by_topic:
            parts = [known[spec.table]] if spec.table in known else []
            parts += [unpacked(packs[spec.name])] if packs.get(spec.name) else []
            known[spec.table] = pl.concat(parts) if parts else empty_frame(spec)
        return known


def packed_frames(frames: Mapping[str, pl.DataFrame]) -> dict[str, bytes]:
    return {
        name: ipc_bytes(one.to_arrow(compat_level=pl.CompatLevel.oldest())) for name, one in frames.items()
    }


def unpacked(packs: Sequence[bytes]) -> pl.DataFrame:
    """The rows of packs of one table; none, too."""
    return frame_of(pa.concat_tables(pa.ipc.open_stream(one).read_all() for one in packs))


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
    whole = {name: unpacked([one]) for name, one in inputs.whole.items()}
    for step in steps:
        taken = known if step.spec is not None else known | whole
        rows = step.build(**{name: taken[name] for name in step.parameters})
        if step.spec is None:
            some = packs_of(step.name, NO_SHARD, rows.to_arrow(compat_level=pl.CompatLevel.oldest()))
        else:
            known[step.name], broken = sifted_rows(step.spec, frame_of(declared_table(rows, step.spec)))
            some = judged_packs(
                step.spec, [(shard_of_rows(step.spec, known[step.name], shard), known[step.name])], broken
            )
        if some:
            yield pa.RecordBatch.from_pylist(some, schema=PACKED)


def shard_of_rows(spec: TableSpec, rows: pl.DataFrame, shard: int) -> int:
    """The shard, of which all rows have a topic: one of none would come from each shard."""
    if rows[TOPIC].null_count():
        raise PipelineError(
            expected=f"rows of {spec.name} that are each of a topic",
            found=f"{rows[TOPIC].null_count()} rows of none, which each shard gives",
            todo="report it with the name of the table; nothing of this run is published",
        )
    return shard
