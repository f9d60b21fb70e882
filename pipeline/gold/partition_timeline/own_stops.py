"""When nodes of a KRaft cluster were between two processes, as their own lines say."""

import polars as pl
from polars import col

from pipeline.model.partitions.partition_states import IDENTITY

STOP = ("cluster_id", "broker_id", "out_at", "silent_from_at", "back_at")
NODE = ("cluster_id", "node_id")


def process_stops(process_run: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """(STOP): of each process that another one follows, from its last line to the start of the next one: what changes
    meanwhile its node prints late, or never. lines: of partition_states.identified."""
    runs = process_run.filter(col("next_started_at").is_not_null()).select(
        "cluster_id",
        broker_id="node_id",
        out_at="next_started_at",
        silent_from_at="last_line_at",
        back_at="next_started_at",
    )
    return pl.concat([runs, created_again(lines)])


def created_again(lines: pl.DataFrame) -> pl.DataFrame:
    """The same by state-change.log alone (STOP): a broker that creates a partition of which it printed a state that day
    (UTC) is another process, or was no replica meanwhile; from its line before.

    Source: ReplicaManager.getOrCreatePartition, "Creating new partition", from 2.8.
    """
    of_day = (*NODE, *IDENTITY[1:], "day")
    is_named, is_stated = col("step") == "named", col("step") == "stated"
    own = (
        lines.filter(col("node_id").is_not_null() & (is_named | is_stated))
        .sort(*NODE, "at", "file_id", "byte_offset")
        .with_columns(day=col("at").dt.truncate("1d"), silent_from_at=col("at").shift(1).over(NODE))
        .with_columns(stated_before=is_stated.cum_sum().over(of_day))
    )
    return (
        own.filter(is_named, col("stated_before") > 0, col("silent_from_at") < col("at"))
        .select("cluster_id", "silent_from_at", broker_id="node_id", out_at="at", back_at="at")
        .select(STOP)
    )
