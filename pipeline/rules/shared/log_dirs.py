"""What the rules on failed log directories share."""

import polars as pl
from polars import col

from pipeline.core.made_of import needs_rows_of
from pipeline.rules.shared.wording import filled_text

BROKER = ("cluster_id", "broker_id")
# Directories of a broker that fail so soon one after the other are one failure: of a controller, of a file system.
ONE_FAILURE = pl.duration(minutes=5)
NOTICED = pl.duration(seconds=5)


@needs_rows_of("lost")
def group_log_dir_failures(lost: pl.DataFrame) -> pl.DataFrame:
    """One row per failure of a broker: of its directories that fail soon after one another and are back together."""
    same = (*BROKER, "back_at")
    is_apart = (col("failed_at") - col("failed_at").shift(1).over(same) > ONE_FAILURE).fill_null(value=True)
    why = ("event", "exception_class", "exception_message")
    has_cause = col("exception_class").is_not_null()
    return (
        lost.sort(*same, "failed_at", "log_dir", "directory_id")
        .with_columns(group=is_apart.cast(pl.Int64).cum_sum())
        .group_by("group", *same, maintain_order=True)
        .agg(
            *(col(name).filter(has_cause).first() for name in why),
            col("is_at_start", "is_halted", "is_untold").any(),
            col("failed_at", "came_back").first(),
            dirs=pl.len(),
            log_dirs=col("log_dir").drop_nulls(),
            directory_ids=col("directory_id").drop_nulls(),
            **{name: of_all(name).unique().sort() for name in ("partitions", "future_partitions")},
            evidence=of_all("evidence").unique(maintain_order=True),
        )
    )


def of_all(name: str) -> pl.Expr:
    return col(name).explode(empty_as_null=False, keep_nulls=False)


def named_partition_column() -> pl.Expr:
    return filled_text("{}-{}", "topic", "partition").alias("name")
