"""Steps that are asked for nothing: they run once for each shape of what they are given."""

import polars as pl
import pytest
from polars import col

from pipeline.core.made_of import needs_rows_of

ROWS = pl.DataFrame({"a": [1]})
OTHER = pl.DataFrame({"b": [1, 2]})


@pytest.fixture
def calls() -> list[int]:
    return []


@pytest.mark.parametrize(
    ("given", "times"),
    [
        ([(ROWS, "a"), (ROWS, "a")], 2),
        ([(ROWS.clear(), "a"), (ROWS.clear(), "a")], 1),
        ([(ROWS.clear(), "a"), (ROWS.clear(), "z")], 2),
        ([(ROWS.clear(), "a"), (ROWS.cast(pl.Int8).clear(), "a")], 2),
        ([(ROWS.clear(), col("a")), (ROWS.clear(), col("a"))], 2),
    ],
)
def test_how_often_it_runs(
    given: list[tuple[pl.DataFrame, str | pl.Expr]], times: int, calls: list[int]
) -> None:
    @needs_rows_of("rows")
    def named(rows: pl.DataFrame, name: str | pl.Expr, more: pl.DataFrame) -> pl.DataFrame:
        calls.append(more.height)
        return rows.with_columns(pl.lit(1).alias(name) if isinstance(name, str) else name)

    found = [named(rows, name, more=OTHER) for rows, name in given]
    assert len(calls) == times
    expected = [
        rows.with_columns(pl.lit(1).alias(name) if isinstance(name, str) else name) for rows, name in given
    ]
    assert all(
        one.equals(other) and one.schema == other.schema for one, other in zip(found, expected, strict=True)
    )


def test_what_comes_after_is_not_what_was_known(calls: list[int]) -> None:
    @needs_rows_of("left", "right")
    def both(left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        calls.append(len(left))
        return pl.concat([left, right])

    assert both(ROWS.clear(), ROWS.clear()).is_empty()
    assert both(ROWS.clear(), ROWS).equals(ROWS)
    assert both(left=ROWS, right=ROWS.clear()).equals(ROWS)
    assert both(ROWS.clear(), right=ROWS.clear()).is_empty()
    assert calls == [0, 0, 1, 0]
