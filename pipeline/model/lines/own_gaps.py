"""From when on lines of a node are known to be missing, by silver.log_gap."""

import polars as pl
from polars import col

from schemas.silver.log_gap import LINES_MISSING

# Of these the node is none that is known, and it may be any: of lost lines of a file that several nodes shared.
OF_ANY = ("lost_in_warehouse",)
SINCE = pl.coalesce("from_at", "until_at").min()


def with_missing_lines_since(rows: pl.DataFrame, log_gap: pl.DataFrame) -> pl.DataFrame:
    """Rows (cluster_id, controller_id) with own_missing_from_at: the first time from which on lines of that node may be
    missing; null: none are."""
    missing = log_gap.filter(col("kind").is_in(LINES_MISSING))
    of_node = missing.group_by("cluster_id", controller_id="node_id").agg(node_from_at=SINCE)
    of_any = missing.filter(col("kind").is_in(OF_ANY), col("node_id").is_null())
    shared = of_any.group_by("cluster_id").agg(shared_from_at=SINCE)
    return (
        rows.join(of_node, on=["cluster_id", "controller_id"], how="left")
        .join(shared, on="cluster_id", how="left")
        .with_columns(own_missing_from_at=pl.min_horizontal("node_from_at", "shared_from_at"))
        .drop("node_from_at", "shared_from_at")
    )
