"""A look into files on the executors: what they are, and what identifies their content."""

import re
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

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
)

from pipeline.core.clock import local_times
from pipeline.core.files import open_input
from pipeline.core.fingerprint import Fingerprint, fingerprint
from pipeline.kafka.envelope import Envelope, envelopes
from pipeline.kafka.sniff import HEAD_BYTES, Sniff, sniff

PATH = StructType(
    [
        StructField("path", StringType(), False),
        StructField("codec", StringType(), False),
        StructField("log", StringType(), True),
        StructField("is_server_read", BooleanType(), False),
        StructField("offsets", ArrayType(LongType(), False), False),
    ]
)
LOOK = StructType(
    [
        StructField("path", StringType(), False),
        StructField("problem", StringType(), True),
        StructField("envelope", StringType(), True),
        StructField("log", StringType(), True),
        StructField("node_ids", ArrayType(IntegerType(), False), False),
        StructField("size", LongType(), False),
        StructField("first_record_hash", StringType(), True),
        StructField("only_record_hash", StringType(), True),
        StructField("tail_start", LongType(), True),
        StructField("ends_with_newline", BooleanType(), False),
        StructField("first_logged_local", TimestampNTZType(), True),
        StructField("tail_logged_local", TimestampNTZType(), True),
        StructField("hashes", MapType(LongType(), StringType(), False), False),
        StructField("starts", ArrayType(LongType(), False), False),
    ]
)


def build(file_path: DataFrame) -> DataFrame:
    """One row (LOOK) per path (PATH). A file that is no Kafka log costs its first 256 KiB; others one pass.

    problem: why the file could not be looked into, as the executor saw it.
    """
    return file_path.mapInArrow(look_at_paths, schema=LOOK)


def look_at_paths(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = [look(**row) for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema=arrow_schema())


def arrow_schema() -> pa.Schema:
    ids, offsets = (
        pa.list_(pa.field("element", pa.int32(), False)),
        pa.list_(pa.field("element", pa.int64(), False)),
    )
    local = pa.timestamp("us")
    types = {
        "node_ids": ids, "size": pa.int64(), "tail_start": pa.int64(), "ends_with_newline": pa.bool_(),
        "first_logged_local": local, "tail_logged_local": local,
        "hashes": pa.map_(pa.int64(), pa.field("value", pa.string(), False)), "starts": offsets,
    }  # fmt: skip
    return pa.schema([pa.field(f.name, types.get(f.name, pa.string()), f.nullable) for f in LOOK.fields])


def look(
    path: str, codec: str, log: str | None, offsets: list[int], *, is_server_read: bool
) -> dict[str, Any]:
    try:
        with open_input(path, codec) as stream:
            head = stream.read(HEAD_BYTES)
        found = sniff(head)
        kind = "server" if log == "server" and found.log in ("server", None) else found.log
        if found.envelope is None or kind is None or (kind == "server" and not is_server_read):
            return as_row(path, found, kind, Fingerprint(size=0), None)
        envelope = envelopes()[found.envelope]
        with open_input(path, codec) as stream:
            seen = fingerprint(stream, re.compile(envelope.start.encode()), offsets)
        return as_row(path, found, kind, seen, envelope)
    except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
        return as_row(
            path, Sniff(None, None, frozenset()), None, Fingerprint(), None, problem=f"{error}"[:300]
        )


def as_row(
    path: str,
    found: Sniff,
    log: str | None,
    seen: Fingerprint,
    envelope: Envelope | None,
    problem: str | None = None,
) -> dict[str, Any]:
    times = [local_time(head, envelope) if envelope else None for head in (seen.first_head, seen.tail_head)]
    return {
        "path": path,
        "problem": problem,
        "envelope": found.envelope,
        "log": log,
        "node_ids": sorted(found.node_ids),
        "size": seen.size,
        "first_record_hash": seen.first_record_hash,
        "only_record_hash": seen.only_record_hash,
        "tail_start": seen.tail_start,
        "ends_with_newline": seen.ends_with_newline,
        "first_logged_local": times[0],
        "tail_logged_local": times[1],
        "hashes": list(seen.hashes.items()),
        "starts": sorted(seen.starts),
    }


def local_time(head: bytes, envelope: Envelope) -> datetime | None:
    """The time that a record prints, in the zone of its broker."""
    found = re.match(envelope.beginning, head.decode("utf-8", "replace"))
    if found is None:
        return None
    time: datetime | None = local_times(pa.array([found["time"]]), envelope.time_format)[0].as_py()
    return time
