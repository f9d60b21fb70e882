"""Every record of the segments that a run reads: ranges of bytes in, records out, in one pass."""

import contextlib
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from pipeline.core.opening import open_input
from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.reader import RangeRequest, ReadSettings, read_segment
from pipeline.kafka.reading.rebuilt_bytes import without_rebuilt
from pipeline.kafka.reading.sniff import HEAD_BYTES, content_name


def records_of(ranges: Iterable[dict[str, Any]], masking: Masking | None = None) -> Iterator[pa.RecordBatch]:
    """The records (ARROW_SCHEMA) of ranges (RANGE of on_executors), one after the other, in this process; bytes that
    the other columns give are left out."""
    for one in ranges:
        row = dict(one)
        settings = ReadSettings(max_record_bytes=row.pop("max_record_bytes"), masking=masking)
        place = row.pop("path"), row.pop("codec"), row["envelope"], row.pop("first_record_hash"), row["limit"]
        with contextlib.suppress(OSError, EOFError, zlib.error), opened(*place, masking) as stream:
            yield from map(without_rebuilt, read_segment(stream, RangeRequest(**row), settings))


def opened(path: str, codec: str, envelope: str, name: str, limit: int, masking: Masking | None) -> BinaryIO:
    """The file from its beginning. limit: what is behind is not read of what is compressed, as it may break off there.

    FileNotFoundError: a path that another file has got since it was planned.
    """
    stream = open_input(path, codec)
    head = stream.read(HEAD_BYTES if codec == "plain" else min(HEAD_BYTES, limit))
    if content_name(head, envelope, masking) != name:
        stream.close()
        raise FileNotFoundError(f"{path} holds another file than when it was looked into")
    if codec == "plain":
        stream.seek(0)
        return stream
    stream.close()
    return open_input(path, codec)
