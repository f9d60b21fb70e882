"""Looks into files as tasks of Spark: a row per path in, a row per look out."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from pipeline.bronze.file_look import Wanted, inspect_file

PATH = StructType(
    [
        StructField("path", StringType(), False),
        StructField("log", StringType(), True),
        StructField("envelope", StringType(), True),
        StructField("is_server_read", BooleanType(), False),
        StructField("stored_bytes", LongType(), False),
        StructField("max_file_bytes", LongType(), False),
        StructField("max_ratio", LongType(), False),
        StructField("max_record_bytes", LongType(), False),
    ]
)
LOOK = StructType(
    [
        StructField("path", StringType(), False),
        StructField("problem", StringType(), True),
        StructField("is_missing", BooleanType(), False),
        StructField("codec", StringType(), True),
        StructField("envelope", StringType(), True),
        StructField("log", StringType(), True),
        StructField("is_kraft", BooleanType(), False),
        StructField("node_ids", ArrayType(IntegerType(), False), False),
        StructField("is_told_apart", BooleanType(), False),
        StructField("size", LongType(), False),
        StructField("first_record_hash", StringType(), True),
        StructField("tail_start", LongType(), True),
        StructField("ends_with_newline", BooleanType(), False),
        StructField("first_logged_local", TimestampNTZType(), True),
        StructField("tail_logged_local", TimestampNTZType(), True),
        StructField("first_logged_at", TimestampType(), True),
        StructField("tail_logged_at", TimestampType(), True),
        StructField("hashes", MapType(LongType(), StringType(), False), False),
        StructField("starts", ArrayType(LongType(), False), False),
        StructField("looks_like", StringType(), True),
        StructField("breaks_off", StringType(), True),
    ]
)


def build(file_path: DataFrame, wanted: Wanted) -> DataFrame:
    """One row (LOOK) per path (PATH). A file that is no Kafka log costs as much as a record may have; others one pass.

    wanted: the beginnings whose hash is asked for, and how contents are named.
    problem: why the file could not be looked into, as the executor saw it; is_missing: it saw no such file.
    """

    def look_at_paths(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return inspect_file_batches(batches, wanted)

    return file_path.mapInArrow(look_at_paths, schema=LOOK)


def inspect_file_batches(batches: Iterable[pa.RecordBatch], wanted: Wanted) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = [inspect_file(wanted=wanted, **row) for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema=arrow_schema())


def arrow_schema() -> pa.Schema:
    ids, offsets = (
        pa.list_(pa.field("element", pa.int32(), False)),
        pa.list_(pa.field("element", pa.int64(), False)),
    )
    local, placed = pa.timestamp("us"), pa.timestamp("us", tz="UTC")
    types = {
        "is_missing": pa.bool_(), "is_kraft": pa.bool_(), "ends_with_newline": pa.bool_(), "is_told_apart": pa.bool_(),
        "node_ids": ids, "size": pa.int64(), "tail_start": pa.int64(),
        "first_logged_local": local, "tail_logged_local": local,
        "first_logged_at": placed, "tail_logged_at": placed,
        "hashes": pa.map_(pa.int64(), pa.field("value", pa.string(), False)), "starts": offsets,
    }  # fmt: skip
    return pa.schema([pa.field(f.name, types.get(f.name, pa.string()), f.nullable) for f in LOOK.fields])
