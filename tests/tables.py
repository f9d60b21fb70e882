"""Small tables for tests: from log lines by the product's own reader, and from text with one row a line."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pyarrow as pa
from chispa import assert_df_equality
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StructType,
    TimestampType,
)

from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, read_segment
from pipeline.store.spark.session import TUNED, tune_for_size
from schemas.bronze import log_record
from schemas.spark import struct_of
from schemas.spec import TableSpec


def log_records(spark: SparkSession, logs: dict[tuple[int, str], str], zone: str = "UTC") -> DataFrame:
    """bronze.log_record of log texts by (node_id, log); the file_id is '<node_id>-<log>', load_seq counts from 1."""
    return spark.createDataFrame(log_table(logs, zone), schema=struct_of(log_record.SPEC))


def log_table(
    logs: dict[tuple[int, str], str], zone: str = "UTC", cluster_id: str = "c", of: str = ""
) -> pa.Table:
    """The same in memory; of: what the file_ids begin with."""
    batches = []
    for load_seq, ((node_id, log), text) in enumerate(logs.items(), 1):
        content = "".join(f"{line.strip()}\n" for line in text.strip().splitlines()).encode()
        request = RangeRequest(
            cluster_id=cluster_id,
            node_id=node_id,
            log=log,
            file_id=f"{of}{node_id}-{log}",
            load_seq=load_seq,
            zone=zone,
            envelope="stock",
            start=0,
            end=len(content),
            limit=len(content),
            owns_preamble=True,
        )
        batches += list(read_segment(BytesIO(content), request))
    return pa.Table.from_batches(batches, schema=ARROW_SCHEMA)


@contextmanager
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Plans are interpreted as a job does on little data: compiling them takes longer than running them."""
    with tuning_kept(spark):
        tune_for_size(spark, 0, 0)
        yield


@contextmanager
def tuning_kept(spark: SparkSession) -> Iterator[None]:
    """What is set in it by the size of the logs is as it was afterwards."""
    before = {key: spark.conf.get(key, None) for key in TUNED}
    try:
        yield
    finally:
        for key, found in before.items():
            if found is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, found)


def table(spark: SparkSession, spec: TableSpec, text: str) -> DataFrame:
    """A table from text: names of columns, then a row a line, cells between bars; an empty cell is null.

    Columns that the text leaves out are null (times: seconds since the epoch; lists: [1 2 3]).
    """
    head, *lines = [line for line in text.strip().splitlines() if line.strip()]
    names = [name.strip() for name in head.split("|")]
    fields = {field.name: field for field in struct_of(spec).fields}
    rows = []
    for line in lines:
        cells = dict(zip(names, (cell.strip() for cell in line.split("|")), strict=True))
        rows.append(tuple(value(fields[name].dataType, cells.get(name, "")) for name in fields))
    loose = StructType([type(field)(field.name, field.dataType, nullable=True) for field in fields.values()])
    return spark.createDataFrame(rows, schema=loose)


def value(kind: Any, cell: str) -> Any:
    if cell == "":
        return None
    if isinstance(kind, ArrayType):
        return [int(one) for one in cell.strip("[]").split()]
    if isinstance(kind, IntegerType | LongType | DoubleType):
        return float(cell) if isinstance(kind, DoubleType) else int(cell)
    if isinstance(kind, BooleanType):
        return cell == "true"
    if isinstance(kind, TimestampType):
        return datetime(2026, 11, 21, tzinfo=UTC) + timedelta(milliseconds=round(float(cell) * 1000))
    return cell


def same_rows(found: DataFrame, expected: DataFrame, *columns: str) -> None:
    """The named columns hold the same rows, in any order (chispa says which differ)."""
    assert_df_equality(
        found.select(*columns),
        expected.select(*columns),
        ignore_row_order=True,
        ignore_nullable=True,
        ignore_metadata=True,
    )
