"""Rule on controllers that took over beside each other, and of which one found itself alone."""

from datetime import timedelta

import polars as pl
from polars import col

from pipeline.core.made_of import needs_rows_of

# The steps of one take-over.
ONE_START = timedelta(minutes=1)


@needs_rows_of("lives")
def without_apart(lives: pl.DataFrame, apart: pl.DataFrame) -> pl.DataFrame:
    """Findings of new_life without those at a take-over of a controller that is apart: nothing began anew, two clusters
    are side by side."""
    began = apart.select("cluster_id", apart_at="valid_from_at")
    same = (
        lives.select("cluster_id", "valid_from_at")
        .join(began, on="cluster_id")
        .filter((col("valid_from_at") - col("apart_at")).abs() < ONE_START)
    )
    return lives.join(same, on=["cluster_id", "valid_from_at"], how="anti")
