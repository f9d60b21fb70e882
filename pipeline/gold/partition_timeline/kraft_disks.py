"""Which partitions in KRaft mode lay in a log directory that failed, of a broker that goes on."""

from datetime import timedelta

import polars as pl
from polars import col

from pipeline.model.partitions.partition_states import GRACE_SECONDS, IDENTITY
from pipeline.model.terms.kraft_terms import LINE, is_in_span

BROKER = ("cluster_id", "broker_id")
BLOCKED = "blocked"


def blocked_by_disk(lines: pl.DataFrame, broker_absence: pl.DataFrame) -> pl.DataFrame:
    """One row per partition and decision that a log directory of a broker is offline, as kraft_fencing.fences has
    them: (BROKER, LINE, is_fence, at, then_at, then_<LINE>, out) with the partition (IDENTITY).

    The controller prints how many partitions it changes, and the broker, as it applies that, names each that lies there
    (lines: of lines_with_topic_id()); where another replica is in sync, it leads from then on.
    Source: ReplicationControlManager.handleDirectoriesOffline, ReplicaManager.applyLocalLeadersDelta, from 3.7.
    """
    absences = broker_absence.with_columns(at="out_at")
    failed = absences.filter("is_partial")
    is_soon = col("said_at").is_between("at", col("at") + timedelta(seconds=GRACE_SECONDS))
    named = (
        lines.filter(col("step") == BLOCKED)
        .select(*IDENTITY, broker_id="node_id", said_at="at")
        .join(failed.select(*BROKER, *LINE, "is_fence", "at"), on=BROKER)
        .filter(is_soon)
        .drop("said_at")
        .unique()
    )
    others = absences.filter(~col("is_partial")).select("cluster_id", "out_at", "back_at", out_id="broker_id")
    decision = ("cluster_id", "at", *LINE)
    out = (
        failed.select(decision)
        .unique()
        .join(others, on="cluster_id")
        .filter(is_in_span("at", "out_at", "back_at"))
        .group_by(decision)
        .agg(out=col("out_id").unique())
    )
    none = pl.lit([], pl.List(pl.Int32))
    return named.join(out, on=decision, how="left").with_columns(
        out=pl.concat_list(col("out").fill_null(none), "broker_id").list.unique().list.sort(),
        **{f"then_{name}": col(name) for name in ("at", *LINE)},
    )
