"""Which rows are of some segments: by stretches of numbers, few or many."""

import pytest
from pyspark.sql import SparkSession

from jobs.inputs import MOST_STRETCHES, is_among

LAST = 4 * MOST_STRETCHES


@pytest.mark.spark
@pytest.mark.parametrize(
    "load_seqs",
    [
        pytest.param([], id="none"),
        pytest.param([5, 3, 4, 9], id="two stretches, in no order"),
        pytest.param(list(range(1, LAST, 2)), id="more stretches than a condition has"),
    ],
)
def test_rows_of_these_segments_and_no_others(spark: SparkSession, load_seqs: list[int]) -> None:
    rows = spark.range(LAST).withColumnRenamed("id", "load_seq").where(is_among(load_seqs))
    assert sorted(row["load_seq"] for row in rows.collect()) == sorted(load_seqs)
