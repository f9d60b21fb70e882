"""Builds the tables of a run in the order of their wiring, side by side where they do not wait for one another."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jobs.cutting import BEFORE, Cut, find_cut, lines_before, segments_at
from jobs.settings import Settings
from jobs.settings_frames import audit_limits, imbalance_limits, release_settings
from jobs.steps import Step, in_order
from pipeline.bronze.duplicate_record import without
from pipeline.catalog.tables import BY_NAME, BY_SHORT_NAME, CUT, Refresh, Table
from pipeline.store.rows import collect_one, collect_rows
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import duplicate_record, log_record, source_file
from schemas.gold import finding
from schemas.silver import controller_line, term
from schemas.spec import TableSpec

AT_ONCE = 4


class Builder:
    """Writes tables of one cluster under its lock.

    before: the highest load_seq of earlier runs. derived: segments of theirs that are derived anew beside the new
    ones. fresh: tables that hold what follows from all rows up to `before`; the others are built from everything.
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
        self.events: frozenset[str] | None = None
        self.cut = Cut()

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
        if not self.before:
            return rows
        return rows.where((F.col("load_seq") > self.before) | F.col("load_seq").isin(*self.derived))

    def counting(self, records: DataFrame) -> DataFrame:
        """The records without those that another file brought before."""
        if not self.versions.get(duplicate_record.SPEC.name):
            return records
        return without(records, self.store.delta.read(duplicate_record.SPEC))

    def build(
        self, tables: Sequence[Table], first: Sequence[Callable[[], None]], done: Callable[[TableSpec], None]
    ) -> None:
        """Runs `first` and the builds, each when those that it waits for are through; `done` hears of each table.

        `first`: acts that write file_sighting; tables that are not built by segments wait for them.
        """
        sightings = [Step(f"first {number}", act) for number, act in enumerate(first)]
        steps = list(sightings)
        if any(CUT in table.inputs for table in tables):
            steps.append(Step(CUT, self.find_cut, frozenset({term.SPEC.table})))
        for table in tables:
            awaited = set(table.inputs)
            if table.refresh is not Refresh.SEGMENTS:
                awaited |= {one.name for one in sightings}
            steps.append(Step(table.spec.table, partial(self.build_one, table, done), frozenset(awaited)))
        in_order(steps, AT_ONCE)

    def build_one(self, table: Table, done: Callable[[TableSpec], None]) -> None:
        spec = table.spec
        is_fresh = spec.name in self.fresh
        if self.is_untouched(table):
            return
        rows = self.built(table)
        if not self.versions[spec.name] or (is_fresh and table.refresh is Refresh.SEGMENTS):
            self.write(spec, rows)
        elif is_fresh and table.refresh is Refresh.TAIL and self.cut.at is not None:
            self.store.delta.replace_tail(spec, rows, table.ordered_by, self.cut.at, self.run_id)
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
            return is_fresh and not self.cut.has_lines
        is_about_run = table.refresh is Refresh.SEGMENTS and (is_fresh or not self.before)
        return is_about_run and self.events is not None and not table.takes(self.events)

    def find_cut(self) -> None:
        """The cut of this run; none where the lines of controllers are to be built from everything."""
        if controller_line.SPEC.name in self.fresh:
            delta = self.store.delta
            terms_before = delta.read(term.SPEC, self.versions_before[term.SPEC.name])
            new = self.counting(self.rows_of_run(log_record.SPEC))
            self.cut = find_cut(new, delta.read(term.SPEC), terms_before)

    def built(self, table: Table) -> DataFrame:
        if table.build is None:
            raise TypeError(f"{table.spec.name} has no build")
        is_fresh = table.spec.name in self.fresh
        cut = self.cut.at if is_fresh and table.refresh is Refresh.TAIL else None
        records = self.store.delta.read(log_record.SPEC)
        if is_fresh and table.refresh is Refresh.SEGMENTS:
            records = self.rows_of_run(log_record.SPEC)
        if cut is not None:
            records = self.records_at(cut)
        given: dict[str, Any] = {CUT: cut, log_record.SPEC.table: self.counting(records)}
        return table.build(
            **{name: given[name] if name in given else self.input(name, cut) for name in table.inputs}
        )

    def input(self, name: str, cut: datetime | None) -> DataFrame:
        store, settings = self.store, self.settings
        if name == "imbalance_limit":
            return imbalance_limits(store.spark, settings, store.cluster_id)
        if name == "audit_limit":
            return audit_limits(store.delta.read(source_file.SPEC), settings, store.cluster_id)
        if name == "release_setting":
            return release_settings(store.spark, settings, store.cluster_id)
        if name == "published_finding":
            return store.delta.read(finding.SPEC, self.versions_before.get(finding.SPEC.name, 0))
        if name == "line_before":
            return self.line_before(cut)
        return store.delta.read(BY_SHORT_NAME[name].spec)

    def records_at(self, cut: datetime) -> DataFrame:
        """The records of the segments that may hold lines from the cut on."""
        segments = segments_at(self.store.delta.read(source_file.SPEC), cut)
        least = collect_one(segments.agg(F.min("load_seq").alias("load_seq")))["load_seq"]
        records = self.store.delta.read(log_record.SPEC).where(F.col("load_seq") >= (least or 0))
        return records.join(F.broadcast(segments), on="load_seq", how="left_semi")

    def line_before(self, cut: datetime | None) -> DataFrame:
        delta = self.store.delta
        tables = [delta.read(spec) for spec in (controller_line.SPEC, term.SPEC, log_record.SPEC)]
        rows = [] if cut is None else lines_before(tables[0], tables[1], tables[2], cut)
        return self.store.spark.createDataFrame(rows, BEFORE)


def tables_to_build(names: Sequence[str], fresh: frozenset[str], *, has_segments: bool) -> list[Table]:
    """Of the tables of a job those that change: all if there are segments, else those that are not fresh."""
    return [BY_NAME[name] for name in names if has_segments or name not in fresh]
