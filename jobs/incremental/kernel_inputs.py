"""What a kernel takes, by the name of its parameter: tables, settings, and what was before the day it begins at."""

from datetime import datetime
from typing import Any

import polars as pl
from polars import col

from jobs.incremental import kernel_settings
from jobs.incremental.at_hand import AtHand
from jobs.incremental.carried_state import STATES, carried
from jobs.incremental.night import NOT_WHOLE, SAID, Night
from pipeline.catalog.tables import BY_SHORT_NAME, LASTING, Refresh, Table
from pipeline.core.conditions import Condition, is_in
from pipeline.core.frames import frame_of
from schemas.bronze import duplicate_record, log_record, source_file
from schemas.gold import finding

RECORD = ("file_id", "byte_offset")


class KernelInputs:
    """The inputs of one run's kernels. What is read of records is kept: many tables take it."""

    def __init__(self, night: Night, at_hand: AtHand) -> None:
        self.night, self.at_hand = night, at_hand
        self.records_of_run: pl.DataFrame | None = None

    def of(self, table: Table, begin: datetime | None) -> dict[str, Any]:
        """By parameter what the table's kernel takes; begin: where its inputs begin, None: with everything."""
        return {name: self.given(table, name, begin) for name in table.inputs}

    def given(self, table: Table, name: str, begin: datetime | None) -> Any:
        special = {
            "dirty_from": lambda: begin,
            "published_finding": lambda: self.at_hand.stored(finding.SPEC),
            "data_end": self.data_end,
            log_record.SPEC.table: lambda: self.records(table, begin),
            source_file.SPEC.table: self.at_hand.source_files,
        }
        if name in special:
            return special[name]()
        if name in STATES:
            return carried(name, self.at_hand, begin)
        if name in BY_SHORT_NAME:
            return self.rows(table, BY_SHORT_NAME[name], begin)
        return getattr(kernel_settings, name)(self.night.settings, self.night.cluster_id)

    def data_end(self) -> pl.DataFrame:
        """(cluster_id, until_at): the time of the last line of all."""
        files = self.at_hand.source_files()
        return files.group_by("cluster_id").agg(until_at=col("last_logged_at").max())

    def rows(self, table: Table, asked: Table, begin: datetime | None) -> pl.DataFrame:
        is_lasting = asked.spec.table in LASTING or asked.refresh not in (Refresh.SEGMENTS, Refresh.TAIL)
        if begin is None or is_lasting or table.days_before is None:
            return self.at_hand.whole(asked)
        return self.at_hand.since(asked, begin)

    def records(self, table: Table, begin: datetime | None) -> pl.DataFrame:
        """Records without those that another file brought before: of segments that reach the begin, of the run's own
        segments, or all."""
        if begin is not None:
            return self.counted(is_in("load_seq", self.at_hand.segments_reaching(begin)))
        if self.night.before and not self.night.is_appended(table):
            return self.counted(None)
        if self.records_of_run is None:
            condition = self.night.is_of_run() if self.night.before else None
            self.records_of_run = self.completed(frame_of(self.night.records_of_run()), condition)
        return self.records_of_run

    def forget_records(self) -> None:
        """No other kernel takes them: they are most of what a run holds."""
        self.records_of_run = None

    def counted(self, condition: Condition | None) -> pl.DataFrame:
        rows = self.night.tables.read(log_record.SPEC, condition, SAID)
        return self.completed(frame_of(rows), condition)

    def completed(self, records: pl.DataFrame, condition: Condition | None) -> pl.DataFrame:
        """Without copies, and with the bytes of records that are not whole: nothing else tells what they say."""
        tables = self.night.tables
        if tables.has_rows(duplicate_record.SPEC):
            copies = frame_of(tables.read(duplicate_record.SPEC, condition, RECORD))
            records = records.join(copies, on=RECORD, how="anti")
        if "raw" in records.columns:
            return records
        if records.filter(col("not_understood_reason").is_in(NOT_WHOLE)).is_empty():
            return records.with_columns(raw=pl.lit(None, pl.Binary))
        damaged = is_in("not_understood_reason", NOT_WHOLE)
        asked = damaged if condition is None else condition & damaged
        raw = frame_of(tables.read(log_record.SPEC, asked, (*RECORD, "raw")))
        return records.join(raw, on=RECORD, how="left")
