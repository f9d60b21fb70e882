"""Finds one record of a log file, by a byte of it or by a line, compressed or not."""

from contextlib import closing
from typing import Any

import pyarrow as pa

from jobs.text import shorten_line
from pipeline.core.errors import InputProblem
from pipeline.core.opening import open_by_content
from pipeline.kafka.reading.pasted import Pasted, read_pasted_text, request_for
from pipeline.kafka.reading.reader import ARROW_SCHEMA, read_segment
from pipeline.kafka.reading.sniff import sniff_stream
from pipeline.kafka.wording.loggers import MIXED

BLOCK_BYTES = 1 << 20
WINDOWS = (64 << 10, 4 << 20, 256 << 20)
LINE_BYTES = 64 << 10


def record_at(path: str, offset: int, zone: str | None = None) -> Pasted:
    """The record that holds this byte of the uncompressed file. InputProblem: no such file or byte, not readable."""
    try:
        with closing(open_by_content(path)[1]) as stream:
            found, _ = sniff_stream(stream)
        if found.envelope is None:
            return read_pasted_text(_line_at(path, offset), zone)
        row = None
        for start in dict.fromkeys([*(max(0, offset - back) for back in WINDOWS), 0]):
            row = row or _record_between(path, start, offset, found.envelope, found.log or MIXED, zone)
    except (OSError, EOFError, pa.ArrowException) as problem:
        raise unreadable_file_problem(path, problem) from problem
    if row is None or row["byte_offset"] + row["byte_length"] <= offset:
        raise too_far(path, offset)
    return Pasted(((row if zone else row | {"logged_at": None},),), found.envelope)


def offset_of_line(path: str, line: int) -> int:
    """Where a line begins, counted from 1. InputProblem: the file has fewer lines."""
    ends = 0
    start = 0
    try:
        with closing(open_by_content(path)[1]) as stream:
            while block := stream.read(BLOCK_BYTES):
                count = block.count(b"\n")
                if ends + count >= line - 1:
                    place = _after_line_end(block, line - 1 - ends)
                    if place < len(block) or stream.read(1):
                        return start + place
                    break
                ends += count
                start += len(block)
    except (OSError, EOFError, pa.ArrowException) as problem:
        raise unreadable_file_problem(path, problem) from problem
    raise InputProblem(
        expected=f"a line {line} in {shorten_line(path, 500)}",
        found="fewer lines",
        todo="lines count from 1, as zcat and sed show them",
    )


def too_far(path: str, offset: int) -> InputProblem:
    return InputProblem(
        expected=f"a byte {offset} in {shorten_line(path, 500)}",
        found="that the file ends before it",
        todo="offsets count from 0 in the uncompressed file",
    )


def unreadable_file_problem(path: str, problem: Exception) -> InputProblem:
    return InputProblem(
        expected=f"to read {shorten_line(path, 500)}",
        found=shorten_line(str(problem), 500) or type(problem).__name__,
        todo="check --file",
    )


def _after_line_end(block: bytes, number: int) -> int:
    """The place behind the n-th line end of a block; 0 for none."""
    place = 0
    for _ in range(number):
        place = block.index(b"\n", place) + 1
    return place


def _record_between(
    path: str, start: int, offset: int, envelope: str, log: str, zone: str | None
) -> dict[str, Any] | None:
    """The last record that starts in [start, offset]; before the first one, what stands there."""
    row: dict[str, Any] | None = None
    with closing(open_by_content(path)[1]) as stream:
        for batch in read_segment(stream, request_for(envelope, log, start, offset + 1, zone)):
            if batch.num_rows:
                row = pa.Table.from_batches([batch.slice(batch.num_rows - 1)], ARROW_SCHEMA).to_pylist()[0]
    return row


def _line_at(path: str, offset: int) -> bytes:
    """Of a file without records: from this byte to the end of the line."""
    with closing(open_by_content(path)[1]) as stream:
        left = offset
        while left > 0 and (skipped := len(stream.read(min(left, BLOCK_BYTES)))):
            left -= skipped
        rest = stream.read(LINE_BYTES)
    if left or not rest:
        raise too_far(path, offset)
    return rest.split(b"\n")[0]
