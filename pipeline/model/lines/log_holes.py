"""Stretches of a day or more of which no file has lines."""

from datetime import timedelta

import polars as pl
from polars import col, when

FILE = ("cluster_id", "file_id")
LEAST = timedelta(days=1)  # of a day that is missing; releases before 3.7 may print nothing for a night


def log_holes(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, hole_from_at, hole_until_at): from the last of these lines to the next one, a day or more later, in
    another file. A process appends to its file: within one a node that is silent had nothing to say."""
    files = (
        wording_seen.group_by(FILE)
        .agg(from_at=col("first_at").min(), until_at=col("last_at").max())
        .drop_nulls()
        .sort("cluster_id", "from_at", "file_id")
    )
    last_at = col("until_at").cum_max().shift(1).over("cluster_id")
    return (
        files.with_columns(hole_from_at=when(col("from_at") - last_at >= LEAST).then(last_at))
        .filter(col("hole_from_at").is_not_null())
        .select("cluster_id", "hole_from_at", hole_until_at="from_at")
    )
