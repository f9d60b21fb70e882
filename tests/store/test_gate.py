"""The gate says of each table how many of its rows break what their declaration promises, and shows some."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from pipeline.store.gate import Expectation, count_broken, judge

WRONG = "CASE WHEN size < 0 THEN 'size is negative' END"


def rows(spark: SparkSession, text: str) -> DataFrame:
    return spark.createDataFrame(
        [tuple(int(one) for one in row.split(":")) for row in text.split()], "id int, size int"
    )


@pytest.mark.spark
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
    spark: SparkSession, first: str, second: str, counts: list[int], said: list[str | None]
) -> None:
    """The second table has no key: rows that are alike are no fault of it."""
    schema = "id int, size int"
    tables = [
        (rows(spark, first), Expectation("silver.one", "as_declared", "critical", WRONG, ("id",))),
        (
            rows(spark, second) if second else spark.createDataFrame([], schema),
            Expectation("silver.two", "as_declared", "warning", WRONG),
        ),
    ]
    found = judge("c", "run", "silver", tables, count_broken(tables))
    assert [one["table"] for one in found] == ["silver.one", "silver.two"]
    assert [one["unexpected_count"] for one in found] == counts
    assert [one["is_met"] for one in found] == [not count for count in counts]
    assert [one["severity"] for one in found] == ["critical", "warning"]
    for one, words in zip(found, said, strict=True):
        assert (words in one["sentence"]) if words else (one["sentence"] is None)
