"""Cuts a byte range of a stream into records: where each starts, how long it is, its bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from pipeline.core.starts import LF, START_BYTES, Other, start_finder

DEFAULT_BLOCK_BYTES = 1 << 20
DEFAULT_MAX_RECORD_BYTES = 16 << 20

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ScannedRecords:
    """Neighbouring records. `offset`, `length`, `line_ends`: one number each, as in the stream.

    `data`: their bytes without gaps; record i is `data[bounds[i]:bounds[i + 1]]`, which is shorter
    than `length[i]` only where `is_cut[i]`: the record was longer than the limit.
    `has_start[i]` is false for text before the first record start, and for a record with another start.
    """

    offset: Offsets
    length: Offsets
    line_ends: Offsets
    is_cut: npt.NDArray[np.bool_]
    has_start: npt.NDArray[np.bool_]
    data: bytes
    bounds: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def is_ascii(self) -> bool:
        return self.data.isascii()


@dataclass
class _Open:
    """The record that has begun and not yet ended; `kept` holds its bytes up to the limit."""

    offset: int
    has_start: bool
    kept: bytearray
    length: int = 0
    line_ends: int = 0

    def grow(self, data: bytes, line_ends: int, limit: int) -> None:
        room = limit - len(self.kept)
        if room > 0:
            self.kept += data[:room]
        self.length += len(data)
        self.line_ends += line_ends


def scan_records(
    stream: BinaryIO,
    start: int,
    end: int,
    limit: int | None,
    start_pattern: str,
    *,
    other: Other | None = None,
    owns_preamble: bool,
    block_bytes: int = DEFAULT_BLOCK_BYTES,
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
) -> Iterator[ScannedRecords]:
    """The records that start in [start, end), in order, a batch a block.

    A record starts where a line starts and `start_pattern` or `other` matches, which see `START_BYTES` at most.
    Reads past `end` to finish the last record, never past `limit` (exclusive; None: the stream's end).
    Text before the first start is a record of the range that `owns_preamble` (the first of a segment,
    which begins at a line start); elsewhere the range before owns it as continuation.
    Ranges that tile [0, limit) give the same records and lengths as one range, at any block size.
    """
    finder = start_finder(start_pattern, other)
    before = LF if owns_preamble else _byte_before(stream, start)
    current = _Open(start, has_start=False, kept=bytearray()) if owns_preamble else None
    buffer, base = b"", start
    while True:
        block, is_last = _read(stream, base + len(buffer), limit, block_bytes)
        buffer = buffer + block if buffer else block
        checked = len(buffer) if is_last else max(0, len(buffer) - START_BYTES)
        starts, is_own = finder(buffer, checked, before)
        here = int(np.searchsorted(starts, end - base))
        is_done = here < len(starts)
        checked = int(starts[here]) if is_done else checked
        starts, is_own = starts[:here], is_own[:here]
        line_ends = np.flatnonzero(np.frombuffer(buffer, np.uint8, count=checked) == LF)
        is_done |= is_last or (current is None and not len(starts) and base + checked >= end)
        closed: list[ScannedRecords] = []
        if len(starts):
            ends = np.append(starts, checked) if is_done else starts
            closed, current = _close(current, buffer, base, ends, is_own, line_ends, max_record_bytes)
            current = None if is_done else current
        if current is not None:
            tail = int(starts[-1]) if len(starts) else 0
            grown = int(len(line_ends) - np.searchsorted(line_ends, tail))
            current.grow(buffer[tail:checked], grown, max_record_bytes)
        if is_done and current is not None and current.length:
            closed.append(_pack([current], max_record_bytes))
        if closed:
            yield concat_records(closed)
        if is_done:
            return
        before = buffer[checked - 1] if checked else before
        buffer, base = buffer[checked:], base + checked


def _byte_before(stream: BinaryIO, start: int) -> int:
    """The byte before `start`, LF at the beginning; leaves the stream at `start`."""
    if start == 0:
        return LF
    stream.seek(start - 1)
    return int.from_bytes(stream.read(1), "big")


def _read(stream: BinaryIO, position: int, limit: int | None, block_bytes: int) -> tuple[bytes, bool]:
    """The next block, full unless the data end in it, and whether they do."""
    if stream.seekable() and stream.tell() != position:
        stream.seek(position)
    wanted = block_bytes if limit is None else min(block_bytes, limit - position)
    # One read of a local file gives all: joining copies only what came in pieces.
    pieces: list[bytes] = []
    size = 0
    while size < wanted:
        more = stream.read(wanted - size)
        if not more:
            return _one(pieces), True
        pieces.append(more)
        size += len(more)
    return _one(pieces), limit is not None and position + size >= limit


def _one(pieces: list[bytes]) -> bytes:
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _close(
    current: _Open | None,
    buffer: bytes,
    base: int,
    starts: Offsets,
    is_own: npt.NDArray[np.bool_],
    line_ends: Offsets,
    max_record_bytes: int,
) -> tuple[list[ScannedRecords], _Open]:
    """The records that `starts` end, and the one that the last of them opens. is_own: has_start of each that begins."""
    parts: list[ScannedRecords] = []
    if current is not None:
        first = int(starts[0])
        current.grow(buffer[:first], int(np.searchsorted(line_ends, first)), max_record_bytes)
        if current.length:
            parts.append(_pack([current], max_record_bytes))
    if len(starts) > 1:
        parts.append(_whole(buffer, base, starts, is_own[: len(starts) - 1], line_ends, max_record_bytes))
    following = _Open(base + int(starts[-1]), has_start=bool(is_own[-1]), kept=bytearray())
    return parts, following


def _whole(
    buffer: bytes,
    base: int,
    starts: Offsets,
    is_own: npt.NDArray[np.bool_],
    line_ends: Offsets,
    max_record_bytes: int,
) -> ScannedRecords:
    """The records between neighbouring starts of one buffer."""
    length = np.diff(starts)
    if int(length.max()) > max_record_bytes:
        return concat_records(
            [
                _pack(
                    [_from(buffer, base, span, line_ends, max_record_bytes, has_start=own)], max_record_bytes
                )
                for span, own in zip(pairwise(starts.tolist()), is_own.tolist(), strict=True)
            ]
        )
    before = np.searchsorted(line_ends, starts)
    return ScannedRecords(
        offset=starts[:-1] + base,
        length=length,
        line_ends=np.diff(before).astype(np.int64),
        is_cut=np.zeros(len(length), np.bool_),
        has_start=is_own,
        data=buffer[int(starts[0]) : int(starts[-1])],
        bounds=(starts - starts[0]).astype(np.int32),
    )


def _from(
    buffer: bytes,
    base: int,
    span: tuple[int, int],
    line_ends: Offsets,
    max_record_bytes: int,
    *,
    has_start: bool,
) -> _Open:
    a, b = span
    record = _Open(base + a, has_start=has_start, kept=bytearray())
    ends = int(np.searchsorted(line_ends, b) - np.searchsorted(line_ends, a))
    record.grow(buffer[a:b], ends, max_record_bytes)
    return record


def _pack(records: list[_Open], max_record_bytes: int) -> ScannedRecords:
    sizes = [len(r.kept) for r in records]
    return ScannedRecords(
        offset=np.array([r.offset for r in records], np.int64),
        length=np.array([r.length for r in records], np.int64),
        line_ends=np.array([r.line_ends for r in records], np.int64),
        is_cut=np.array([r.length > max_record_bytes for r in records], np.bool_),
        has_start=np.array([r.has_start for r in records], np.bool_),
        data=b"".join(bytes(r.kept) for r in records),
        bounds=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
    )


def concat_records(parts: list[ScannedRecords]) -> ScannedRecords:
    """Neighbouring batches, at least one, as one."""
    if len(parts) == 1:
        return parts[0]
    shifts = np.cumsum([0] + [len(p.data) for p in parts[:-1]])
    bounds = [p.bounds[:-1] + shift for p, shift in zip(parts, shifts, strict=True)]
    total = sum(len(p.data) for p in parts)
    return ScannedRecords(
        offset=np.concatenate([p.offset for p in parts]),
        length=np.concatenate([p.length for p in parts]),
        line_ends=np.concatenate([p.line_ends for p in parts]),
        is_cut=np.concatenate([p.is_cut for p in parts]),
        has_start=np.concatenate([p.has_start for p in parts]),
        data=b"".join(p.data for p in parts),
        bounds=np.concatenate([*bounds, [total]]).astype(np.int32),
    )
