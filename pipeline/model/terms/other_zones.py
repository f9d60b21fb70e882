"""Nodes that log in another time zone than the others, by the epochs of controllers that they name."""

from datetime import timedelta

import polars as pl
from polars import col

NODE = ("cluster_id", "node_id")
# All zones of today differ by a multiple of it; from the first to the last of them it is 26 hours.
STEP, WIDEST = timedelta(minutes=15), timedelta(hours=26)
# Nodes hear of a controller within seconds; one that starts meanwhile hears of it later.
NEAR = timedelta(seconds=10)
# So many epochs have to say the same: one may do so by chance.
LEAST = 2
SCHEMA = {
    "cluster_id": pl.String(),
    "node_id": pl.Int32(),
    "ahead": pl.Duration("us"),
    "others": pl.List(pl.Int32),
}


def other_zones(said: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, node_id, ahead, others): nodes whose clocks are ahead by a multiple of a quarter of an hour, behind
    where it is negative, of those of the nodes `others`: most of the nodes that agree.

    Two nodes hear of a controller's epoch in the same moment, but for those that were down. Where they first name an
    epoch at the same time, they agree; where no epoch says so and several that they are so far apart, they do not.
    said: lines, or rows of silver.wording_seen (node_id, controller_epoch, first_at).
    """
    apart = node_clock_pairs(said)
    if not apart["is_other"].any():
        return pl.DataFrame(schema=SCHEMA)
    found = [
        ahead_of_most(cluster_id, of_cluster)
        for (cluster_id,), of_cluster in apart.group_by("cluster_id", maintain_order=True)
        if of_cluster["is_other"].any()
    ]
    return pl.concat(found)


def node_clock_pairs(said: pl.DataFrame) -> pl.DataFrame:
    """Two nodes (node_id, of_node) and by how much (steps_apart) the first is ahead of the second; is_other: by more
    than nothing. Of nodes that neither agree nor not there is no row."""
    is_named = pl.all_horizontal(col(*NODE, "controller_epoch", "first_at").is_not_null())
    heard = said.filter(is_named).group_by(*NODE, "controller_epoch").agg(at=col("first_at").min())
    ahead = col("at") - col("of_at")
    steps = (ahead / STEP).round().cast(pl.Int64)
    of_other = heard.rename({"node_id": "of_node", "at": "of_at"})
    near = (
        heard.join(of_other, on=["cluster_id", "controller_epoch"])
        .filter(col("node_id") != col("of_node"), ahead.abs() <= WIDEST)
        .with_columns(steps=steps)
        .filter((ahead - col("steps") * STEP).abs() <= NEAR)
        .group_by(*NODE, "of_node", "steps")
        .agg(epochs=pl.len())
    )
    agrees = (col("steps") == 0).any().over(*NODE, "of_node")
    return (
        near.filter(pl.when(agrees).then(col("steps") == 0).otherwise(col("epochs") >= LEAST))
        .sort(*NODE, "of_node", "epochs", col("steps").abs())
        .unique([*NODE, "of_node"], keep="last", maintain_order=True)
        .select(
            *NODE,
            "of_node",
            steps_apart=col("steps") * pl.lit(STEP),
            is_other=col("steps") != 0,
        )
    )


def ahead_of_most(cluster_id: str, apart: pl.DataFrame) -> pl.DataFrame:
    """The rows of one cluster. Of groups of the same size that of the least node counts as right."""
    agreeing = apart.filter(~col("is_other")).select("node_id", "of_node").rows()
    groups: list[set[int]] = []
    for one in sorted(set(apart["node_id"])):
        own = {one, *(other for node, other in agreeing if node == one)}
        met = [group for group in groups if group & own]
        groups = [group for group in groups if not group & own] + [own.union(*met)]
    right = min(groups, key=by_size)
    most = sorted(right)
    ahead = {
        node: steps
        for node, of_node, steps in apart.filter("is_other")
        .select("node_id", "of_node", "steps_apart")
        .rows()
        if of_node in most and node not in most
    }
    rows = [
        {"cluster_id": cluster_id, "node_id": node, "ahead": by, "others": most} for node, by in ahead.items()
    ]
    return pl.DataFrame(rows, SCHEMA)


def by_size(group: set[int]) -> tuple[int, int]:
    return -len(group), min(group)
