"""The tables right after a run: what it still holds of them in memory is not read again."""

from collections.abc import Sequence

import polars as pl
import pyarrow as pa

from jobs.engine.incremental.at_hand import AtHand
from pipeline.catalog.tables import BY_NAME
from pipeline.core.conditions import Condition, is_reaching_implied
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import ReadableTables, columns_to_read, select_from_memory
from schemas.bronze import log_record
from schemas.spec import TableSpec


class TablesOfRun:
    """stored: the tables as the run left them. at_hand: what it built; None: it built nothing."""

    def __init__(self, stored: ReadableTables, at_hand: AtHand | None) -> None:
        self.stored, self.at_hand = stored, at_hand

    def has_rows(self, spec: TableSpec) -> bool:
        return self.stored.has_rows(spec)

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        wanted = columns or spec.columns
        rows = None if self.at_hand is None else held_rows(self.at_hand, spec, condition, wanted)
        return (
            self.stored.read(spec, condition, wanted)
            if rows is None
            else select_from_memory(rows, condition, wanted)
        )


def held_rows(
    at_hand: AtHand, spec: TableSpec, condition: Condition | None, columns: Sequence[str]
) -> pl.DataFrame | None:
    """Rows of a table, all that meet the condition among them; None: the run holds less."""
    if spec == log_record.SPEC:
        return held_records(at_hand, columns_to_read(condition, columns))
    built = at_hand.built.get(spec.name)
    if built is None:
        return None
    ordered_by = BY_NAME[spec.name].incremental.ordered_by
    is_replaced = built.since is not None and is_reaching_implied(condition, ordered_by, built.since)
    return built.rows if built.is_all or is_replaced else None


def held_records(at_hand: AtHand, columns: Sequence[str]) -> pl.DataFrame | None:
    """These columns of the records, where the run brought all of them and holds these (ASKED_LATER)."""
    night = at_hand.night
    if night.before or night.records is None or not set(columns) <= set(night.records.column_names):
        return None
    return frame_of(night.records.select(columns))
