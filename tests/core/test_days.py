"""Begins of hours and days, in sessions of any zone."""

from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

from pipeline.core.days import day_of, hour_of

pytestmark = pytest.mark.spark
MOMENTS = ["2026-11-21 08:59:59.999999", "1969-12-31 23:59:59", "2026-11-21 00:00:00", "2026-03-29 01:30:00"]


@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns", "Asia/Kathmandu"])
def test_hours_and_days_are_those_of_utc(spark: SparkSession, zone: str) -> None:
    times = [datetime.fromisoformat(one).replace(tzinfo=UTC) for one in MOMENTS]
    kept = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", zone)
    rows = spark.createDataFrame([(one,) for one in times], "at timestamp").select(
        hour_of("at"), day_of("at")
    )
    found = [tuple(one.astimezone(UTC) for one in row) for row in rows.collect()]
    spark.conf.set("spark.sql.session.timeZone", kept)
    hours = [one.replace(minute=0, second=0, microsecond=0) for one in times]
    assert found == [(one, one.replace(hour=0)) for one in hours]
