"""Every record of the segments that a run reads: ranges of bytes in, records out, in one pass."""

import contextlib
import zlib
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructField, StructType

from pipeline.core.files import open_input
from pipeline.kafka.masking import Masking
from pipeline.kafka.reader import RangeRequest, ReadSettings, read_segment
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
        StructField("max_record_bytes", LongType(), False),
    ]
)


def build(file_range: DataFrame, masking: Masking | None = None) -> DataFrame:
    """One row per record that starts in one of the ranges (RANGE); a partition of ranges is one task.

    masking: travels with the code and not in the rows, so that no plan shows its key.

    A file that has vanished or shrunk since it was planned gives fewer rows: their lengths do not add up.
    """

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return read_ranges(batches, masking)

    return file_range.mapInArrow(read, schema=SPEC.struct)


def read_ranges(
    batches: Iterable[pa.RecordBatch], masking: Masking | None = None
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            settings = ReadSettings(max_record_bytes=row.pop("max_record_bytes"), masking=masking)
            path, codec = row.pop("path"), row.pop("codec")
            with contextlib.suppress(OSError, EOFError, zlib.error), open_input(path, codec) as stream:
                yield from read_segment(stream, RangeRequest(**row), settings)
