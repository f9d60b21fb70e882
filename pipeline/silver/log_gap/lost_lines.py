"""Lines that were read, and that the warehouse has lost."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.lost_segments import UNNAMED, still_lost


@needs_rows_of("lost_segment")
def lost_in_warehouse(lost_segment: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """One gap a segment; of a file that several nodes or logs share the node or the log is null."""
    sentence = "lost in the warehouse: {} records of {}, bytes {} to {}, and no log holds them any more"
    unnamed = (
        "lost in the warehouse: {} records, of which nothing is left that names their files; 'repair' with --logs "
        "says whether a log holds them"
    )
    return still_lost(lost_segment, source_file).select(
        *("cluster_id", "node_id", "file_id", "path", "record_count"),
        log=when(col("log") != "mixed").then("log"),
        from_at="first_logged_at",
        until_at="last_logged_at",
        kind=lit("lost_in_warehouse"),
        certainty=lit("proved"),
        sentence=when(col("file_id") == UNNAMED)
        .then(pl.format(unnamed, "record_count"))
        .otherwise(pl.format(sentence, "record_count", "path", "start_offset", "consumed_bytes")),
    )
