"""The time that a kernel builds: from the begin of a day on, or all of it."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl


@dataclass(frozen=True)
class Span:
    """From `begin` on; None: all time. Of what was before it a kernel knows what it takes as `..._before`."""

    begin: datetime | None = None

    @property
    def is_all(self) -> bool:
        return self.begin is None

    def since(self, column: str | pl.Expr) -> pl.Expr:
        """True for times in the span; null where there is no time and the span has a begin."""
        return pl.lit(value=True) if self.begin is None else as_column(column) >= self.begin

    def before(self, column: str | pl.Expr) -> pl.Expr:
        """True for times before the span; null where there is no time and the span has a begin."""
        return pl.lit(value=False) if self.begin is None else as_column(column) < self.begin

    def reached_by(self, column: str | pl.Expr) -> pl.Expr:
        """True for ends in the span, and where there is none: what goes on."""
        return self.since(column).fill_null(value=True)


ALL_TIME = Span()


def as_column(column: str | pl.Expr) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column
