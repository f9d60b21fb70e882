"""The tables of a first run by topic: executors hold them in shards, and the driver what is small."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.kernel_inputs import KernelInputs
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.records import RunRecords
from pipeline.catalog.kernels import PARTIALS
from pipeline.catalog.tables import BY_SHORT_NAME, LINES_BY_DAYS, CatalogTable, tables_behind
from pipeline.core.executors import PackedRows
from pipeline.core.frames import arrow_of_frame, empty_frame, frame_of
from pipeline.core.packed_rows import packs_of
from pipeline.core.partial import Partial
from pipeline.core.reach import Reach
from pipeline.core.shard_steps import ShardInputs, ShardStep, unpacked
from pipeline.core.shards import BROKEN, lines_by_shard
from pipeline.core.span import ALL_TIME
from schemas.spec import TableSpec

OF_LINES = frozenset(one.spec.table for one in LINES_BY_DAYS)
# Of the rows of a table that executors hold what breaks its promises (broken, row), how many are left out for it, and
# how many are not.
Judge = Callable[[TableSpec, pl.DataFrame, int, int], None]


class Shards:
    """Of one first run. Kernels of reach PARTITION, and partials, wait until somebody asks for what they give; then
    all that can run does, in one pass over the shards.

    there: by short name who holds the rows of a table; split: of lines that the driver has, parted by the topics that
    they name; partials: by name their rows, in the driver.
    """

    def __init__(
        self, night: Night, at_hand: AtHand, records: RunRecords, inputs: KernelInputs, judge: Judge
    ) -> None:
        self.night, self.at_hand, self.records, self.inputs = night, at_hand, records, inputs
        self.judge = judge
        self.tables: Sequence[CatalogTable] = ()
        self.there: dict[str, PackedRows] = {}
        self.of_no_topic: dict[str, pl.DataFrame] = {}
        self.partials = inputs.partials
        self.passes: list[PackedRows] = []
        self.split: dict[str, PackedRows] = {}
        self.stored: set[str] = set()

    def takes(self, table: CatalogTable) -> bool:
        """True if executors hold the rows of this table."""
        return bool(self.night.shards) and (self.records.is_by_topic(table) or table.reach is Reach.PARTITION)

    def prepare(self, table: CatalogTable) -> list[CatalogTable]:
        """Makes ready what the table is made of, in the driver or, once it is asked for, in shards. Tables whose rows
        are there now, to be stored."""
        if self.night.shards and self.takes(table) and self.records.is_by_topic(table):
            self.hold(table)
        elif self.night.shards and not self.takes(table):
            self.ready(table)
        return self.newly_held()

    def finish(self) -> list[CatalogTable]:
        """Runs all that nobody asked for."""
        while self.night.shards and (steps := self.steps()):
            self.run(steps)
        return self.newly_held()

    def newly_held(self) -> list[CatalogTable]:
        found = [BY_SHORT_NAME[name] for name in self.there if name not in self.stored]
        self.stored |= {one.spec.table for one in found}
        return found

    def store(self, table: CatalogTable) -> None:
        self.there[table.spec.table].write(table.spec, is_added=True)

    def hold(self, table: CatalogTable) -> None:
        """Rows of single records, by topic: executors have them already, but for those of no topic."""
        name, packs = table.spec.table, self.records.packed(table)
        self.of_no_topic[name] = frame_of(packs.of_no_topic(table.row_kernel))
        self.note(table, packs)

    def note(self, table: CatalogTable, packs: PackedRows) -> None:
        spec = table.spec
        self.there[spec.table] = packs
        self.at_hand.elsewhere[spec.name] = lambda: named_rows(packs, spec.name, empty_frame(spec))
        sound, left_out = packs.count(spec.name), packs.count(spec.name + BROKEN)
        if sound or left_out or table.reach is not Reach.ROW:
            self.judge(spec, named_rows(packs, spec.name + BROKEN, NO_BROKEN), left_out, sound)

    def ready(self, table: CatalogTable) -> None:
        """Runs what the kernel of a table takes and is not at hand."""
        while self.is_waiting_for(table) and (steps := self.steps()):
            self.run(steps)

    def is_waiting_for(self, table: CatalogTable) -> bool:
        waiting = {one.spec.table for one in self.tables if self.is_waiting(one)}
        missing = {one for one in table.parameters if one in PARTIALS and one not in self.partials}
        return bool(missing or waiting.intersection(table.parameters))

    def is_waiting(self, table: CatalogTable) -> bool:
        return table.reach is Reach.PARTITION and table.spec.table not in self.there

    def is_known(self, name: str, until_then: Collection[str]) -> bool:
        """True if a step can take it: it is at hand, or a step before gives it."""
        if name in PARTIALS:
            return name in self.partials
        of_run = [one.spec.name for one in self.tables if one.spec.table == name]
        is_here = all(one in self.at_hand.built for one in of_run)
        return is_here or name in until_then or name in self.there

    def steps(self) -> list[ShardStep]:
        """All that can run in shards, in the order of the wiring; partials that take nothing of topics are made."""
        steps: dict[str, ShardStep] = {}
        for table in self.tables:
            for name in partials_behind(table.parameters):
                partial = PARTIALS[name]
                is_ready = all(self.is_known(one, steps) for one in partial.inputs)
                if not is_ready or name in self.partials:
                    continue
                if self.is_of_driver(partial):
                    self.partials[name] = self.inputs.parameter_of(table, name, ALL_TIME)
                else:
                    steps[name] = ShardStep(name, partial.build, partial.inputs)
            is_ready = all(self.is_known(name, steps) for name in table.parameters)
            if self.is_waiting(table) and table.build is not None and is_ready:
                steps[table.spec.table] = ShardStep(
                    table.spec.table, table.build, table.parameters, table.spec
                )
        return list(steps.values())

    def is_of_driver(self, partial: Partial) -> bool:
        """True if it takes nothing that executors hold."""
        tables = [BY_SHORT_NAME[one] for one in tables_behind(partial.inputs) if one in BY_SHORT_NAME]
        return not any(one in self.tables and self.takes(one) for one in tables)

    def run(self, steps: Sequence[ShardStep]) -> None:
        inputs = self.inputs_of(steps)
        first, *more = dict.fromkeys([*self.there.values(), *self.split.values()])
        packs = first.run_shards(steps, inputs, more)
        self.passes.append(packs)
        for step in steps:
            if step.spec is not None:
                self.note(BY_SHORT_NAME[step.name], packs)
            else:
                nothing = step.build(**{name: of_none(inputs, name) for name in step.parameters}).clear()
                self.partials[step.name] = named_rows(packs, step.name, nothing)

    def inputs_of(self, steps: Sequence[ShardStep]) -> ShardInputs:
        given = {one.name for one in steps}
        asked = [
            name
            for name in dict.fromkeys(name for one in steps for name in one.parameters)
            if name not in given or name in PARTIALS
        ]
        self.split_lines(asked)
        packs = {name: BY_SHORT_NAME[name].spec.name for name in asked if name in self.there}
        packs |= {name: name for name in asked if name in self.split}
        return ShardInputs.of({name: self.small(name) for name in asked}, packs)

    def split_lines(self, names: Iterable[str]) -> None:
        """Lines that name topics go to the shards of these, once they are at hand."""
        executors, of_lines = self.night.executors, self.records.line_shards
        if executors is None or of_lines is None:
            return
        for name in names:
            if is_by_line(name) and name not in self.of_no_topic:
                rows = self.partials[name] if name in self.partials else self.at_hand.whole(name)
                self.of_no_topic[name], parts = lines_by_shard(rows, of_lines)
                packs = [
                    pack for shard, part in parts for pack in packs_of(name, shard, arrow_of_frame(part))
                ]
                if packs:
                    self.split[name] = executors.hold(packs, self.night.shards)

    def small(self, name: str) -> Any:
        """What every shard takes by this name: of what is kept by topic, the rows of none."""
        if name in self.of_no_topic:
            return self.of_no_topic[name]
        if name in self.there:
            return empty_frame(BY_SHORT_NAME[name].spec)
        if name in self.partials:
            return self.partials[name]
        # Of all time no table takes other rows than another.
        return self.inputs.input_of(self.tables[0], name, ALL_TIME)

    def release(self) -> None:
        """Lets go of what executors hold: what is asked for later is read as it was stored."""
        for packs in (*self.passes, *self.split.values()):
            packs.release()
        for name in self.there:
            self.at_hand.elsewhere[BY_SHORT_NAME[name].spec.name] = None


def judge_nothing(spec: TableSpec, broken: pl.DataFrame, left_out: int, sound: int) -> None:
    """Where no gate is."""


def partials_behind(names: Iterable[str]) -> Iterator[str]:
    """The partials among the names, each behind those that it takes."""
    for name in names:
        if name in PARTIALS:
            yield from partials_behind(PARTIALS[name].inputs)
            yield name


def is_by_line(name: str) -> bool:
    return name in OF_LINES or (name in PARTIALS and PARTIALS[name].is_by_line)


def of_none(inputs: ShardInputs, name: str) -> Any:
    """What a step takes by this name where nothing has rows."""
    if name in inputs.other:
        return inputs.other[name]
    if name in inputs.small:
        return unpacked([inputs.small[name]]).clear()
    return empty_frame(BY_SHORT_NAME[name].spec)


NO_BROKEN = pl.DataFrame(schema={"broken": pl.String, "row": pl.String})


def named_rows(packs: PackedRows, name: str, nothing: pl.DataFrame) -> pl.DataFrame:
    rows = packs.named(name)
    return nothing if rows is None else frame_of(rows)
