"""CRC-32C of many stretches of bytes at once."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Sums = NDArray[np.uint32]
Places = NDArray[np.int64]

POLYNOMIAL = 0x82F63B78
WIDTH = 64  # bytes of a chunk
FLIPPED = 4  # the first bytes of a stretch, which are inverted in place of a start value of all ones
MOST_CHUNKS = 1 << 14  # that are looked at together
FEW = 8  # stretches that are folded one by one
ONES = np.uint32(0xFFFFFFFF)


@cache
def _tables() -> Sums:
    """By place in a chunk and byte what it adds to the sum of the chunk; WIDTH by 256."""
    one = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        one = (one >> np.uint32(1)) ^ np.where(one & np.uint32(1), np.uint32(POLYNOMIAL), np.uint32(0))
    tables = np.empty((WIDTH, 256), np.uint32)
    tables[-1] = one
    for place in range(WIDTH - 2, -1, -1):
        before = tables[place + 1]
        tables[place] = (before >> np.uint32(8)) ^ one[before & np.uint32(0xFF)]
    return tables


def sum_stretches(data: Bytes, starts: Places, lengths: Places) -> Sums:
    """The CRC-32C of each stretch of data; lengths: FLIPPED bytes at least.

    Each is cut into chunks, with zeros in front, which change nothing of a sum that begins with zero. The sums of all
    chunks are taken at once, those of a stretch are folded in order.
    """
    if not len(starts):
        return np.empty(0, np.uint32)
    if int(lengths[0]) <= WIDTH and _is_regular(starts, lengths):
        return _regular_sums(data, starts, int(lengths[0])) ^ ONES
    counts = -(-lengths // WIDTH)
    firsts = np.cumsum(counts) - counts
    owner = np.repeat(np.arange(len(starts)), counts)
    sums = np.empty(int(counts.sum()), np.uint32)
    for begin in range(0, len(sums), MOST_CHUNKS):
        some = slice(begin, begin + MOST_CHUNKS)
        own = owner[some]
        place = np.arange(begin, begin + len(own)) - firsts[own]
        behind = starts[own] + lengths[own] - (counts[own] - place - 1) * WIDTH
        sums[some] = _chunk_sums(data, behind, starts[own])
    return _folded(sums, firsts, counts) ^ ONES


def _is_regular(starts: Places, lengths: Places) -> bool:
    """True if all are of one length, and as far from one another, as those of an idle controller are."""
    return bool((lengths == lengths[0]).all() and (np.diff(starts, 2) == 0).all())


def rows_at(data: Bytes, starts: Places, length: int) -> Bytes:
    """So many bytes from each place on, a row each; where the places are at equal distances, without a copy."""
    step = int(starts[1] - starts[0]) if len(starts) > 1 else length
    if len(starts) and step > 0 and (np.diff(starts) == step).all():
        first = data[int(starts[0]) : int(starts[-1]) + length]
        return np.lib.stride_tricks.as_strided(first, (len(starts), length), (step, 1), writeable=False)
    found: Bytes = data[starts[:, None] + np.arange(length)]
    return found


def _regular_sums(data: Bytes, starts: Places, length: int) -> Sums:
    """Of short stretches of one length at equal distances. What all have alike at one place is looked up once."""
    rows = rows_at(data, starts, length)
    found = np.zeros(len(starts), np.uint32)
    for place, table in enumerate(_tables()[-length:]):
        value = rows[:, place] if place >= FLIPPED else rows[:, place] ^ 0xFF
        first = value[0]
        found ^= table[first] if (value == first).all() else table.take(value)
    return found


def _chunk_sums(data: Bytes, behind: Places, starts: Places) -> Sums:
    """Of chunks that end before `behind`; bytes before the start of their stretch are zeros."""
    tables = _tables()
    found = np.zeros(len(behind), np.uint32)
    for place in range(WIDTH):
        at = behind - (WIDTH - place)
        value = data[np.maximum(at, 0)]
        from_start = at - starts
        if (from_start < FLIPPED).any():
            value = np.where(from_start < 0, 0, np.where(from_start < FLIPPED, value ^ 0xFF, value))
        found ^= tables[place].take(value)
    return found


def _folded(sums: Sums, firsts: Places, counts: Places) -> Sums:
    """The sum of each stretch out of those of its chunks, which end together."""
    shift = _tables()[:4]
    order = np.argsort(-counts, kind="stable")
    ordered, state = counts[order], np.zeros(len(counts), np.uint32)
    longest = int(ordered[0])
    active = np.searchsorted(-ordered, -(longest - np.arange(longest)), side="right")
    alone = int(np.searchsorted(active, FEW, side="right"))
    few = int(active[alone - 1]) if alone else 0
    for row in range(few):
        begin = int(firsts[order[row]])
        until = begin + int(ordered[row]) - (longest - alone)
        state[row] = _fold_one(sums[begin:until], shift)
    for step in range(alone, longest):
        some = order[: active[step]]
        before = state[: active[step]]
        moved = shift[0][before & 0xFF] ^ shift[1][(before >> 8) & 0xFF]
        moved ^= shift[2][(before >> 16) & 0xFF] ^ shift[3][before >> 24]
        state[: active[step]] = moved ^ sums[firsts[some] + counts[some] - longest + step]
    found = np.empty(len(counts), np.uint32)
    found[order] = state
    return found


def _fold_one(sums: Sums, shift: Sums) -> int:
    a, b, c, d = (one.tolist() for one in shift)
    state = 0
    for one in sums.tolist():
        state = a[state & 0xFF] ^ b[(state >> 8) & 0xFF] ^ c[(state >> 16) & 0xFF] ^ d[state >> 24] ^ one
    return state
