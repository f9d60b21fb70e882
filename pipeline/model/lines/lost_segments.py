"""Segments of logs that the warehouse had read and lost, and that were not read again since."""

import polars as pl
from polars import col

# The file of a row that stands for all segments of which nothing is left but what ops.run counted. `repair` takes it
# out once as many records were read again.
UNNAMED = "unknown"

FILE = ("cluster_id", "file_id")
SEGMENT = (*FILE, "start_offset", "consumed_bytes")


def still_lost(lost_segment: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """Rows of bronze.lost_segment, each stretch of a file once, without those whose bytes are held again: a file that
    came back, as from a backup, is read as any other."""
    lost = lost_segment.sort("load_seq").unique(SEGMENT, keep="last", maintain_order=True)
    held = source_file.select(*FILE, held_from="start_offset", held_until="consumed_bytes")
    begin, end = (
        pl.max_horizontal("start_offset", "held_from"),
        pl.min_horizontal("consumed_bytes", "held_until"),
    )
    again = (
        lost.select(SEGMENT)
        .join(held, on=FILE)
        .group_by(SEGMENT)
        .agg(held_bytes=(end - begin).clip(lower_bound=0).sum())
        .filter(col("held_bytes") >= col("consumed_bytes") - col("start_offset"))
    )
    return lost.join(again, on=SEGMENT, how="anti")
