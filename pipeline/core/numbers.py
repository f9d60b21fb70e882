"""Reads whole numbers out of spans of bytes, eight digits at a time, all spans at once."""

import re
from dataclasses import dataclass

import numpy as np

from pipeline.core.texts import WORD, Mask, Rows, Texts, Words

_SHAPE = re.compile(r"(-\?)?(?:\[0-9\]|\\d)(?:\{1,(\d+)\}|\+)")
_MINUS = 45
LONGEST = 19

_U = np.uint64
_ZEROS, _HIGH, _CARRY = _U(0x3030303030303030), _U(0x8080808080808080), _U(0x4646464646464646)
_PAIRS, _LEFT, _RIGHT = _U(0x000000FF000000FF), _U(0x000F424000000064), _U(0x0000271000000001)
_ALL = _U(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class NumberShape:
    """A pattern that admits up to `digits` digits and, where `is_signed`, a minus before them."""

    digits: int
    is_signed: bool


def number_shape(pattern: str) -> NumberShape | None:
    """The shape of a pattern such as `-?[0-9]{1,10}`; None if the pattern is not of that kind."""
    found = _SHAPE.fullmatch(pattern)
    if found is None:
        return None
    digits = int(found[2]) if found[2] else LONGEST + 1
    return NumberShape(digits, found[1] is not None) if digits <= LONGEST else None


def parse_numbers(texts: Texts, start: Rows, end: Rows, shape: NumberShape) -> tuple[Rows, Mask]:
    """The numbers as int64, and where the span is one of that shape; elsewhere the number means nothing.

    More than 18 digits may wrap around.
    """
    if shape.is_signed:
        is_negative = texts.data[start] == _MINUS
        first = start + is_negative
    else:
        is_negative, first = np.zeros(len(start), np.bool_), start
    size = end - first
    good = (size >= 1) & (size <= shape.digits)
    value, is_digits = _eight(texts, end, np.clip(size, 1, WORD))
    good &= is_digits
    scale = 10**WORD
    for skipped in range(WORD, min(shape.digits, LONGEST), WORD):
        longer = np.flatnonzero(good & (size > skipped))
        if not len(longer):
            break
        more, is_digits = _eight(texts, end[longer] - skipped, np.clip(size[longer] - skipped, 1, WORD))
        good[longer] &= is_digits
        value[longer] += more * scale
        scale *= 10**WORD
    return np.where(is_negative, -value, value), good


def _eight(texts: Texts, end: Rows, size: Rows) -> tuple[Rows, Mask]:
    """The number of the last `size` (1 to 8) bytes before each end, and whether all are digits."""
    word: Words = texts.words[end - WORD]
    kept = _ALL << (_U(8) * (_U(WORD) - size.astype(np.uint64)))
    word = (word & kept) | (_ZEROS & ~kept)
    is_digits: Mask = (((word + _CARRY) | (word - _ZEROS)) & _HIGH) == 0
    word = word - _ZEROS
    word = word * _U(10) + (word >> _U(8))
    word = ((word & _PAIRS) * _LEFT + ((word >> _U(16)) & _PAIRS) * _RIGHT) >> _U(32)
    return word.astype(np.int64), is_digits
