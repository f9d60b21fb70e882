"""Reads bytes in a test as a job would read a file."""

import io
from itertools import pairwise
from typing import Any

import pyarrow as pa

from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, ReadSettings, read_segment


def request(start: int, end: int, *, owns_preamble: bool = True, **changed: Any) -> RangeRequest:
    settings: dict[str, Any] = {
        "cluster_id": "c",
        "node_id": 1,
        "log": "state-change",
        "file_id": "f",
        "load_seq": 1,
        "zone": "UTC",
        "envelope": "stock",
        "limit": None,
    }
    return RangeRequest(start=start, end=end, owns_preamble=owns_preamble, **(settings | changed))


def read(
    data: bytes, *, cuts: tuple[int, ...] = (), settings: ReadSettings | None = None, **changed: Any
) -> list[dict[str, Any]]:
    """The rows of all ranges between the cuts."""
    rows: list[dict[str, Any]] = read_table(data, cuts=cuts, settings=settings, **changed).to_pylist()
    return rows


def read_table(
    data: bytes, *, cuts: tuple[int, ...] = (), settings: ReadSettings | None = None, **changed: Any
) -> pa.Table:
    batches: list[pa.RecordBatch] = []
    for start, end in pairwise([0, *cuts, len(data)]):
        batches += read_segment(
            io.BytesIO(data),
            request(start, end, owns_preamble=start == 0, **changed),
            settings or ReadSettings(),
        )
    return pa.Table.from_batches(batches, ARROW_SCHEMA)
