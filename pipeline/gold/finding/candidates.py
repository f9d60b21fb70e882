"""Of large tables the rows that can become a finding, by shards of topics."""

import polars as pl
from polars import col, lit

NOTABLE = ("illegal", "refused", "failed", "discontinuity")
PARTITION = ("cluster_id", "topic", "partition")
# Kinds of impact that rules look at.
LEADERLESS = ("no_leader", "leader_dead_unnoticed")
BELOW_MINIMUM = "below_min_isr"


def notable_move(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.transition_audit of partitions of which a move has a verdict that rules look at, or failed: what
    came after it counts, too."""
    is_notable = col("verdict").is_in(NOTABLE) | (col("outcome") == "failed")
    return transition_audit.filter(is_notable.any().over(PARTITION))


def notable_impact(client_impact: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.client_impact without a leader, or below the minimum of the ISR; of their parts those alone that are
    below it."""
    kinds = lit([*LEADERLESS, BELOW_MINIMUM])
    below = pl.element().struct.field("kind") == BELOW_MINIMUM
    return client_impact.filter(col("kinds").list.set_intersection(kinds).list.len() > 0).with_columns(
        parts=col("parts").list.filter(below)
    )


# By table what the kernel takes in its place.
CANDIDATES = {"transition_audit": notable_move, "client_impact": notable_impact}
