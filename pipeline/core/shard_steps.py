"""Kernels of reach PARTITION, and partials, on one shard: the rows of some topics beside what is of no topic."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl
import pyarrow as pa

from pipeline.core.conditions import Condition, column_reaching
from pipeline.core.errors import ProgramFault
from pipeline.core.frames import arrow_of_frame, declared_table, frame_of
from pipeline.core.packed_rows import NO_SHARD, PACKED, TOPIC, Pack, ipc_bytes, packs_of
from pipeline.core.shards import judged_packs
from schemas.spec import TableSpec

CHANGED = ":changed"
# A shard without rows runs nothing. Where no topic is named at all this makes one, for what is of no topic.
LONE_SHARD: Pack = {"name": ":lone", "shard": 0, "row_count": 0, "rows": b""}
CHANGED_FROM = "changed_from"


@dataclass(frozen=True)
class StepInput:
    """What a step takes by one parameter: what every step knows by that key, of its rows those that meet the
    condition."""

    key: str
    among: Condition | None = None

    def of(self, known: Mapping[str, Any]) -> Any:
        return known[self.key] if self.among is None else known[self.key].filter(self.among.polars())


@dataclass(frozen=True)
class RowsFrom:
    """Of a table by days: from `start` on, by its column ordered_by, its rows are put in place of what is stored.
    changed_from: see Incremental.changed_from."""

    ordered_by: str
    start: datetime
    changed_from: Callable[[pl.DataFrame, Mapping[str, Any], datetime], datetime | None] | None = None

    def changed(self, rows: pl.DataFrame, given: Mapping[str, Any]) -> pl.DataFrame:
        """(CHANGED_FROM): one row, or none where nothing before the start changes."""
        at = None if self.changed_from is None else self.changed_from(rows, given, self.start)
        return pl.DataFrame({CHANGED_FROM: [] if at is None else [at]}, schema=CHANGES)

    def of(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.filter(column_reaching(self.ordered_by, self.start).polars())


CHANGES = {CHANGED_FROM: pl.Datetime("us", "UTC")}


@dataclass(frozen=True)
class ShardStep:
    """A kernel, or a partial (spec: None), as a shard runs it. key: what it gives is known by, and of a partial the
    name of its packs. rows_from: of a table of which a run replaces some days; None: all that it gives is taken.
    is_by_topic: of a partial whose rows stay in their shard. of_topics: parameters by which it takes rows of topics
    alone: what it gives of the others the driver makes."""

    key: str
    build: Callable[..., pl.DataFrame]
    parameters: Mapping[str, StepInput]
    spec: TableSpec | None = None
    rows_from: RowsFrom | None = None
    is_by_topic: bool = False
    of_topics: frozenset[str] = frozenset()

    def taken(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """By parameter what it takes of what is known by key."""
        return {name: one.of(known) for name, one in self.parameters.items()}

    def taken_in_shard(self, known: Mapping[str, Any]) -> dict[str, Any]:
        given = self.taken(known)
        return given | {name: given[name].filter(pl.col(TOPIC).is_not_null()) for name in self.of_topics}


@dataclass(frozen=True)
class ShardInputs:
    """What every shard is handed, by key. small: frames, as Arrow's stream: all that is not kept by topic, and of what
    is the rows of no topic, or none; shared: those of them that have rows. other: settings, spans. packs: of what is
    kept by topic the names of its packs."""

    small: Mapping[str, bytes]
    shared: frozenset[str]
    other: Mapping[str, Any]
    packs: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, given: Mapping[str, Any], packs: Mapping[str, tuple[str, ...]]) -> "ShardInputs":
        frames = {key: one for key, one in given.items() if isinstance(one, pl.DataFrame)}
        other = {key: one for key, one in given.items() if key not in frames}
        small = {key: ipc_bytes(arrow_of_frame(one)) for key, one in frames.items()}
        shared = frozenset(key for key, one in frames.items() if len(one))
        return cls(small, shared, other, packs)

    @property
    def pack_names(self) -> frozenset[str]:
        return frozenset({LONE_SHARD["name"], *(name for names in self.packs.values() for name in names)})

    def known(self, packs: Mapping[str, Sequence[bytes]]) -> dict[str, Any]:
        """What kernels take by key, with the rows of one shard. packs: by the name of packs."""
        known = dict(self.other)
        for key, small in self.small.items():
            its = [one for name in self.packs.get(key, ()) for one in packs.get(name, ())]
            known[key] = unpacked([small, *its] if key in self.shared or not its else its)
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
        some = packs_of_step(step, known, shard)
        if some:
            yield pa.RecordBatch.from_pylist(some, schema=PACKED)


def packs_of_step(step: ShardStep, known: dict[str, Any], shard: int) -> list[Pack]:
    """Runs it; what a table has is known to those behind it, beside what is stored of it."""
    given = step.taken_in_shard(known)
    rows = step.build(**given)
    if step.is_by_topic:
        known[step.key] = rows
    if step.spec is None:
        return packs_of(step.key, shard if step.is_by_topic else NO_SHARD, arrow_of_frame(rows))
    changed: list[Pack] = []
    if step.rows_from is not None:
        of_changes = step.rows_from.changed(rows, given)
        changed = packs_of(step.spec.name + CHANGED, NO_SHARD, arrow_of_frame(of_changes))
        rows = step.rows_from.of(rows)
    require_topics(step.spec, rows)
    judged = frame_of(declared_table(rows, step.spec))
    sound, some = judged_packs(step.spec, judged, lambda sound: [(shard, sound)])
    known[step.key] = pl.concat([known[step.key], sound]) if step.key in known else sound
    return changed + some


def require_topics(spec: TableSpec, rows: pl.DataFrame) -> None:
    """ProgramFault: a row is of no topic, so that each shard gives it."""
    if rows[TOPIC].null_count():
        raise ProgramFault(
            expected=f"rows of {spec.name} that are each of a topic",
            found=f"{rows[TOPIC].null_count()} rows of none, which each shard gives",
            todo="report it with the name of the table; nothing of this run is published",
        )
