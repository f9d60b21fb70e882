"""Days and hours in UTC, whatever zone the session has: zones of half hours cut hours elsewhere (date_trunc)."""

from datetime import UTC, datetime

from pyspark.sql import Column
from pyspark.sql import functions as F

DAY_MICROS, HOUR_MICROS = 86_400_000_000, 3_600_000_000


def day_of(moment: str | Column) -> Column:
    """Begin of the day of a timestamp column: the chunks in which gold is built."""
    return begin_of(moment, DAY_MICROS)


def hour_of(moment: str | Column) -> Column:
    """Begin of the hour of a timestamp column."""
    return begin_of(moment, HOUR_MICROS)


def begin_of(moment: str | Column, length: int) -> Column:
    micros = F.unix_micros(moment)
    return F.timestamp_micros(micros - F.pmod(micros, F.lit(length)))


def begin_of_day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
