"""What a kernel takes, by the name of its parameter: tables, settings, and what was before the day it begins at."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import polars as pl
from polars import col

from jobs.engine.incremental import kernel_settings
from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.records import RunRecords
from pipeline.catalog.kernels import PARTIALS
from pipeline.catalog.tables import BY_SHORT_NAME, CARRIED, EXTRACTS, CatalogTable, Refresh
from pipeline.core.conditions import Condition, IsNull, column_since
from pipeline.core.incremental import CarriedState
from pipeline.core.span import Span
from pipeline.model.metadata.stretches import first_offset_since
from schemas.bronze import metadata_part, metadata_record, source_file
from schemas.gold import finding

A_DAY = timedelta(days=1)


class KernelInputs:
    """The inputs of one run's kernels. partials: by partial_key() those that are made already."""

    def __init__(self, night: Night, at_hand: AtHand, records: RunRecords) -> None:
        self.night, self.at_hand, self.records = night, at_hand, records
        self.taken: dict[str, pl.DataFrame] = {}
        self.partials: dict[str, pl.DataFrame] = {}

    def of(self, table: CatalogTable, span: Span) -> dict[str, Any]:
        """By parameter what the table's kernel takes; span: the time of its inputs, of one that is built whole of those
        that are taken by days."""
        made: dict[str, pl.DataFrame] = {}
        return {name: self.parameter_of(table, name, span, made) for name in table.parameters}

    def parameter_of(
        self, table: CatalogTable, name: str, span: Span, made: dict[str, pl.DataFrame] | None = None
    ) -> Any:
        """made: partials of this table that another parameter took."""
        if name not in PARTIALS:
            return self.input_of(table, name, span)
        if (key := self.partial_key(table, name)) in self.partials:
            return self.partials[key]
        made = {} if made is None else made
        if name not in made:
            partial = PARTIALS[name]
            given = {one: self.parameter_of(table, one, span, made) for one in partial.inputs}
            made[name] = partial.build(**given)
        return made[name]

    def partial_key(self, table: CatalogTable, name: str) -> str:
        """Where a run builds tables by days, each takes partials of its own days."""
        return f"{name} of {table.spec.table}" if self.night.fresh else name

    def input_of(self, table: CatalogTable, name: str, span: Span) -> Any:
        begin = span.begin
        special = {
            "span": lambda: span,
            "published_finding": lambda: self.at_hand.stored(finding.SPEC),
            "reported_finding": self.reported_finding,
            "data_end": self.data_end,
            source_file.SPEC.table: self.at_hand.source_files,
        }
        if name in special:
            return special[name]()
        if name == metadata_record.SPEC.table:
            return self.metadata_records(begin)
        if name in EXTRACTS:
            return self.records.extract(EXTRACTS[name], table, begin)
        if name in CARRIED:
            return self.carried(table, CARRIED[name], span)
        if name in BY_SHORT_NAME:
            return self.rows(table, BY_SHORT_NAME[name], begin)
        return getattr(kernel_settings, name)(self.night.settings, self.night.cluster_id)

    def carried(self, table: CatalogTable, state: CarriedState, span: Span) -> pl.DataFrame:
        if span.begin is None:
            return state.nothing
        given = {name: self.parameter_of(table, name, span) for name in state.inputs}
        return state.read(self.at_hand, span.begin, **given)

    def metadata_records(self, begin: datetime | None) -> pl.DataFrame:
        """bronze.metadata_record from the first offset on that may be of the time since `begin`, and snapshots that
        end there or later."""
        if begin is None:
            return self.at_hand.stored(metadata_record.SPEC)
        first = first_offset_since(self.at_hand.stored(metadata_part.SPEC), begin)
        of_log = column_since("record_offset", first) & IsNull("snapshot_offset")
        return self.at_hand.stored(metadata_record.SPEC, of_log | column_since("snapshot_offset", first))

    def reported_finding(self) -> pl.DataFrame:
        """gold.finding as published, without what only an earlier span of a backfill has found: no screen told it."""
        found = self.at_hand.stored(finding.SPEC)
        return found.filter(col("status") != "new") if self.night.goes_on else found

    def data_end(self) -> pl.DataFrame:
        """(cluster_id, until_at): the time of the last line of all."""
        files = self.at_hand.source_files()
        return files.group_by("cluster_id").agg(until_at=col("last_logged_at").max())

    def rows(self, table: CatalogTable, asked: CatalogTable, begin: datetime | None) -> pl.DataFrame:
        if asked.incremental.taken is not None:
            return self.as_taken(asked, asked.incremental.taken)
        since, name = rows_since(table, asked, begin), asked.spec.table
        if since is not None:
            return self.at_hand.since(name, since)
        return self.at_hand.whole(name, self.counting(table, name))

    def counting(self, table: CatalogTable, name: str) -> Condition | None:
        """Which rows of earlier runs count for a table that takes another one whole; None: all."""
        found = table.incremental.counting.get(name)
        return None if found is None else found(self.at_hand)

    def as_taken(self, asked: CatalogTable, taken: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
        """All rows of a table of which kernels take other rows than are stored: made once in a run."""
        name = asked.spec.name
        if name not in self.taken:
            self.taken[name] = taken(self.at_hand.whole(asked.spec.table))
        return self.taken[name]


def rows_since(table: CatalogTable, asked: CatalogTable, begin: datetime | None) -> datetime | None:
    """From when on a table takes rows of another one, where its inputs begin at that time; None: all of them."""
    declared = asked.incremental
    is_whole = declared.is_taken_whole or asked.refresh not in (Refresh.APPEND, Refresh.INCREMENTAL)
    is_by_days = declared.is_taken_by_days or table.incremental.lookback_days is not None
    if begin is None or is_whole or not is_by_days:
        return None
    return begin - A_DAY if declared.is_taken_by_days else begin
