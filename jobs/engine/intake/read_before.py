"""Is a file the beginning of what was read before? Compared record by record, where no hash of it is known."""

from collections.abc import Sequence
from typing import Any

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.bronze.log_record import records_of
from pipeline.core.conditions import column_before, column_since, is_in
from pipeline.core.contents import KnownFile
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.record_bytes import raw_record_bytes
from pipeline.core.stored_tables import ReadableTables
from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.reader import ARROW_SCHEMA
from schemas.bronze import log_record

COMPARED = ("byte_offset", "byte_length", "logged_local", "level", "logger", "raw")


def is_beginning_of_known(
    ranges: Sequence[dict[str, Any]], masking: Masking | None, tables: ReadableTables, known: KnownFile
) -> bool:
    """True if all that the ranges hold, which tile a file, stands in the records that were read of `known`.

    The last record may be cut short, or hold a begun line, which is then that of the next record. Where no bytes are
    stored records are the same that have the same place, length, time, level and logger.
    """
    of_known = is_in("load_seq", known.load_seqs)
    found, stored = (empty_frame(log_record.SPEC).select(COMPARED) for _ in range(2))
    for one in ranges:
        asked = (
            of_known & column_since("byte_offset", one["start"]) & column_before("byte_offset", one["end"])
        )
        there = frame_of(tables.read(log_record.SPEC, asked, COMPARED)).sort("byte_offset")
        read = frame_of(pa.Table.from_batches(records_of([one], masking), ARROW_SCHEMA))
        read = read.with_columns(raw_record_bytes(read)).select(COMPARED)
        found, stored = pl.concat([found, read]), pl.concat([stored, there])
        whole = max(len(found) - 1, 0)
        if not is_same(found[:whole], stored[:whole]):
            return False
        found, stored = found[whole:], stored[whole:]
    return is_cut_record_of(found, stored, ranges[-1]["limit"], is_masked=masking is not None)


def is_same(found: pl.DataFrame, stored: pl.DataFrame) -> bool:
    if len(found) != len(stored):
        return False
    both = pl.concat([found, stored.rename(lambda name: f"stored_{name}")], how="horizontal")
    same = (col(name).eq_missing(col(f"stored_{name}")) for name in found.columns)
    return bool(both.select(pl.all_horizontal(*same).all()).item())


def is_cut_record_of(last: pl.DataFrame, stored: pl.DataFrame, size: int, *, is_masked: bool) -> bool:
    """Whether the last record of a file, of so many bytes, is what is stored from its place on, as far as it goes."""
    if last.is_empty() or stored.is_empty() or last["byte_offset"][0] != stored["byte_offset"][0]:
        return False
    ends = [one["byte_offset"][-1] + one["byte_length"][-1] for one in (last, stored)]
    if ends[0] != size or ends[1] < size:
        return False
    text, parts = last["raw"][0], stored["raw"].to_list()
    if is_masked or None in parts:
        return last["logged_local"][0] in (None, stored["logged_local"][0])
    return text is not None and b"".join(parts).startswith(text)
