"""Days in UTC, whatever zone the session has: the chunks in which gold is built."""

from datetime import UTC, datetime

from pyspark.sql import Column
from pyspark.sql import functions as F

DAY_MICROS = 86_400_000_000


def day_of(moment: str | Column) -> Column:
    """Begin of the day of a timestamp column."""
    days = F.floor(F.unix_micros(moment) / F.lit(DAY_MICROS))
    return F.timestamp_micros(days * F.lit(DAY_MICROS))


def begin_of_day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
