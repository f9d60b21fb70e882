"""Finds the lines of a buffer that a pattern begins, without looking at them one by one."""

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

START_BYTES = 256
# Looked at in one go: a block of nothing but line ends costs the memory of a slice.
SLICE_BYTES = 1 << 20

LF = 10
DIGIT = -1
BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(r"\\d(?:\{(\d+)\})?|\\([^\w])|([^\\.*+?()\[\]{}|^$])")

Positions = npt.NDArray[np.int64]
Finder = Callable[[bytes, int, int], Positions]


@lru_cache(maxsize=64)
def start_finder(pattern: str) -> Finder:
    """A function (buffer, checked, before) -> positions below `checked`, ascending, where a line
    starts that `pattern` matches. `before`: the byte before the buffer, LF where it starts a line.

    The pattern sees its own line only, `START_BYTES` bytes of it at most, and no byte order mark in front.
    One of literals and `\\d`, `\\d{n}` only is compared as columns of bytes, all lines at once; any other is
    RE2 over all lines.
    """
    shape = _fixed_shape(pattern)
    return _by_regex(pattern) if shape is None else _by_shape(shape)


def start_pattern(pattern: str) -> re.Pattern[bytes]:
    """The same for Python's `re`, to be matched where a line starts."""
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


def _line_starts(data: npt.NDArray[np.uint8], start: int, end: int, before: int) -> Positions:
    """Starts of lines in [start, end)."""
    if start:
        return np.flatnonzero(data[start - 1 : max(end - 1, 0)] == LF) + start
    lines = np.flatnonzero(data[: max(end - 1, 0)] == LF) + 1
    return np.concatenate([np.zeros(1, lines.dtype), lines]) if before == LF and end > 0 else lines


def _text_starts(data: npt.NDArray[np.uint8], lines: Positions) -> Positions:
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


def _by_shape(shape: tuple[int, ...]) -> Finder:
    size = len(shape)
    digits = [place for place, expected in enumerate(shape) if expected == DIGIT]
    others = [place for place, expected in enumerate(shape) if expected != DIGIT]
    literal = np.array([shape[place] for place in others], np.uint8)

    def find(buffer: bytes, checked: int, before: int) -> Positions:
        data = np.frombuffer(buffer, np.uint8)
        found = [
            shaped(data, _line_starts(data, start, min(start + SLICE_BYTES, checked), before))
            for start in range(0, max(checked, 1), SLICE_BYTES)
        ]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def shaped(data: npt.NDArray[np.uint8], lines: Positions) -> Positions:
        starts = _text_starts(data, lines)
        fits = starts + size <= len(data)
        lines, starts = lines[fits], starts[fits]
        if not len(lines):
            return lines
        # One item of `size` bytes a line is gathered at once, several times as fast as byte by byte.
        heads = np.ndarray((len(data) - size + 1,), f"V{size}", data, strides=(1,))[starts]
        grid = heads.view(np.uint8).reshape(-1, size)
        holds = (grid[:, others] == literal).all(axis=1)
        holds &= (grid[:, digits] - np.uint8(48)).max(axis=1, initial=0) <= 9
        return lines if holds.all() else lines[holds]

    return find


def _by_regex(pattern: str) -> Finder:
    anchored = rf"\A(?:{pattern})"

    def find(buffer: bytes, checked: int, before: int) -> Positions:
        data = np.frombuffer(buffer, np.uint8)
        lines = _line_starts(data, 0, checked, before)
        if not len(lines):
            return lines
        ends = np.minimum(_line_ends(data, lines), lines + START_BYTES)
        return lines[_matches(buffer, _text_starts(data, lines), ends, anchored)]

    return find


def _line_ends(data: npt.NDArray[np.uint8], lines: Positions) -> Positions:
    """Behind the line end of each line, which may lie behind the last line that is asked for."""
    last = int(lines[-1])
    ends = np.flatnonzero(data[last:] == LF)
    end = last + int(ends[0]) + 1 if len(ends) else len(data)
    return np.concatenate([lines[1:], [end]])


def _matches(buffer: bytes, starts: Positions, ends: Positions, anchored: str) -> npt.NDArray[np.bool_]:
    # Neighbouring values of one array: the beginnings of lines at even places, what is left out at odd ones.
    offsets = np.stack([starts, ends], axis=1).reshape(-1).astype(np.int32)
    values = pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(buffer)]
    )
    heads = values.take(pa.array(np.arange(0, len(values), 2)))
    found: npt.NDArray[np.bool_] = pc.match_substring_regex(heads, anchored).to_numpy(zero_copy_only=False)
    return found
