"""Many messages in one buffer, looked at by positions of bytes."""

from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

PAD = 4096
BLANK = 32
WORD = 8

Rows = npt.NDArray[np.int64]
Spans = tuple[Rows, Rows]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]


class Texts:
    """An array of type string without nulls; message i is `data[start[i]:end[i]]`, with PAD zeros around all.

    Spans are pairs (start, end) of positions in `data`. A position may be off by less than PAD / 2 where a
    message turned out not to be what was looked for: what is found there is never right.
    """

    def __init__(self, texts: pa.Array) -> None:
        _, offsets, data = texts.buffers()
        count = len(texts)
        bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + count + 1]
        used = np.frombuffer(data or b"", np.uint8)[bounds[0] : bounds[-1]]
        zeros = np.zeros(PAD, np.uint8)
        self.data: npt.NDArray[np.uint8] = np.concatenate([zeros, used, zeros])
        self._bounds: Rows = bounds.astype(np.int64) - bounds[0] + PAD
        self.start, self.end = self._bounds[:-1], self._bounds[1:]
        self._positions: dict[int, Rows] = {}

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def words(self) -> Words:
        """The WORD bytes from each position on, as one number, the first byte lowest."""
        return np.ndarray((len(self.data) - WORD + 1,), "<u8", self.data, strides=(1,))

    @cached_property
    def blanks(self) -> Rows:
        """Positions of all blanks, and one past all messages."""
        return np.append(np.flatnonzero(self.data == BLANK), len(self.data) - PAD)

    @cached_property
    def _blanks_before(self) -> Rows:
        return np.searchsorted(self.blanks[:-1], self._bounds)

    @property
    def first_blank(self) -> Rows:
        """Per message the number in `blanks` of the first that is not before its start."""
        return self._blanks_before[:-1]

    @property
    def past_blanks(self) -> Rows:
        """Per message the number in `blanks` of the first that is not before its end."""
        return self._blanks_before[1:]

    def last_before(self, byte: int, ends: Rows) -> Rows:
        """Position of the last such byte before each end, -1 where there is none."""
        if byte not in self._positions:
            self._positions[byte] = np.append(np.flatnonzero(self.data == byte), -1)
        places = self._positions[byte]
        return places[np.searchsorted(places[:-1], ends) - 1]

    def pieces(self, at: Rows, size: int) -> npt.NDArray[np.bytes_]:
        """The `size` bytes from each position on; zeros at their end do not count."""
        view = np.ndarray((len(self.data) - size + 1,), f"S{size}", self.data, strides=(1,))
        return view[at]

    def holds(self, at: Rows, literal: bytes) -> Mask:
        """Whether the literal, which holds no zero byte, stands at each position."""
        if not literal:
            return np.ones(len(at), np.bool_)
        result: Mask = self.pieces(at, len(literal)) == literal
        return result

    def strings(self, start: Rows, end: Rows) -> pa.Array:
        """A string per span; spans ascend."""
        return cut_strings(pa.py_buffer(self.data), start, end)


def cut_strings(data: pa.Buffer, start: Rows, end: Rows) -> pa.Array:
    """A string per span of the bytes; spans ascend and do not overlap."""
    count = len(start)
    bounds = np.empty(2 * count + 1, np.int32)
    bounds[0:-1:2], bounds[1::2], bounds[-1] = start, end, end[-1] if count else 0
    pieces = pa.Array.from_buffers(pa.string(), 2 * count, [None, pa.py_buffer(bounds), data])
    return pieces.take(pa.array(np.arange(0, 2 * count, 2)))


def scatter_values(values: pa.Array, rows: Rows, count: int) -> pa.Array:
    """The values in their rows of `count`, null in all others."""
    if len(rows) == count:
        return values
    position = np.full(count, -1, np.int64)
    position[rows] = np.arange(len(rows))
    return values.take(pa.array(position, mask=position < 0))
