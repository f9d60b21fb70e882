"""What the kernels of one pass over the shards take: what is parted by topic, and what each shard is handed."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import polars as pl

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.kernel_inputs import KernelInputs, rows_since
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.pass_asks import PassAsks
from jobs.engine.incremental.records import RunRecords
from pipeline.catalog.kernels import PARTIALS
from pipeline.catalog.tables import BY_SHORT_NAME, CARRIED, LINES_BY_DAYS, CatalogTable
from pipeline.core.conditions import Condition, all_conditions, column_before
from pipeline.core.executors import PackedRows
from pipeline.core.frames import arrow_of_frame, empty_frame, frame_of
from pipeline.core.packed_rows import NO_SHARD, TOPIC, Pack, packs_of
from pipeline.core.shard_steps import LONE_SHARD, ShardInputs, StepInput
from pipeline.core.shards import Parts, lines_by_shard, rows_by_shard
from pipeline.core.span import Span
from schemas.spec import TableSpec

OF_LINES = frozenset(one.spec.table for one in LINES_BY_DAYS)
LINES_AT_ONCE = 200_000


@dataclass(frozen=True)
class SplitLines:
    """Rows of lines, from a time on or all. unnamed: those that name no topic; packs: the others, in the shards of the
    topics that they name; None: there are none."""

    since: datetime | None
    unnamed: pl.DataFrame
    packs: PackedRows | None


@dataclass(frozen=True)
class StoredRows:
    """Who holds, under which name, what is stored of a table from a time on, or all, up to where the run builds it; of
    the time before it the rows that count."""

    name: str
    since: datetime | None
    until: datetime | None
    counting: Condition | None
    packs: PackedRows

    def serves(self, since: datetime | None, until: datetime | None, counting: Condition | None) -> bool:
        has_counting = self.since is None or counting in {None, self.counting}
        return reaches(self.since, since) and self.until == until and has_counting


@dataclass(frozen=True)
class KeptPartial:
    """Who holds the rows of a partial by topic, and its columns without rows."""

    packs: PackedRows
    nothing: pl.DataFrame


class PartedInputs:
    """Of one run. there: by short name who holds the rows that it built of a table; of_no_topic: those of them that are
    of no topic; split: lines by key; kept: by key partials that stay in shards; passes: what is held until it ends."""

    def __init__(self, night: Night, at_hand: AtHand, records: RunRecords, inputs: KernelInputs) -> None:
        self.night, self.at_hand, self.records, self.inputs = night, at_hand, records, inputs
        self.there: dict[str, PackedRows] = {}
        self.of_no_topic: dict[str, pl.DataFrame] = {}
        self.split: dict[str, SplitLines] = {}
        self.kept: dict[str, KeptPartial] = {}
        self.stored: dict[str, StoredRows] = {}
        self.passes: list[PackedRows] = []

    def taken(self, asks: PassAsks, table: CatalogTable, name: str, span: Span) -> StepInput:
        """What a step of a table takes by a name, whose inputs are of that time; notes it in what the pass asks for."""
        if name in PARTIALS:
            key = self.inputs.partial_key(table, name)
            asks.partials[key] = name
            return StepInput(key)
        its = BY_SHORT_NAME.get(name)
        since = None if its is None else rows_since(table, its, span.begin)
        if its is not None and (name in OF_LINES or self.records.is_parted(its)):
            asks.note(name, since, None if since else self.inputs.counting(table, name))
            return StepInput(name, None if since is None else self.at_hand.is_reaching(its, since))
        is_of_table = span.begin is not None if its is None else since is not None
        key = f"{name} of {table.spec.table}" if is_of_table else name
        values = asks.carried if name in CARRIED else asks.values
        values.setdefault(key, partial(self.inputs.input_of, table, name, span))
        return StepInput(key)

    def of(
        self, asks: PassAsks, made: Collection[str], starts: Mapping[str, datetime | None]
    ) -> tuple[ShardInputs, list[PackedRows]]:
        """What each shard is handed, and who holds what is parted. made: keys of what the pass itself gives; starts: of
        tables among it from when on it builds them."""
        given = {key: value() for key, value in asks.values.items()}
        names: dict[str, tuple[str, ...]] = {}
        carried, stored = self.carried_of(asks, given), self.stored_of(asks, starts)
        holders = [*([carried] if carried else []), *(one.packs for one in stored.values())]
        for key in asks.carried:
            names[key] = (key,)
        for name in set(asks.begins) - OF_LINES:
            spec, its = BY_SHORT_NAME[name].spec, stored.get(name)
            given[name] = self.small(spec, its)
            names[name] = (spec.name, *([its.name] if its else ()))
        for split, key in self.lines_of(asks, made, given):
            names[key] = (key,)
            holders += [split] if split else []
        inputs = ShardInputs.of(given, names)
        # What came of one pass may hold tables and partials: it is asked once.
        every = dict.fromkeys([*holders, *self.there.values()])
        asked = [one for one in every if any(one.count(name) for name in inputs.pack_names)]
        if not any(one.count_of_topics(name) for one in asked for name in inputs.pack_names):
            asked.append(self.records.executors.hold([LONE_SHARD], self.night.shards))
        return inputs, asked

    def carried_of(self, asks: PassAsks, given: dict[str, Any]) -> PackedRows | None:
        """States of topics in the shards of these; each shard is handed those of none."""
        packs: list[Pack] = []
        for key, value in asks.carried.items():
            rows = value()
            is_parted = TOPIC in rows.columns
            parts = dict(rows_by_shard(rows, self.night.shards)) if is_parted else {NO_SHARD: rows}
            given[key] = parts.pop(NO_SHARD, rows.clear())
            packs += packs_of_parts(key, parts.items())
        held = self.records.executors.hold(packs, self.night.shards) if packs else None
        self.passes += [held] if held else []
        return held

    def stored_of(self, asks: PassAsks, starts: Mapping[str, datetime | None]) -> dict[str, StoredRows]:
        """By name what is stored of the tables that are asked for, beside what the run builds of them: read once, and
        again where more of it is asked for."""
        asked: dict[str, tuple[str, TableSpec, Condition | None]] = {}
        needed: dict[str, tuple[datetime | None, datetime | None, Condition | None]] = {}
        for name in asks.begins:
            table, since = BY_SHORT_NAME[name], asks.since(name)
            held = self.at_hand.held.get(table.spec.name)
            is_all = held.is_all if held else name in starts and starts[name] is None
            if name in OF_LINES or is_all or table.spec.name not in self.at_hand.stored_names:
                continue
            start, counting = held.since if held else starts.get(name), asks.counting.get(name)
            if start is not None and since is not None and start <= since and counting is None:
                continue
            is_earlier = self.at_hand.is_earlier(table, held.since) if held else None
            if name in starts and start is not None:
                is_earlier = column_before(table.incremental.ordered_by, start)
            is_reaching = None if since is None else self.at_hand.is_reaching(table, since)
            if is_reaching is not None and counting is not None:
                is_reaching |= counting
            needed[name] = (since, start, counting)
            if name not in self.stored or not self.stored[name].serves(*needed[name]):
                # Of a table that is read again who holds it from before holds other tables, too.
                as_read = f"{table.spec.name}:stored {len(self.passes)}"
                asked[name] = (as_read, table.spec, all_conditions(is_earlier, is_reaching))
        if asked:
            packs = self.records.executors.stored(list(asked.values()), self.night.shards)
            self.passes.append(packs)
            self.stored |= {name: StoredRows(one[0], *needed[name], packs) for name, one in asked.items()}
        return {name: self.stored[name] for name in needed}

    def small(self, spec: TableSpec, stored: StoredRows | None) -> pl.DataFrame:
        """The rows of a table that are of no topic."""
        new = self.of_no_topic.get(spec.table, empty_frame(spec))
        rows = stored.packs.of_no_topic(stored.name) if stored else None
        return new if rows is None else pl.concat([frame_of(rows), new])

    def lines_of(
        self, asks: PassAsks, made: Collection[str], given: dict[str, Any]
    ) -> list[tuple[PackedRows | None, str]]:
        """Of what the driver has of lines, and of partials, those that name no topic are handed to each shard."""
        found = []
        for name in OF_LINES.intersection(asks.begins):
            since = asks.since(name)
            rows = (
                partial(self.at_hand.whole, name)
                if since is None
                else partial(self.at_hand.since, name, since)
            )
            found.append((self.lines(name, since, rows, given), name))
        for key, name in asks.partials.items():
            if key in made:
                continue
            if key in self.kept:
                given[key] = self.kept[key].nothing
                found.append((self.kept[key].packs, key))
                continue
            rows = partial(self.inputs.partials.__getitem__, key)
            if PARTIALS[name].is_by_line:
                found.append((self.lines(key, None, rows, given), key))
            else:
                given[key] = rows()
        return found

    def lines(
        self, key: str, since: datetime | None, rows: Callable[[], pl.DataFrame], given: dict[str, Any]
    ) -> PackedRows | None:
        split = self.split.get(key)
        if split is None or not reaches(split.since, since):
            split = self.split[key] = self.split_lines(key, since, rows())
        given[key] = split.unnamed
        return split.packs

    def split_lines(self, key: str, since: datetime | None, rows: pl.DataFrame) -> SplitLines:
        of_lines = self.records.line_shards
        if of_lines is None:
            return SplitLines(since, rows, None)
        # A slice at a time: the lines are millions in a large night, and placing them takes some times as much memory.
        unnamed, packs = [], list[Pack]()
        for some in rows.iter_slices(LINES_AT_ONCE):
            of_none, parts = lines_by_shard(some, of_lines)
            unnamed.append(of_none)
            packs += packs_of_parts(key, parts)
        held = self.records.executors.hold(packs, self.night.shards) if packs else None
        self.passes += [held] if held else []
        return SplitLines(since, pl.concat([rows.clear(), *unnamed]), held)


def reaches(since: datetime | None, asked: datetime | None) -> bool:
    """Whether rows since a time, None: all, are also those since another one."""
    return since is None or (asked is not None and since <= asked)


def packs_of_parts(name: str, parts: Parts) -> list[Pack]:
    return [pack for shard, part in parts for pack in packs_of(name, shard, arrow_of_frame(part))]
