"""Which outages of partitions belong to one event: what one controller noticed of one kind within a second."""

import polars as pl
from polars import col

EVENT = ("second_at", "root_event", "term_id")


def with_event(outages: pl.DataFrame) -> pl.DataFrame:
    """Adds second_at: rows of gold.partition_outage with the columns of EVENT, one event per cluster and EVENT."""
    return outages.with_columns(second_at=col("noticed_at").dt.truncate("1s"))
