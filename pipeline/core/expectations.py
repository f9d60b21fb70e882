"""What a declaration promises of rows: nothing missing, closed lists kept, checks held, no two rows with one key."""

from dataclasses import dataclass

import polars as pl
from polars import col, lit, when

from schemas.spec import Check, TableSpec


@dataclass(frozen=True)
class Expectation:
    """No row of a table may break it. rules: by what is said of a row the condition that breaks it, null where it does
    not. key: columns that no two rows share; empty where that is not asked."""

    table: str
    name: str
    severity: str
    rules: tuple[tuple[str, pl.Expr], ...]
    key: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """What broken_rows() looks at, where there is a key."""
        named = (name for _, is_broken in self.rules for name in is_broken.meta.root_names())
        return tuple(dict.fromkeys((*self.key, *named)))


def expectation_of(spec: TableSpec) -> Expectation:
    missing = [(f"{one.name} is missing", col(one.name).is_null()) for one in spec.fields if not one.nullable]
    other = [
        (f"{one.name} is not in its list", ~col(one.name).is_in(one.accepted))
        for one in spec.fields
        if one.accepted
    ]
    broken = [(f"not {check.name}", ~check_expression(check)) for check in spec.checks]
    return Expectation(spec.name, "as_declared", "critical", (*missing, *other, *broken), spec.key)


def check_expression(check: Check) -> pl.Expr:
    """The condition of a check, which is SQL of the tables; its one function has another name in frames."""
    return pl.sql_expr(check.condition.replace("cardinality(", "array_length("))


def sound_rows(rows: pl.DataFrame, expectation: Expectation) -> pl.DataFrame:
    """The rows that break nothing. Of rows that share a key none is: which of them is right, nothing tells."""
    rules = [rule.fill_null(value=False) for _, rule in expectation.rules]
    is_broken = pl.any_horizontal(lit(value=False), *rules)
    is_alone = pl.len().over(expectation.key) == 1 if expectation.key else lit(value=True)
    return rows.filter(~is_broken & is_alone)


def sifted_rows(rows: pl.DataFrame, expectation: Expectation) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows that break nothing, and broken_rows()."""
    broken = broken_rows(rows, expectation)
    return (rows if broken.is_empty() else sound_rows(rows, expectation)), broken


def broken_rows(rows: pl.DataFrame, expectation: Expectation) -> pl.DataFrame:
    """(broken, row) of what breaks it: what is said, and the key, or the first columns, as text."""
    key = list(expectation.key or rows.columns[:3])
    said = [when(is_broken).then(lit(words)) for words, is_broken in expectation.rules]
    judged = rows.select(*key, broken=pl.concat_str(said, separator=", ", ignore_nulls=True))
    judged = judged.with_columns(broken=when(col("broken") != "").then("broken"))
    if expectation.key:
        twice = when(col("number") > 1).then(lit("key is not unique"))
        counted = judged.group_by(key).agg(said=col("broken").drop_nulls().min(), number=pl.len())
        judged = counted.with_columns(broken=pl.coalesce("said", twice))
    found = judged.filter(col("broken").is_not_null())
    return found.select("broken", row=pl.struct(key).struct.json_encode())
