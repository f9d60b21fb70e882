"""A time as people read it."""

from datetime import UTC, datetime


def day_clock(moment: datetime) -> str:
    """Day and time of day in UTC with milliseconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
