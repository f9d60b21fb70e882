"""Puts values found for groups of rows back into columns of the whole batch."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from pipeline.core.texts import Rows, scatter_values

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
    if len(pieces) == 1:
        return scatter_values(pieces[0].values, pieces[0].rows, count)
    rows = np.concatenate([piece.rows for piece in pieces])
    source = np.full(count, -1, np.int64)
    source[rows] = np.arange(len(rows))
    values = pa.concat_arrays([piece.values for piece in pieces])
    return values.take(pa.array(source, mask=source < 0))
