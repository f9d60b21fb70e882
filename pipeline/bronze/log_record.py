"""Every record of the segments that a run reads: ranges of bytes in, records out, in one pass."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructField, StructType

from pipeline.core.files import open_input
from pipeline.core.fingerprint import name_of
from pipeline.kafka.envelope import envelopes
from pipeline.kafka.reader import RangeRequest, ReadSettings, read_segment
from pipeline.kafka.sniff import HEAD_BYTES
from schemas.bronze.log_record import SPEC

RANGE = StructType(
    [
        StructField("cluster_id", StringType(), False),
        StructField("node_id", IntegerType(), True),
        StructField("log", StringType(), False),
        StructField("file_id", StringType(), False),
        StructField("load_seq", LongType(), False),
        StructField("zone", StringType(), False),
        StructField("envelope", StringType(), False),
        StructField("start", LongType(), False),
        StructField("end", LongType(), False),
        StructField("limit", LongType(), False),
        StructField("owns_preamble", BooleanType(), False),
        StructField("path", StringType(), False),
        StructField("codec", StringType(), False),
        StructField("first_record_hash", StringType(), False),
        StructField("max_record_bytes", LongType(), False),
    ]
)


def build(file_range: DataFrame) -> DataFrame:
    """One row per record that starts in one of the ranges (RANGE); a partition of ranges is one task.

    Errors: a file that has vanished, shrunk or become another since it was planned fails the run; the next one
    plans anew.
    """
    return file_range.mapInArrow(read_ranges, schema=SPEC.struct)


def read_ranges(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            settings = ReadSettings(max_record_bytes=row.pop("max_record_bytes"))
            name = row.pop("first_record_hash")
            with opened(row.pop("path"), row.pop("codec"), row["envelope"], name) as stream:
                yield from read_segment(stream, RangeRequest(**row), settings)


def opened(path: str, codec: str, envelope: str, name: str) -> BinaryIO:
    """The file from its beginning. FileNotFoundError: a path that another file has got since it was planned."""
    stream = open_input(path, codec)
    if name_of(stream.read(HEAD_BYTES), envelopes()[envelope].start_pattern, HEAD_BYTES) != name:
        stream.close()
        raise FileNotFoundError(f"{path} holds another file than when it was looked into")
    if codec == "plain":
        stream.seek(0)
        return stream
    stream.close()
    return open_input(path, codec)
