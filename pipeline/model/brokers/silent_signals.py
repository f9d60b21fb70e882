"""Nodes of releases that print no line about the signal that stops them: up to 0.11."""

import polars as pl
from polars import col

from pipeline.kafka.wording.releases import release_bits, releases_of_bits

WITHOUT_SIGNAL = releases_of_bits(release_bits("0.8.0", "0.11.0"))


def without_signal(release_span: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, node_id, valid_from_at, is_without_signal): whether a node prints none from then on."""
    is_old = col("releases").list.eval(pl.element().is_in(WITHOUT_SIGNAL)).list.all()
    return release_span.filter(col("node_id").is_not_null()).select(
        "cluster_id", "node_id", "valid_from_at", is_without_signal=is_old
    )
