"""Which rows of a table are asked for: conditions that a store and frames take alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, Literal

import polars as pl
from polars import col

Value = datetime | str | int
Operator = Literal["<", ">=", "=", "<>"]


class Condition:
    """A row that the condition is unknown of (a column is null) is not asked for, as in SQL."""

    def __and__(self, other: "Condition") -> "Condition":
        return Both(self, other)

    def __or__(self, other: "Condition") -> "Condition":
        return Either(self, other)

    def __invert__(self) -> "Condition":
        return Not(self)

    def polars(self) -> pl.Expr:
        raise TypeError(f"{type(self).__name__} has no expression")


@dataclass(frozen=True)
class Compared(Condition):
    column: str
    operator: Operator
    value: Value

    def polars(self) -> pl.Expr:
        found: pl.Expr = compare_values(col(self.column), self.operator, pl.lit(self.value))
        return found


@dataclass(frozen=True)
class IsNull(Condition):
    column: str

    def polars(self) -> pl.Expr:
        return col(self.column).is_null()


@dataclass(frozen=True)
class IsIn(Condition):
    column: str
    values: tuple[Value, ...]

    def polars(self) -> pl.Expr:
        return col(self.column).is_in(self.values) if self.values else pl.lit(value=False)


@dataclass(frozen=True)
class HasAny(Condition):
    """Of a column of lists: one of the values is in it."""

    column: str
    values: tuple[str, ...]

    def polars(self) -> pl.Expr:
        return col(self.column).list.set_intersection(pl.lit(list(self.values))).list.len() > 0


@dataclass(frozen=True)
class Both(Condition):
    one: Condition
    other: Condition

    def polars(self) -> pl.Expr:
        return self.one.polars() & self.other.polars()


@dataclass(frozen=True)
class Either(Condition):
    one: Condition
    other: Condition

    def polars(self) -> pl.Expr:
        return self.one.polars() | self.other.polars()


@dataclass(frozen=True)
class Not(Condition):
    one: Condition

    def polars(self) -> pl.Expr:
        return ~self.one.polars()


def compare_values(named: Any, operator: Operator, value: Any) -> Any:
    by_operator = {"<": named < value, ">=": named >= value, "=": named == value, "<>": named != value}
    return by_operator[operator]


def column_before(column: str, value: Value) -> Condition:
    return Compared(column, "<", value)


def column_since(column: str, value: Value) -> Condition:
    return Compared(column, ">=", value)


def column_equals(column: str, value: Value) -> Condition:
    return Compared(column, "=", value)


def column_differs(column: str, value: Value) -> Condition:
    return Compared(column, "<>", value)


def is_in(column: str, values: Sequence[Value]) -> Condition:
    return IsIn(column, tuple(values))


def column_reaching(column: str, start: datetime) -> Condition:
    """Of an end: it is not before `start`, or there is none."""
    return column_since(column, start) | IsNull(column)


def all_conditions(*conditions: Condition | None) -> Condition | None:
    """Those that are given, together; None, which all rows meet, if none is."""
    given = [one for one in conditions if one is not None]
    return reduce(Both, given) if given else None


def is_reaching_implied(condition: Condition | None, column: str, start: datetime) -> bool:
    """True if the condition alone tells that each of its rows reaches `start`, as `reaching` says it."""
    match condition:
        case Both(one, other):
            return is_reaching_implied(one, column, start) or is_reaching_implied(other, column, start)
        case Either(one, other):
            return is_reaching_implied(one, column, start) and is_reaching_implied(other, column, start)
        case IsNull(name):
            return name == column
        case Compared(name, ">=" | "=", datetime() as value):
            return name == column and value >= start
    return False
