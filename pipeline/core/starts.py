"""Finds the lines of a buffer that a pattern begins, without looking at them one by one where it can."""

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

START_BYTES = 256

LF = 10
DIGIT = -1
_TOKEN = re.compile(r"\\d(?:\{(\d+)\})?|\\([^\w])|([^\\.*+?()\[\]{}|^$])")

Finder = Callable[[bytes, int, int], npt.NDArray[np.int64]]


@lru_cache(maxsize=64)
def start_finder(pattern: str) -> Finder:
    """A function (buffer, checked, before) -> positions below `checked`, ascending, where a line
    starts that `pattern` matches. `before`: the byte before the buffer, LF where it starts a line.

    A pattern of literals and `\\d`, `\\d{n}` only is compared as columns of bytes, all lines at once;
    any other is tried line by line. Bytes beyond `START_BYTES` of a line are not seen.
    """
    shape = _fixed_shape(pattern)
    return _by_regex(pattern) if shape is None else _by_shape(shape)


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


def _line_starts(data: npt.NDArray[np.uint8], checked: int, before: int) -> npt.NDArray[np.int64]:
    lines = np.flatnonzero(data[: max(checked - 1, 0)] == LF) + 1
    if before == LF and checked > 0:
        lines = np.concatenate([np.zeros(1, lines.dtype), lines])
    return lines.astype(np.int64)


def _by_shape(shape: tuple[int, ...]) -> Finder:
    size = len(shape)
    digits = [place for place, expected in enumerate(shape) if expected == DIGIT]
    others = [place for place, expected in enumerate(shape) if expected != DIGIT]
    literal = np.array([shape[place] for place in others], np.uint8)

    def find(buffer: bytes, checked: int, before: int) -> npt.NDArray[np.int64]:
        data = np.frombuffer(buffer, np.uint8)
        lines = _line_starts(data, checked, before)
        lines = lines[lines + size <= len(data)]
        if not len(lines):
            return lines
        # One item of `size` bytes a line is gathered at once, several times as fast as byte by byte.
        heads = np.ndarray((len(data) - size + 1,), f"V{size}", buffer, strides=(1,))[lines]
        grid = heads.view(np.uint8).reshape(-1, size)
        holds = (grid[:, others] == literal).all(axis=1)
        holds &= (grid[:, digits] - np.uint8(48)).max(axis=1, initial=0) <= 9
        return lines if holds.all() else lines[holds]

    return find


def _by_regex(pattern: str) -> Finder:
    match = re.compile(pattern.encode()).match

    def find(buffer: bytes, checked: int, before: int) -> npt.NDArray[np.int64]:
        lines = _line_starts(np.frombuffer(buffer, np.uint8), checked, before)
        found = [at for at in lines.tolist() if match(buffer, at, at + START_BYTES)]
        return np.array(found, np.int64)

    return find
