"""Files that several nodes wrote: which lines may be of one node is not seen by the file."""

import polars as pl
from polars import col


def without_nodes_where_shared(segments: pl.DataFrame) -> pl.DataFrame:
    """Rows of bronze.source_file; of a cluster whose nodes share a file (has_shared) without their nodes: lines of each
    may stand in it, and in files of their own."""
    has_shared = col("is_shared").fill_null(value=False).any().over("cluster_id")
    return segments.with_columns(has_shared=has_shared, node_id=pl.when(~has_shared).then("node_id"))
