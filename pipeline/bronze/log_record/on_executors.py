"""Records read, and understood anew, by tasks of Spark."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructField, StructType

from pipeline.bronze.log_record import records_of
from pipeline.core.clock import local_to_utc
from pipeline.kafka.layout.conversion_pattern import Layout
from pipeline.kafka.layout.envelope import built_in_envelopes
from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, reparse_segment
from pipeline.kafka.reading.rebuilt_bytes import without_rebuilt
from schemas.bronze.log_record import SPEC

# What these say of a record does not follow from its stored bytes alone.
KEPT_REASONS = ("cut", "other_logger", "blank")
OF_FILE = ("envelope", "zone", "file_log", "is_shared")
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
        StructField("is_shared", BooleanType(), False),
    ]
)


def read_ranges(
    batches: Iterable[pa.RecordBatch], masking: Masking | None = None
) -> Iterator[pa.RecordBatch]:
    """One row per record that starts in one of the ranges (RANGE): what a task does of a partition of them.

    masking: travels with the code and not in the rows, so that no plan shows its key.

    A file that has vanished, shrunk or become another since it was planned gives fewer rows: their lengths do not
    add up.
    """
    for batch in batches:
        yield from records_of(batch.to_pylist(), masking)


def stored_records(log_record: DataFrame, source_file: DataFrame) -> DataFrame:
    """The records with what source_file says of their file: what `reparsed_records` takes."""
    is_shared = F.coalesce("is_shared", F.lit(False)).alias("is_shared")
    segments = source_file.select("load_seq", "envelope", "zone", F.col("log").alias("file_log"), is_shared)
    joined = log_record.join(F.broadcast(segments), on="load_seq", how="inner")
    return joined.select(*SPEC.columns, *OF_FILE)


def reparsed_records(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same records, understood by the templates of now and placed in time by the zone of source_file.

    Read from their stored bytes, without the files. Records that were cut stay so; of loggers that no template
    named, no bytes are stored: both are only placed in time.
    """
    return map(without_rebuilt, reparse_batches(batches))


def reparse_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        is_kept = pc.or_kleene(
            pc.is_null(batch.column("raw")),
            pc.fill_null(pc.is_in(batch.column("not_understood_reason"), pa.array(KEPT_REASONS)), False),
        )
        for understand, rows in ((with_times_of_zone, is_kept), (reparse_segment, pc.invert(is_kept))):
            some = batch.filter(rows)
            for load_seq in pc.unique(some.column("load_seq")):
                stored = some.filter(pc.equal(some.column("load_seq"), load_seq))
                yield understand(cast_batch_as_declared(stored), request_of(stored))


def with_times_of_zone(kept: pa.RecordBatch, request: RangeRequest) -> pa.RecordBatch:
    """Records of one segment that stay as they are understood, at their times in the zone of the request. Where the
    layout may print a zone of its own they stay where they are: without their bytes it is not known which."""
    layout = built_in_envelopes()[request.envelope].layout
    if not isinstance(layout, Layout) or layout.zone is not None or "<zone>" in layout.head:
        return kept
    place = kept.schema.get_field_index("logged_at")
    return kept.set_column(
        place, kept.schema.field(place), local_to_utc(kept.column("logged_local"), request.zone)
    )


def cast_batch_as_declared(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [batch.column(one.name).cast(one.type) for one in ARROW_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=ARROW_SCHEMA)


def request_of(stored: pa.RecordBatch) -> RangeRequest:
    """The request that read these rows, as far as it decides what they say."""
    first = {
        name: stored.column(name)[0].as_py() for name in ("cluster_id", "node_id", "file_id", "load_seq")
    }
    of_file = {name: stored.column(name)[0].as_py() for name in OF_FILE}
    return RangeRequest(
        **first,
        log=of_file["file_log"],
        zone=of_file["zone"],
        envelope=of_file["envelope"],
        start=0,
        end=0,
        limit=None,
        owns_preamble=True,
        is_shared=of_file["is_shared"],
    )
