"""Which offsets of KRaft's metadata log each copy holds, what of it is void, and what is committed for certain."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of
from pipeline.model.metadata.stretches import certain_until, epoch_limits, log_of
from schemas.silver.metadata_span import SPEC

RUN = ("cluster_id", "file_id", "controller_epoch")


@made_of(SPEC, "metadata_part")
def build(metadata_part: pl.DataFrame) -> pl.DataFrame:
    """One row per unbroken stretch of offsets of one epoch in one file, over all runs that read of it.

    Order: first_offset within the file.
    Source: KafkaRaftClient and LogOffsetMetadata: a follower cuts what a later epoch does not have, 2.8 to 4.4.
    """
    offset, by = certain_until(metadata_part)
    rows = log_of(metadata_part).sort("file_id", "first_offset", "load_seq")
    is_new = (col("first_offset") != col("last_offset").shift(1) + 1).fill_null(value=True).over(RUN)
    limit = col("valid_until_offset")
    return (
        rows.with_columns(stretch=is_new.cast(pl.Int32).cum_sum().over(RUN))
        .group_by(*RUN, "stretch", maintain_order=True)
        .agg(
            col("node_id").first(),
            col("path").last(),
            col("controller_id").drop_nulls().last(),
            col("first_offset").first(),
            col("last_offset").last(),
            col("first_at").min(),
            col("last_at").max(),
            col("record_count", "no_op_count").sum(),
            col("ended_how").last(),
        )
        .join(epoch_limits(metadata_part), on="controller_epoch")
        .with_columns(
            void_from_offset=when(limit <= col("last_offset")).then(limit),
            certain_until_offset=lit(offset, pl.Int64),
            certain_by=lit(by, pl.String),
        )
        .select(SPEC.columns)
    )
