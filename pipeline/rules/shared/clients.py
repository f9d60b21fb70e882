"""What clients could feel of outages: how long at most, and how many coordinators of groups were among them."""

from collections.abc import Sequence

import polars as pl
from polars import col, lit, when

from pipeline.rules.shared.wording import counted_noun, duration_text, filled_text, partition_name_text

GROUPS = "__consumer_offsets"
SERVED = ("producers", "groups", "transactions")
UNLED = ("no_leader", "leader_dead_unnoticed")
UNTIL = pl.coalesce("valid_until_at", "valid_from_at")


def with_clients(
    events: pl.DataFrame, client_impact: pl.DataFrame, names: str, key: Sequence[str]
) -> pl.DataFrame:
    """Events (cluster_id, valid_from_at, valid_until_at, and in the list `names` partitions as topic-N) with client_ms,
    how long clients can have felt it at most (null: it goes on, or no line bounds it), and coordinators, how many
    partitions of __consumer_offsets are among them (null: none). key: what tells events apart."""
    is_unled = col("kinds").list.set_intersection(lit(list(UNLED))).list.len() > 0
    felt = client_impact.filter(col("audience").is_in(SERVED), is_unled).select(
        *("cluster_id", "topic", "high_ms", "from_at", "until_at"),
        partition_name=partition_name_text(),
    )
    each = events.select(*key, "valid_from_at", "valid_until_at", partition_name=names).explode(
        "partition_name"
    )
    is_then = (col("from_at") <= UNTIL) & (col("until_at") >= col("valid_from_at")).fill_null(value=True)
    found = (
        each.join(felt, on=["cluster_id", "partition_name"])
        .filter(is_then)
        .group_by(key, maintain_order=True)
        .agg(
            client_ms=when(col("high_ms").is_not_null().all()).then(col("high_ms").max()),
            coordinators=col("partition_name").filter(col("topic") == GROUPS).n_unique().cast(pl.Int64),
        )
    )
    return events.join(found, on=list(key), how="left", nulls_equal=True, maintain_order="left")


def clients_text() -> pl.Expr:
    """; for clients at most 8.2 s, the groups of 4 partitions without coordinator"""
    most = filled_text("; for clients at most {}", duration_text(col("client_ms")))
    groups = filled_text(", the groups of {} without coordinator", counted_noun("coordinators", "partition"))
    return (
        when(col("client_ms").is_null())
        .then(lit(""))
        .when(col("coordinators") > 0)
        .then(pl.concat_str(most, groups))
        .otherwise(most)
    )
