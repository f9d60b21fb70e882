"""The gate says of each table how many of its rows break what their declaration promises, and shows some."""

import polars as pl
import pytest
from polars import col

from pipeline.core.expectations import Expectation, broken_rows
from pipeline.store.gate import judge_layer

RULES = (("size is negative", col("size") < 0),)


def rows(text: str) -> pl.DataFrame:
    parsed = [tuple(int(one) for one in row.split(":")) for row in text.split()]
    return pl.DataFrame(parsed, schema={"id": pl.Int32, "size": pl.Int32}, orient="row")


@pytest.mark.parametrize(
    ("first", "second", "counts", "said"),
    [
        ("1:0 2:5", "1:1 1:2", [0, 0], [None, None]),
        ("1:-1 2:-5 3:0", "1:1", [2, 0], ["size is negative", None]),
        ("1:0 1:1 2:1", "1:-1 1:-1", [1, 2], ["key is not unique", "size is negative"]),
        ("1:-1 1:1", "", [1, 0], ["size is negative", None]),
    ],
    ids=["as declared", "a broken row", "a key twice", "both at once"],
)
def test_broken_rows_are_counted_and_shown(
    first: str, second: str, counts: list[int], said: list[str | None]
) -> None:
    """The second table has no key: rows that are alike are no fault of it."""
    expected = (
        Expectation("silver.one", "as_declared", "critical", RULES, ("id",)),
        Expectation("silver.two", "as_declared", "warning", RULES),
    )
    tables = [
        (one, broken_rows(rows(text), one)) for one, text in zip(expected, (first, second), strict=True)
    ]
    found = judge_layer("c", "run", "silver", tables)
    assert [one["table"] for one in found] == ["silver.one", "silver.two"]
    assert [one["unexpected_count"] for one in found] == counts
    assert [one["is_met"] for one in found] == [not count for count in counts]
    assert [one["severity"] for one in found] == ["critical", "warning"]
    for one, words in zip(found, said, strict=True):
        assert (words in one["sentence"]) if words else (one["sentence"] is None)
