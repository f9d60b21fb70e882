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
        return Span.for_each(column, value=True) if self.begin is None else as_column(column) >= self.begin

    def before(self, column: str | pl.Expr) -> pl.Expr:
        """True for times before the span; null where there is no time and the span has a begin."""
        return Span.for_each(column, value=False) if self.begin is None else as_column(column) < self.begin

    def reached_by(self, column: str | pl.Expr) -> pl.Expr:
        """True for ends in the span, and where there is none: what goes on."""
        return self.since(column).fill_null(value=True)

    @staticmethod
    def for_each(column: str | pl.Expr, *, value: bool) -> pl.Expr:
        """The value for each row. Polars 2.1 refuses a literal with fill_null() as the filter of 100,000 rows."""
        is_there = as_column(column).is_null().is_not_null()
        return is_there if value else ~is_there


ALL_TIME = Span()


def as_column(column: str | pl.Expr) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column
