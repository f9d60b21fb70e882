"""Rows that come to the driver and go back to Spark are the same, in any zone that the driver is in."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.store.rows import collect_and_recreate, without_plan_if_small

CLOCKS_GO_BACK_AT = datetime(2026, 10, 25, 1, tzinfo=UTC)
HOURS = range(-2, 3)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.spark
@pytest.mark.usefixtures("berlin")
def test_the_hour_that_is_there_twice_stays_twice(spark: SparkSession) -> None:
    times = [CLOCKS_GO_BACK_AT + timedelta(hours=one) for one in HOURS]
    given = spark.createDataFrame([(at,) for at in times], "at timestamp")
    expected = sorted(int(at.timestamp()) for at in times)
    for again in (collect_and_recreate(given)[1], without_plan_if_small(given, len(times))):
        assert again.schema == given.schema
        assert sorted(row.at for row in again.select(F.unix_seconds("at").alias("at")).collect()) == expected


@pytest.mark.spark
def test_more_rows_than_asked_for_stay_where_they_are(spark: SparkSession) -> None:
    many = spark.range(3)
    assert without_plan_if_small(many, 2) is many
    assert [row.id for row in without_plan_if_small(many, 3).collect()] == [0, 1, 2]
