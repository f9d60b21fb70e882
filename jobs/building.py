"""Builds the tables of a run in the order of their wiring, side by side where they do not wait for one another."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jobs.balancing import with_limits
from jobs.before import first_begin, reaching
from jobs.cutting import Cut, end_of, find_cut
from jobs.day_of_cut import changed_terms_at, with_day
from jobs.inputs import Inputs
from jobs.settings import Settings
from jobs.steps import Step, in_order
from pipeline.bronze.duplicate_record import without
from pipeline.catalog.tables import (
    BY_NAME,
    BY_SHORT_NAME,
    CUT,
    LASTING,
    LIMITS,
    SUMMARY,
    Refresh,
    Table,
)
from pipeline.store.rows import collect_rows
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import duplicate_record, log_record, source_file
from schemas.gold import replay_summary
from schemas.silver import (
    broker_setting,
    controller_line,
    term,
)
from schemas.spec import TableSpec

AT_ONCE = 4
DAY, TERMS = "day of the cut", "terms of before"


class Builder:
    """Writes tables of one cluster under its lock.

    before: the highest load_seq of earlier runs. derived: segments of theirs that are derived anew beside the new
    ones. gone: rows of bronze.source_file of those that others replace. fresh: tables that hold what follows from all
    rows up to `before`; the others are built from everything.
    Inputs are read at their heads, which under the lock are this run's own: Delta has the snapshot of a head
    at hand, that of a named version costs some jobs each.
    """

    def __init__(
        self,
        store: ClusterWarehouse,
        settings: Settings,
        run_id: str,
        versions: dict[str, int],
        *,
        before: int,
        fresh: frozenset[str],
    ) -> None:
        self.store, self.settings, self.run_id = store, settings, run_id
        self.versions, self.before, self.fresh = versions, before, fresh
        self.versions_before = dict(versions)
        self.derived: frozenset[int] = frozenset()
        self.gone: DataFrame | None = None
        self.events: frozenset[str] | None = None
        self.cut = Cut()
        self.changed_at: datetime | None = None
        self.inputs = Inputs(store, settings, self.versions_before)

    def write(self, spec: TableSpec, rows: DataFrame) -> None:
        """Adds rows."""
        self.store.delta.append(spec, rows, self.run_id)
        self.note_version(spec)

    def replace(self, spec: TableSpec, rows: DataFrame) -> None:
        """Puts rows in place of all there are."""
        self.store.delta.overwrite(spec, rows, self.run_id)
        self.note_version(spec)

    def note_version(self, spec: TableSpec) -> None:
        self.versions[spec.name] = int(self.store.delta.head(spec) or 0)

    def rows_of_run(self, spec: TableSpec) -> DataFrame:
        """The rows of the segments that this run loads or derives anew."""
        return self.of_run(self.store.delta.read(spec))

    def of_run(self, rows: DataFrame) -> DataFrame:
        """Those of the rows that belong to segments which this run loads or derives anew."""
        return rows.where(self.is_of_run()) if self.before else rows

    def is_of_run(self) -> Column:
        return (F.col("load_seq") > self.before) | F.col("load_seq").isin(*self.derived)

    def segments(self) -> DataFrame:
        """All of bronze.source_file and those that were taken out, with status: old, new or gone."""
        status = F.when(self.is_of_run(), "new").otherwise("old")
        stored = self.store.delta.read(source_file.SPEC).withColumn("status", status)
        return (
            stored if self.gone is None else stored.unionByName(self.gone.withColumn("status", F.lit("gone")))
        )

    def counting(self, kept: Callable[[DataFrame], DataFrame] | None = None) -> DataFrame:
        """The records without those that another file brought before. kept: those of some segments; None: all."""
        read = self.store.delta.read
        records = read(log_record.SPEC)
        if kept is not None:
            records = kept(records)
        if not self.versions.get(duplicate_record.SPEC.name):
            return records
        twice = read(duplicate_record.SPEC)
        # Of an archive that was delivered twice there is a row for each record: that is not for every process.
        return without(records, twice if kept is None else F.broadcast(kept(twice)))

    def build(
        self, tables: Sequence[Table], first: Sequence[Callable[[], None]], done: Callable[[TableSpec], None]
    ) -> None:
        """Runs `first` and the builds, each when those that it waits for are through; `done` hears of each table.

        `first`: acts that write file_sighting; tables that are not built by segments wait for them.
        """
        sightings = [Step(f"first {number}", act) for number, act in enumerate(first)]
        steps = list(sightings)
        if any(CUT in table.inputs for table in tables):
            awaited = frozenset({term.SPEC.table, broker_setting.SPEC.table})
            steps.append(Step(CUT, self.find_cut, awaited))
        if any(table.days_before is not None for table in tables):
            steps.append(Step(TERMS, self.compare_terms, frozenset({term.SPEC.table})))
            steps.append(Step(DAY, self.find_day, frozenset({TERMS, controller_line.SPEC.table})))
        for table in tables:
            needed = set(table.inputs)
            if table.refresh is not Refresh.SEGMENTS:
                needed |= {one.name for one in sightings}
            if table.days_before is not None:
                needed.add(DAY)
            steps.append(Step(table.spec.table, partial(self.build_one, table, done), frozenset(needed)))
        in_order(steps, AT_ONCE)

    def build_one(self, table: Table, done: Callable[[TableSpec], None]) -> None:
        spec = table.spec
        if self.is_untouched(table):
            return
        rows, cut = self.built(table), self.cut_of(table)
        is_appended = spec.name in self.fresh and table.refresh is Refresh.SEGMENTS
        if not self.versions[spec.name] or is_appended:
            self.write(spec, rows)
        elif cut is not None:
            self.store.delta.replace_tail(spec, rows, table.ordered_by, cut, self.run_id)
            self.note_version(spec)
        else:
            self.replace(spec, rows)
        done(spec)

    def note_events(self) -> None:
        """Looks which events the lines of the run have: of most families a small night brings none."""
        rows = self.rows_of_run(log_record.SPEC).where("event IS NOT NULL").select("event").distinct()
        self.events = frozenset(row["event"] for row in collect_rows(rows))

    def is_untouched(self, table: Table) -> bool:
        """Whether what the run brings leaves the table as it is."""
        is_fresh = table.spec.name in self.fresh
        if table.refresh is Refresh.TAIL:
            return is_fresh and not self.cut.has_lines and LIMITS not in table.inputs
        is_about_run = table.refresh is Refresh.SEGMENTS and (is_fresh or not self.before)
        return is_about_run and self.events is not None and not table.takes(self.events)

    def find_cut(self) -> None:
        """The cut of this run; none where the lines of controllers are to be built from everything."""
        if controller_line.SPEC.name in self.fresh:
            delta = self.store.delta
            terms_before = self.inputs.at_hand(term.SPEC, self.versions_before[term.SPEC.name])
            new = self.counting(self.of_run)
            if self.derived:  # what they leave out now may have counted
                derived = self.rows_of_run(log_record.SPEC).where(F.col("load_seq") <= self.before)
                new = new.unionByName(derived)
            self.cut = find_cut(new, self.segments(), self.inputs.at_hand(term.SPEC), terms_before)
            self.cut = with_limits(self.cut, delta.read, self.versions_before, self.versions)
            if not self.cut.has_lines:
                self.cut = replace(self.cut, at=end_of(delta.read(source_file.SPEC)))

    def compare_terms(self) -> None:
        """What of the first day follows from terms alone, found while lines are built."""
        if controller_line.SPEC.name in self.fresh:
            terms_before = self.inputs.at_hand(term.SPEC, self.versions_before[term.SPEC.name])
            self.changed_at = changed_terms_at(self.inputs.at_hand(term.SPEC), terms_before)

    def find_day(self) -> None:
        """The first day that is judged anew; of no use where all days are."""
        if self.cut.at is None or not self.cut.has_lines:
            return
        read = self.store.delta.read
        tables = (read(spec) for spec in (controller_line.SPEC, replay_summary.SPEC))
        self.cut = with_day(self.cut, self.changed_at, self.inputs.at_hand(term.SPEC), *tables)

    def cut_of(self, table: Table) -> datetime | None:
        """Where the rows begin that the run builds of a table; None: all of them, or those of segments."""
        carries_on = SUMMARY not in table.inputs or replay_summary.SPEC.name in self.fresh
        if table.refresh is not Refresh.TAIL or table.spec.name not in self.fresh or not carries_on:
            return None
        if table.days_before is None or self.cut.day_at is None:
            return self.cut.at
        return self.cut.day_at - timedelta(days=table.days_before)

    def built(self, table: Table) -> DataFrame:
        if table.build is None:
            raise TypeError(f"{table.spec.name} has no build")
        cut = self.begin_of(table)
        kept: Callable[[DataFrame], DataFrame] | None = None
        if cut is not None:
            kept = partial(self.inputs.of_segments, cut=cut)
        elif table.spec.name in self.fresh and table.refresh is Refresh.SEGMENTS and self.before:
            kept = self.of_run
        given: dict[str, Any] = {CUT: cut, log_record.SPEC.table: self.counting(kept)}
        inputs = {name: given[name] if name in given else self.inputs.of(name, cut) for name in table.inputs}
        if cut is not None and table.days_before is not None:
            inputs = {name: self.from_cut(name, rows, cut) for name, rows in inputs.items()}
        rows, kept_from = table.build(**inputs), self.cut_of(table)
        return rows if kept_from is None else rows.where(reaching(table.ordered_by, kept_from))

    def begin_of(self, table: Table) -> datetime | None:
        """Where its inputs begin: at the cut, with the terms that go on then or with its first row that does."""
        cut = self.cut_of(table)
        if cut is not None and table.begun_by:
            return first_begin(self.store.delta.read(table.spec), table.begun_by, table.ordered_by, cut)
        return cut if cut is None or not table.is_by_term else min(cut, self.cut.terms_at or cut)

    def from_cut(self, name: str, rows: Any, cut: datetime) -> Any:
        """Of an input of a table that is built by days what may be of the days from the cut on."""
        table = BY_SHORT_NAME.get(name)
        if table is None or name in LASTING or table.refresh not in (Refresh.SEGMENTS, Refresh.TAIL):
            return rows
        ordered_by = table.ordered_by if table.refresh is Refresh.TAIL else None
        return self.inputs.from_cut(table.spec, rows, ordered_by, cut)


def tables_to_build(names: Sequence[str], fresh: frozenset[str], *, has_segments: bool) -> list[Table]:
    """Of the tables of a job those that change: all if there are segments, else those that are not fresh."""
    return [BY_NAME[name] for name in names if has_segments or name not in fresh]
