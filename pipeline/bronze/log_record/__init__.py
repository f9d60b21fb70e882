"""Every record of the segments that a run reads: ranges of bytes in, records out, in one pass."""

import contextlib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import pyarrow as pa

from pipeline.core.opening import open_input
from pipeline.core.scan import ScannedRecords, concat_records
from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.reader import RangeRequest, ReadSettings, read_segment, read_together, scan_range
from pipeline.kafka.reading.rebuilt_bytes import without_rebuilt
from pipeline.kafka.reading.sniff import HEAD_BYTES, content_name

# A file of no more is understood together with others, so many bytes at once.
SMALL_BYTES, TOGETHER_BYTES = 1 << 20, 8 << 20


def records_of(ranges: Iterable[dict[str, Any]], masking: Masking | None = None) -> Iterator[pa.RecordBatch]:
    """The records (ARROW_SCHEMA) of ranges (RANGE of on_executors), one after the other, in this process; bytes that
    the other columns give are left out."""
    small = SmallSegments(masking)
    for one in ranges:
        row = dict(one)
        settings = ReadSettings(max_record_bytes=row.pop("max_record_bytes"), masking=masking)
        place = row.pop("path"), row.pop("codec"), row["envelope"], row.pop("first_record_hash"), row["limit"]
        request = RangeRequest(**row)
        with contextlib.suppress(OSError, EOFError, zlib.error), open_planned_file(*place, masking) as stream:
            if request.owns_preamble and request.end == row["limit"] <= request.start + SMALL_BYTES:
                yield from map(without_rebuilt, small.read(stream, request, settings))
            else:
                yield from map(without_rebuilt, read_segment(stream, request, settings))
    yield from map(without_rebuilt, small.rest())


class SmallSegments:
    """Segments that are waiting for others of their node, log and envelope, to be understood with them."""

    def __init__(self, masking: Masking | None) -> None:
        self.masking = masking
        self.waiting: dict[tuple[RangeRequest, int], list[tuple[ScannedRecords, RangeRequest]]] = defaultdict(
            list
        )
        self.bytes = 0

    def read(
        self, stream: BinaryIO, request: RangeRequest, settings: ReadSettings
    ) -> Iterator[pa.RecordBatch]:
        """What waits long enough; one that ends inside a line waits for nothing."""
        found = list(scan_range(stream, request, settings))
        if not found:
            return
        whole = concat_records(found)
        if not whole.data.endswith(b"\n") or whole.is_cut.any():
            yield from (read_together([(one, request)], settings) for one in found)
            return
        alike = replace(request, file_id="", load_seq=0, start=0, end=0, limit=None)
        self.waiting[alike, settings.max_record_bytes].append((whole, request))
        self.bytes += len(whole.data)
        if self.bytes >= TOGETHER_BYTES:
            yield from self.rest()

    def rest(self) -> Iterator[pa.RecordBatch]:
        for (_, most), segments in self.waiting.items():
            yield read_together(segments, ReadSettings(max_record_bytes=most, masking=self.masking))
        self.waiting.clear()
        self.bytes = 0


def open_planned_file(
    path: str, codec: str, envelope: str, name: str, limit: int, masking: Masking | None
) -> BinaryIO:
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
