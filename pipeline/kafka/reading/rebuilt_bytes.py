"""The bytes of most records follow from what they say: these are not stored."""

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.core.frames import kept_only
from pipeline.core.record_bytes import SAID_IN, whole_record

USED = ("raw", *SAID_IN)


def without_rebuilt(records: pa.RecordBatch) -> pa.RecordBatch:
    """The records (SPEC) with raw null where the other columns give the same bytes, as readers put them together."""
    place = records.schema.get_field_index("raw")
    is_kept = is_stored(pl.from_arrow(records.select(USED))).to_arrow()  # type: ignore[arg-type]  # a table gives a frame
    column = kept_only(records.column(place), is_kept)
    columns = [column if number == place else one for number, one in enumerate(records.columns)]
    return pa.RecordBatch.from_arrays(columns, schema=records.schema)


def is_stored(records: pl.DataFrame) -> pl.Series:
    """False for each record of which the other columns give the bytes."""
    numbered = records.with_row_index("number")
    worded = numbered.filter(col("template").is_not_null() & col("raw").is_not_null())
    given = [rebuildable_numbers(some) for some in worded.partition_by("template")]
    is_kept = pl.Series([True]).new_from_index(0, len(records))
    return is_kept.scatter(pl.concat(given), values=False) if given else is_kept


def rebuildable_numbers(records: pl.DataFrame) -> pl.Series:
    """Numbers of those records, all of one template, of which the other columns give the bytes."""
    is_same = (whole_record(records["template"][0]) == col("raw")).fill_null(value=False)
    return records.filter(is_same)["number"]
