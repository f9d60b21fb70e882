"""What reassignments that go on wait for."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.reassignment.marks import ATTEMPT
from pipeline.model.lines.evidence import NO_LINES

IDS = pl.List(pl.Int32)


def with_waiting(found: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """waiting_for, waiting_broker_ids, waiting_since_at of those in progress: a new replica on a broker that is not
    among the live ones, else one that has not caught up."""
    last = broker_session.sort("joined_at").unique(
        ["cluster_id", "broker_id"], keep="last", maintain_order=True
    )
    left = last.filter(col("left_at").is_not_null()).select(
        "cluster_id", "broker_id", "left_at", left_line=col("evidence").list.last()
    )
    is_open, has_new = col("outcome") == "in_progress", col("adding_replicas").list.len() > 0
    wanted = when(has_new).then("adding_replicas").otherwise("target_replicas")
    gone = (
        found.filter(is_open)
        .select(*ATTEMPT, "started_at", broker_id=wanted)
        .explode("broker_id")
        .join(left, on=["cluster_id", "broker_id"], how="inner")
        .sort(*ATTEMPT, "broker_id")
        .group_by(ATTEMPT, maintain_order=True)
        .agg(
            gone_ids="broker_id",
            gone_at=pl.max_horizontal("started_at", "left_at").min(),
            gone_lines=col("left_line").drop_nulls(),
        )
    )
    is_gone = is_open & col("gone_ids").is_not_null()
    is_lagging = (
        is_open
        & (col("lagging_replicas").list.len() > 0).fill_null(value=False)
        & col("caught_up_at").is_null()
    )
    return found.join(gone, on=ATTEMPT, how="left", maintain_order="left").with_columns(
        waiting_for=when(is_gone).then(lit("broker_gone")).when(is_lagging).then(lit("broker_lagging"))
        .when(is_open).then(lit("unknown")),
        waiting_broker_ids=when(is_gone).then("gone_ids").when(is_lagging).then("lagging_replicas")
        .when(is_open).then("adding_replicas").otherwise(lit(None, IDS)),
        evidence=when(is_gone).then(pl.concat_list("evidence", col("gone_lines").fill_null(NO_LINES)))
        .otherwise("evidence"),
        waiting_since_at=when(is_gone).then("gone_at").when(is_open).then("started_at"),
    )  # fmt: skip
