"""The tables of a run by topic: executors hold them in shards, and the driver what is small."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import chain

import polars as pl

from jobs.engine.incremental.at_hand import AtHand, Held
from jobs.engine.incremental.kernel_inputs import KernelInputs
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.pass_asks import PassAsks
from jobs.engine.incremental.records import RunRecords
from jobs.engine.incremental.shard_inputs import KeptPartial, PartedInputs
from jobs.engine.incremental.shard_rows import (
    NO_BROKEN,
    Judge,
    NoRows,
    packed_topics,
    partials_behind,
    rows_or,
    table_rows,
)
from jobs.engine.incremental.starts import BuildDays, Starts
from pipeline.catalog.kernels import PARTIALS
from pipeline.catalog.tables import BY_SHORT_NAME, CARRIED, CatalogTable
from pipeline.core.executors import PackedRows
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.incremental import begin_of_day, first_time
from pipeline.core.partial import Partial
from pipeline.core.reach import Reach
from pipeline.core.shard_steps import CHANGED, CHANGED_FROM, RowsFrom, ShardStep
from pipeline.core.shards import BROKEN


class Shards:
    """Of one run. Kernels of reach PARTITION, and partials, wait until somebody asks for what they give; then all that
    can run does, in one pass over the shards.

    place: of the table that the driver is at, among those of the run: it has made those before it. days: by name those
    of tables that were asked for; None: nothing of a table changes.
    """

    def __init__(
        self,
        night: Night,
        at_hand: AtHand,
        records: RunRecords,
        inputs: KernelInputs,
        starts: Starts,
        judge: Judge,
    ) -> None:
        self.night, self.at_hand, self.records, self.inputs = night, at_hand, records, inputs
        self.starts, self.judge = starts, judge
        self.parted = PartedInputs(night, at_hand, records, inputs)
        self.tables: Sequence[CatalogTable] = ()
        self.place = 0
        self.days: dict[str, BuildDays | None] = {}
        self.partials = inputs.partials
        self.stored: set[str] = set()

    def takes(self, table: CatalogTable) -> bool:
        """True if executors hold the rows of this table."""
        return self.records.is_parted(table)

    def days_of(self, table: CatalogTable) -> BuildDays | None:
        """As Starts says: once in a run, as what is made in shards and in the driver has to be of the same days."""
        if table.spec.name not in self.days:
            self.days[table.spec.name] = self.starts.days_of(table)
        return self.days[table.spec.name]

    def prepare(self, table: CatalogTable) -> list[CatalogTable]:
        """Makes ready what the table is made of, in the driver or, once it is asked for, in shards. Tables whose rows
        are there now, to be stored."""
        if not self.night.shards:
            return []
        self.place = self.tables.index(table)
        self.forget()
        if self.records.is_by_topic(table):
            self.hold(table)
        elif not self.takes(table):
            while self.is_waiting_for(table) and self.days_of(table) is not None and self.run_next():
                pass
        return self.newly_held()

    def forget(self) -> None:
        """Lets go of partials that no table to come takes: those of lines are as many as these."""
        to_come = (
            one for place, one in enumerate(self.tables) if place >= self.place or self.is_waiting(one)
        )
        asked = {
            self.inputs.partial_key(one, name) for one in to_come for name in partials_behind(one.parameters)
        }
        for name in self.partials.keys() - asked:
            del self.partials[name]

    def finish(self) -> list[CatalogTable]:
        """Runs all that nobody asked for."""
        self.place = len(self.tables)
        while self.night.shards and self.run_next():
            pass
        return self.newly_held()

    def newly_held(self) -> list[CatalogTable]:
        found = [BY_SHORT_NAME[name] for name in self.parted.there if name not in self.stored]
        self.stored |= {one.spec.table for one in found}
        return found

    def store(self, table: CatalogTable) -> None:
        spec, held = table.spec, self.at_hand.held[table.spec.name]
        is_added = spec.name not in self.at_hand.stored_names or self.night.is_appended(table)
        if is_added or held.since is None:
            self.parted.there[spec.table].write(spec, is_added=is_added)
        else:
            self.parted.there[spec.table].write_from(spec, table.incremental.ordered_by, held.since)

    def hold(self, table: CatalogTable) -> None:
        """Rows of single records, by topic: executors have them already, but for those of no topic."""
        spec, packs = table.spec, self.records.packed(self.records.condition(table))
        self.parted.of_no_topic[spec.table] = rows_or(packs.of_no_topic(spec.name), empty_frame(spec))
        self.note(table, packs)

    def note(self, table: CatalogTable, packs: PackedRows) -> None:
        spec, days = table.spec, self.days.get(table.spec.name)
        self.parted.there[spec.table] = packs
        start = None if days is None else days.start
        is_all = start is None and not self.night.is_appended(table)
        topics = partial(packed_topics, packs, spec)
        self.at_hand.held[spec.name] = Held(partial(table_rows, packs, spec), topics, is_all, start)
        sound, left_out = packs.count(spec.name), packs.count(spec.name + BROKEN)
        if sound or left_out or table.reach is not Reach.ROW:
            self.judge(spec, rows_or(packs.named(spec.name + BROKEN), NO_BROKEN), left_out, sound)

    def run_next(self) -> bool:
        """A pass over the shards, if anything can run."""
        steps, asks = self.steps()
        if steps:
            self.run(steps, asks)
        return bool(steps)

    def is_waiting_for(self, table: CatalogTable) -> bool:
        """True if the driver cannot make it yet; nor while what comes before it may have days built anew."""
        waiting = [one for one in self.tables if self.is_waiting(one)]
        before = self.tables[: self.place]
        may_change = any(one.incremental.changed_from is not None and one in before for one in waiting)
        named = {one.spec.table for one in waiting}
        asked = self.partials_of(table)
        return may_change or bool(named.intersection(table.parameters)) or not asked <= self.partials.keys()

    def partials_of(self, table: CatalogTable) -> set[str]:
        return {self.inputs.partial_key(table, name) for name in table.parameters if name in PARTIALS}

    def is_waiting(self, table: CatalogTable) -> bool:
        is_skipped = table.spec.name in self.days and self.days[table.spec.name] is None
        return table.reach is Reach.PARTITION and table.spec.table not in self.parted.there and not is_skipped

    def is_known(self, table: CatalogTable, name: str, until_then: Collection[str]) -> bool:
        """True if a step of the table can take it: it is at hand, or a step before gives it."""
        if name in PARTIALS:
            key = self.inputs.partial_key(table, name)
            is_there = key in self.parted.kept or (PARTIALS[name].is_by_topic and key in until_then)
            return is_there or key in self.partials  # of all shards
        if name in CARRIED:
            # The driver reads it, before the pass begins.
            return all(self.is_known(table, one, ()) for one in self.carried_inputs(table, name))
        its = BY_SHORT_NAME.get(name)
        if its is None or its not in self.tables or name in self.parted.there or name in until_then:
            return True
        if self.takes(its):
            return its.reach is Reach.PARTITION and not self.is_waiting(its)
        return self.tables.index(its) < self.place

    def carried_inputs(self, table: CatalogTable, name: str) -> tuple[str, ...]:
        days = self.days_of(table)
        return () if days is None or days.inputs.begin is None else CARRIED[name].inputs

    def steps(self) -> tuple[dict[str, ShardStep], PassAsks]:
        """All that can run in shards, in the order of the wiring; partials that take nothing of topics are made.

        Nothing behind a table of which the pass may find that earlier days change.
        """
        steps: dict[str, ShardStep] = {}
        asks = PassAsks()
        for place, table in enumerate(self.tables):
            is_waiting = self.is_waiting(table)
            is_to_come = not self.takes(table) and place >= self.place and self.partials_of(table)
            if not (is_waiting or is_to_come) or self.days_of(table) is None:
                continue
            self.add_partials(table, steps, asks)
            if is_waiting and all(self.is_known(table, name, steps) for name in table.parameters):
                steps[table.spec.table] = self.kernel_step(table, asks)
            if is_waiting and self.rows_from(table) is not None and table.incremental.changed_from:
                break
        return steps, asks

    def add_partials(self, table: CatalogTable, steps: dict[str, ShardStep], asks: PassAsks) -> None:
        days = self.days_of(table)
        carried = (self.carried_inputs(table, name) for name in table.parameters if name in CARRIED)
        for name in partials_behind(chain(table.parameters, *carried)):
            made, key = PARTIALS[name], self.inputs.partial_key(table, name)
            is_ready = all(self.is_known(table, one, steps) for one in made.inputs)
            is_made = key in self.partials or key in self.parted.kept or key in steps
            if days is None or not is_ready or is_made:
                continue
            if self.is_of_driver(made):
                self.partials[key] = self.inputs.parameter_of(table, name, days.inputs)
            else:
                taken = {one: self.parted.taken(asks, table, one, days.inputs) for one in made.inputs}
                of_topics = self.tables_held(made) if made.is_apart else frozenset[str]()
                steps[key] = ShardStep(
                    key, made.build, taken, is_by_topic=made.is_by_topic, of_topics=of_topics
                )

    def kernel_step(self, table: CatalogTable, asks: PassAsks) -> ShardStep:
        days = self.days_of(table)
        if days is None or table.build is None:
            raise TypeError(f"{table.spec.name} is not built in this run")
        taken = {name: self.parted.taken(asks, table, name, days.inputs) for name in table.parameters}
        return ShardStep(table.spec.table, table.build, taken, table.spec, self.rows_from(table))

    def rows_from(self, table: CatalogTable) -> RowsFrom | None:
        days, incremental = self.days_of(table), table.incremental
        if days is None or days.start is None:
            return None
        return RowsFrom(incremental.ordered_by, days.start, incremental.changed_from)

    def is_of_driver(self, made: Partial) -> bool:
        """True if it takes nothing that executors hold: what other partials gave of all shards is the driver's."""
        partials = [PARTIALS[one] for one in made.inputs if one in PARTIALS]
        return not any(one.is_by_topic for one in partials) and not self.tables_held(made)

    def tables_held(self, made: Partial) -> frozenset[str]:
        """Of the tables that it takes those that executors hold, by short name."""
        return frozenset(
            one for one in made.inputs if one in BY_SHORT_NAME and self.takes(BY_SHORT_NAME[one])
        )

    def run(self, steps: Mapping[str, ShardStep], asks: PassAsks) -> None:
        tables = {key: BY_SHORT_NAME[key] for key, one in steps.items() if one.spec is not None}
        starts = {
            key: one.rows_from.start if one.rows_from else None for key, one in steps.items() if key in tables
        }
        inputs, (first, *more) = self.parted.of(asks, steps.keys(), starts)
        packs = first.run_shards(list(steps.values()), inputs, more)
        self.parted.passes.append(packs)
        nothing = NoRows(inputs)
        for key, step in steps.items():
            if step.is_by_topic:
                self.parted.kept[key] = KeptPartial(packs, nothing.of(step))
            elif step.spec is None:
                rows = rows_or(packs.named(key), nothing.of(step))
                self.partials[key] = pl.concat([nothing.apart(step), rows]) if step.of_topics else rows
            elif changes := packs.named(step.spec.name + CHANGED):
                self.build_earlier(tables[key], frame_of(changes))
            else:
                self.note(tables[key], packs)

    def build_earlier(self, table: CatalogTable, changes: pl.DataFrame) -> None:
        """Rows of the table say of the time before its start something else than is stored: it is built once more, from
        the first of these days on, and so is all that follows."""
        at = first_time(changes, CHANGED_FROM)
        self.starts.judged_from = None if at is None else begin_of_day(at)
        del self.days[table.spec.name]
        for name in partials_behind(table.parameters):
            for made in (self.partials, self.parted.kept):
                made.pop(self.inputs.partial_key(table, name), None)

    def release(self) -> None:
        """Lets go of what executors hold: what is asked for later is read as it was stored."""
        for packs in self.parted.passes:
            packs.release()
        for name in self.parted.there:
            self.at_hand.release(BY_SHORT_NAME[name].spec.name)
