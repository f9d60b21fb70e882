"""Puts values found for groups of rows back into columns of the whole batch."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipeline.core.dispatch import Rows

MAP_TYPE = pa.map_(pa.string(), pa.field("value", pa.string(), nullable=False))


@dataclass(frozen=True)
class Piece:
    """Values of one column for some rows of the batch, in the order of `rows`."""

    rows: Rows
    values: pa.Array


def gather_column(pieces: Sequence[Piece], count: int, kind: pa.DataType) -> pa.Array:
    """A column of `count` rows of type `kind`, null in rows that no piece names."""
    if not pieces:
        return pa.nulls(count, kind)
    source = np.full(count, -1, np.int64)
    rows = np.concatenate([piece.rows for piece in pieces])
    source[rows] = np.arange(len(rows))
    values = pa.concat_arrays([piece.values for piece in pieces])
    return values.take(pa.array(source, mask=source < 0))


def gather_map(entries: Sequence[tuple[Rows, str, pa.Array]], chosen: npt.NDArray[np.int64]) -> pa.Array:
    """map<string, string> of (rows, key, values), keys in the order given.

    Null where a row has no entry, or `chosen` is negative.
    """
    count = len(chosen)
    if not entries:
        return pa.nulls(count, MAP_TYPE)
    rows = np.concatenate([r for r, _, _ in entries])
    names = list(dict.fromkeys(name for _, name, _ in entries))
    codes = np.concatenate([np.full(len(r), names.index(name), np.int32) for r, name, _ in entries])
    values = pa.concat_arrays([v for _, _, v in entries])
    order = np.argsort(rows, kind="stable")
    order = order[chosen[rows[order]] >= 0]
    sizes = np.bincount(rows[order], minlength=count)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    keys = pa.array(names, pa.string()).take(pa.array(codes[order]))
    mask = pa.array(sizes == 0)
    return pa.MapArray.from_arrays(
        pa.array(offsets), keys, values.take(pa.array(order)), type=MAP_TYPE, mask=mask
    )
