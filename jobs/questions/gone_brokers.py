"""Brokers that are not there at the end of the data, though partitions wait for them."""

import polars as pl
from polars import col

from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at

COLUMNS = ("broker_id", "joined_at", "left_at", "end_reason", "certainty")


def gone_brokers(answers: Answers) -> list[Row]:
    """The last stay of each broker that certainly has ended and on which partitions have replicas at the end of the
    data (where no replica is known, each); a broker that holds none was taken out of the cluster."""
    stays = answers.rows("gold.broker_session", None, COLUMNS)
    last = stays.sort("broker_id", "joined_at").group_by("broker_id", maintain_order=True).last()
    gone = last.filter(col("left_at").is_not_null(), col("certainty") != "undetermined").sort(
        "left_at", "broker_id"
    )
    held = answers.rows("gold.partition_timeline", holds_at(None), ("replicas",))
    replicas = held.select(pl.col("replicas").explode().drop_nulls().unique())["replicas"]
    waited_for = gone.filter(col("broker_id").is_in(replicas.implode())) if replicas.len() else gone
    return waited_for.to_dicts()
