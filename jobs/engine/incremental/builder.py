"""Builds the tables of a run: kernels in the order of their wiring in the driver, their rows stored side by side."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from datetime import datetime

import polars as pl
import pyarrow as pa

from jobs.engine.incremental.at_hand import AtHand, Built
from jobs.engine.incremental.kernel_inputs import KernelInputs
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.records import RunRecords
from jobs.engine.incremental.shard_rows import Judge, judge_nothing
from jobs.engine.incremental.shards import Shards
from jobs.engine.incremental.starts import BuildDays, Starts
from pipeline.catalog.tables import BY_NAME, RECORDS, CatalogTable, Refresh
from pipeline.core.conditions import column_reaching
from pipeline.core.frames import declared_table, frame_of
from schemas.bronze import file_sighting
from schemas.spec import TableSpec

AT_ONCE = 4
Sift = Callable[[TableSpec, pa.Table], pa.Table]


class Builder:
    """The building of one run; `sift` hears of each table and its rows, and gives those that are written of it;
    `judge` hears of those whose rows executors hold and have sifted."""

    def __init__(self, night: Night, sift: Sift, judge: Judge = judge_nothing) -> None:
        self.night, self.sift = night, sift
        self.at_hand = AtHand(night)
        self.starts = Starts(night, self.at_hand)
        self.records = RunRecords(night, self.at_hand)
        self.inputs = KernelInputs(night, self.at_hand, self.records)
        self.shards = Shards(night, self.at_hand, self.records, self.inputs, self.starts, judge)

    def build(self, tables: Sequence[CatalogTable], sightings: pa.Table | None = None) -> None:
        """Runs the kernels and stores what they give. sightings: new rows of bronze.file_sighting, which kernels see.

        What a write raises is raised once those that had begun are through; no other table is built then.
        """
        self.records.tables = self.shards.tables = tables
        try:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                self.build_all(tables, sightings, pool)
        finally:
            self.shards.release()
            self.records.release()

    def build_all(
        self, tables: Sequence[CatalogTable], sightings: pa.Table | None, pool: ThreadPoolExecutor
    ) -> None:
        writes: list[Future[None]] = []
        if sightings is not None:
            self.at_hand.note(file_sighting.SPEC, Built(frame_of(sightings), is_all=False))
            self.sift(file_sighting.SPEC, sightings)
            writes.append(pool.submit(self.night.tables.append, file_sighting.SPEC, sightings))
        for place, table in enumerate(tables):
            writes.extend(pool.submit(self.shards.store, one) for one in self.shards.prepare(table))
            rows = None if self.shards.takes(table) else self.built(table)
            if not any(RECORDS.intersection(one.inputs) for one in tables[place + 1 :]):
                self.records.forget()
            if rows is not None and not self.brings_nothing(table, rows):
                writes.append(pool.submit(self.store, table, rows))
            raise_first(write for write in writes if write.done())
        writes.extend(pool.submit(self.shards.store, one) for one in self.shards.finish())
        wait(writes, return_when=FIRST_EXCEPTION)
        raise_first(writes)

    def built(self, table: CatalogTable) -> pa.Table | None:
        """The rows of a table that this run stores; None: what it brings leaves the table as it is."""
        days = self.shards.days_of(table)
        if days is None:
            return None
        rows, start = self.kernel_rows(table, days)
        given = declared_table(rows, table.spec)
        found = given if self.brings_nothing(table, given) else self.sift(table.spec, given)
        if found is not given:
            self.records.sifted.add(table.spec.name)
        is_all = start is None and not self.night.is_appended(table)
        self.at_hand.note(table.spec, Built(frame_of(found), is_all, start))
        return found

    def brings_nothing(self, table: CatalogTable, rows: pa.Table) -> bool:
        """True if the lines of the run give no rows of a table that grows by segments."""
        is_added = self.night.is_appended(table) or table.spec.name not in self.at_hand.stored_names
        return table.refresh is Refresh.APPEND and is_added and not rows.num_rows

    def kernel_rows(self, table: CatalogTable, days: BuildDays) -> tuple[pl.DataFrame, datetime | None]:
        """What the kernel gives, and the start that these rows reach: a day before which it tells nothing else than
        what is stored."""
        if table.build is None:
            raise TypeError(f"{table.spec.name} has no build")
        if table.refresh is Refresh.APPEND:
            return self.records.of_table(table), days.start
        given = self.inputs.of(table, days.inputs)
        rows = table.build(**given)
        if earlier := self.starts.earlier_days(table, days, rows, given):
            return self.kernel_rows(table, earlier)
        if days.start is None:
            return rows, None
        return rows.filter(column_reaching(table.incremental.ordered_by, days.start).polars()), days.start

    def store(self, table: CatalogTable, rows: pa.Table) -> None:
        """Appends the rows, or puts them in place of those that they follow."""
        spec, start, tables = table.spec, self.at_hand.built[table.spec.name].since, self.night.tables
        is_added = spec.name not in self.at_hand.stored_names or self.night.is_appended(table)
        if self.records.is_written_there(table, rows):
            self.records.packed(self.records.condition(table)).write(spec, is_added=is_added)
        elif is_added:
            if rows.num_rows:
                tables.append(spec, rows)
        elif start is None:
            tables.replace(spec, rows)
        else:
            tables.replace_from(spec, rows, table.incremental.ordered_by, start)


def raise_first(writes: Iterable[Future[None]]) -> None:
    for write in writes:
        write.result()


def tables_to_build(names: Sequence[str], fresh: frozenset[str], *, has_segments: bool) -> list[CatalogTable]:
    """Of the tables of a job those that change: all if there are segments, else those that are not fresh."""
    return [BY_NAME[name] for name in names if has_segments or name not in fresh]
