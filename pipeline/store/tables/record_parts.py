"""Records in parts of files, as kernels take them."""

from collections.abc import Sequence

import polars as pl
import pyarrow as pa
from polars import col, lit

from pipeline.core.conditions import Condition, is_in
from pipeline.core.record_bytes import raw_record_bytes
from pipeline.core.shards import LINE
from pipeline.store.tables.direct_reading import arrow_table_as_declared
from pipeline.store.tables.file_parts import FilePart, rows_of_part
from schemas.bronze import duplicate_record, log_record
from schemas.bronze.log_record import NOT_WHOLE


def records_of_part(part: FilePart, condition: Condition | None, copies: Sequence[FilePart]) -> pa.Table:
    """Of a part of bronze.log_record the rows that meet the condition, without those that another file brought before;
    with bytes only where nothing else tells what they say. copies: the parts of bronze.duplicate_record."""
    rows = rows_of_part(part, log_record.SPEC, condition, log_record.SPEC.columns)
    return arrow_table_as_declared(with_bytes_of_torn(without_copies(rows, copies)), log_record.SPEC)


def without_copies(records: pl.DataFrame, copies: Sequence[FilePart]) -> pl.DataFrame:
    if not copies:
        return records
    among = is_in("load_seq", records["load_seq"].unique().to_list())
    lines = [rows_of_part(one, duplicate_record.SPEC, among, LINE) for one in copies]
    return records.join(pl.concat(lines), on=LINE, how="anti", maintain_order="left")


def with_bytes_of_torn(records: pl.DataFrame) -> pl.DataFrame:
    is_torn = col("not_understood_reason").is_in(NOT_WHOLE).fill_null(value=False)
    torn = records.filter(is_torn)
    others = records.filter(~is_torn).with_columns(raw=lit(None, pl.Binary))
    return pl.concat([others, torn.with_columns(raw_record_bytes(torn))]) if len(torn) else others
