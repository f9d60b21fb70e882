"""Lines as evidence names them: lists of (file_id, byte_offset)."""

from collections.abc import Sequence

import polars as pl
from polars import col, lit, when

LINE = ("file_id", "byte_offset")
LINES_TYPE = pl.List(pl.Struct({"file_id": pl.String, "byte_offset": pl.Int64}))
NO_LINES = lit([], LINES_TYPE)
FIRST = 4


def evidence_line(of: Sequence[str] = LINE) -> pl.Expr:
    """One line, which these two columns name."""
    return pl.struct(col(name).alias(field) for name, field in zip(of, LINE, strict=True))


def known_lines(*of: Sequence[str]) -> pl.Expr:
    """The lines that pairs of columns name, without those that are null."""
    own = (
        when(col(one[0]).is_not_null()).then(pl.concat_list(evidence_line(one))).otherwise(NO_LINES)
        for one in of
    )
    return pl.concat_list(own)


def outermost_lines(lines: pl.Expr) -> pl.Expr:
    """The first four of a list and the last."""
    is_short = lines.list.len() <= FIRST
    return when(is_short).then(lines).otherwise(pl.concat_list(lines.list.head(FIRST), lines.list.tail(1)))
