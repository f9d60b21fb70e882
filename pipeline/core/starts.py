"""Finds the lines of a buffer that a pattern begins, without looking at them one by one."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# What an agent puts before a message may be long: labels, paths.
START_BYTES = 4096
# Looked at in one go: a block of nothing but line ends costs the memory of a slice.
SLICE_BYTES = 1 << 20

LF = 10
# What a power cut leaves in place of bytes that had not reached the disk: whoever writes next goes on behind.
ZERO = b"\0"
DIGIT = -1
BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(r"\\d(?:\{(\d+)\})?|\\([^\w])|([^\\.*+?()\[\]{}|^$])")

Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Finder = Callable[[bytes, int, int], tuple[Positions, Mask]]
# (buffer, the same as numbers, starts of lines) -> which of them begin so
Test = Callable[[bytes, Bytes, Positions], Mask]


@dataclass(frozen=True)
class Other:
    """Another start. first: the bytes that it may begin with, any if there are none."""

    pattern: str
    first: bytes = b""


@lru_cache(maxsize=64)
def start_finder(pattern: str, other: Other | None = None) -> Finder:
    """A function (buffer, checked, before) -> positions below `checked`, ascending, where a line starts that
    `pattern` or `other` matches, and whether it is `pattern`. `before`: the byte before the buffer, LF where it
    starts a line. A line starts behind zero bytes, too; zero bytes where a line starts are a start of their own.

    A pattern sees its own line only, `START_BYTES` bytes of it at most, and no byte order mark in front.
    One of literals and `\\d`, `\\d{n}` only is compared as columns of bytes, all lines at once; any other is
    RE2 over all lines. `other` is tried on lines that `pattern` does not match.
    """
    shape = _fixed_shape(pattern)
    begins = _by_regex(pattern) if shape is None else _by_shape(shape)
    begins_other = None if other is None else _by_regex(other.pattern)

    can_begin = (
        np.isin(np.arange(256), list(other.first + BOM[:1])) if other and other.first else np.zeros(0, bool)
    )

    def find(buffer: bytes, checked: int, before: int) -> tuple[Positions, Mask]:
        data = np.frombuffer(buffer, np.uint8)
        found = [
            among(buffer, data, _line_starts(data, start, min(start + SLICE_BYTES, checked), before))
            for start in range(0, max(checked, 1), SLICE_BYTES)
        ]
        if before == ZERO[0] or ZERO in buffer:
            begun, behind = _around_zeros(data, checked, before)
            found += [(begun, np.zeros(len(begun), np.bool_)), among(buffer, data, behind)]
            return _in_order(*_as_one(found))
        return found[0] if len(found) == 1 else _as_one(found)

    def among(buffer: bytes, data: Bytes, lines: Positions) -> tuple[Positions, Mask]:
        is_own = begins(buffer, data, lines)
        if is_own.all():
            return lines, is_own
        if begins_other is None:
            return lines[is_own], is_own[is_own]
        rest = np.flatnonzero(~is_own)
        if can_begin.size:
            rest = rest[can_begin[data[lines[rest]]]]
        is_start = is_own.copy()
        is_start[rest] = begins_other(buffer, data, lines[rest])
        return lines[is_start], is_own[is_start]

    return find


def fixed_start(pattern: str) -> Test:
    """Which lines begin so, by columns of bytes. ValueError: the pattern is not of literals and digits alone."""
    shape = _fixed_shape(pattern)
    if shape is None:
        raise ValueError(f"{pattern} is not of literals and digits alone")
    return _by_shape(shape)


def start_pattern(pattern: str) -> re.Pattern[bytes]:
    """The same for Python's `re`, to be matched where a line starts, up to START_BYTES of it."""
    return re.compile(b"(?:" + BOM + b")?(?:" + pattern.encode() + b")")


def _fixed_shape(pattern: str) -> tuple[int, ...] | None:
    """The byte expected at each place, DIGIT for any digit; None if the pattern is not of that kind."""
    shape: list[int] = []
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        literal = token[2] or token[3]
        if literal is None:
            shape += [DIGIT] * int(token[1] or 1)
        else:
            shape += literal.encode()
        at = token.end()
    return tuple(shape) if 0 < len(shape) <= START_BYTES else None


def _line_starts(data: Bytes, start: int, end: int, before: int) -> Positions:
    """Starts of lines in [start, end)."""
    if start:
        return np.flatnonzero(data[start - 1 : max(end - 1, 0)] == LF) + start
    lines = np.flatnonzero(data[: max(end - 1, 0)] == LF) + 1
    return np.concatenate([np.zeros(1, lines.dtype), lines]) if before == LF and end > 0 else lines


def _around_zeros(data: Bytes, checked: int, before: int) -> tuple[Positions, Positions]:
    """Where zero bytes begin that stand where a line starts, and where something else follows them."""
    is_zero = data[:checked] == ZERO[0]
    earlier = np.concatenate([np.array([before], np.uint8), data[: max(checked - 1, 0)]])[:checked]
    return np.flatnonzero(is_zero & (earlier == LF)), np.flatnonzero(~is_zero & (earlier == ZERO[0]))


def _as_one(parts: list[tuple[Positions, Mask]]) -> tuple[Positions, Mask]:
    return np.concatenate([one for one, _ in parts]), np.concatenate([own for _, own in parts])


def _in_order(positions: Positions, is_own: Mask) -> tuple[Positions, Mask]:
    order = np.argsort(positions)
    return positions[order], is_own[order]


def _text_starts(data: Bytes, lines: Positions) -> Positions:
    """Where the text of each line begins: behind the byte order mark, if it has one."""
    marked = np.flatnonzero(data[lines] == BOM[0])
    marked = marked[lines[marked] + len(BOM) <= len(data)]
    for place in (1, 2):
        marked = marked[data[lines[marked] + place] == BOM[place]]
    if not len(marked):
        return lines
    starts = lines.copy()
    starts[marked] += len(BOM)
    return starts


def _by_shape(shape: tuple[int, ...]) -> Test:
    size = len(shape)
    digits = [place for place, expected in enumerate(shape) if expected == DIGIT]
    others = [place for place, expected in enumerate(shape) if expected != DIGIT]
    literal = np.array([shape[place] for place in others], np.uint8)

    def begins(_: bytes, data: Bytes, lines: Positions) -> Mask:
        starts = _text_starts(data, lines)
        fits = starts + size <= len(data)
        if not fits.all():
            begins_so = np.zeros(len(lines), np.bool_)
            begins_so[fits] = shaped(data, starts[fits])
            return begins_so
        return shaped(data, starts)

    def shaped(data: Bytes, starts: Positions) -> Mask:
        if not len(starts):
            return np.zeros(0, np.bool_)
        # One item of `size` bytes a line is gathered at once, several times as fast as byte by byte.
        heads = np.ndarray((len(data) - size + 1,), f"V{size}", data, strides=(1,))[starts]
        grid = heads.view(np.uint8).reshape(-1, size)
        holds: Mask = (grid[:, others] == literal).all(axis=1)
        holds &= (grid[:, digits] - np.uint8(48)).max(axis=1, initial=0) <= 9
        return holds

    return begins


def _by_regex(pattern: str) -> Test:
    anchored = rf"\A(?:{pattern})"

    def begins(buffer: bytes, data: Bytes, lines: Positions) -> Mask:
        if not len(lines):
            return np.zeros(0, np.bool_)
        ends = np.minimum(_line_ends(buffer, data, lines), lines + START_BYTES)
        return _matches(buffer, _text_starts(data, lines), ends, anchored)

    return begins


def _line_ends(buffer: bytes, data: Bytes, lines: Positions) -> Positions:
    """Behind the line end of each line, which may lie behind what is asked for."""
    first, last = int(lines[0]), int(lines[-1])
    end = buffer.find(b"\n", last) + 1 or len(buffer)
    ends = np.flatnonzero(data[first:end] == LF) + first + 1
    ends = ends if len(ends) and ends[-1] == end else np.append(ends, end)
    return ends[np.searchsorted(ends, lines, side="right")]


def _matches(buffer: bytes, starts: Positions, ends: Positions, anchored: str) -> Mask:
    # Neighbouring values of one array: the beginnings of lines at even places, what is left out at odd ones.
    offsets = np.stack([starts, ends], axis=1).reshape(-1).astype(np.int32)
    values = pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(buffer)]
    )
    heads = values.take(pa.array(np.arange(0, len(values), 2)))
    found: Mask = pc.match_substring_regex(heads, anchored).to_numpy(zero_copy_only=False)
    return found
