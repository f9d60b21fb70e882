"""Topics that somebody asked for: how long their creation waited for leaders, and those that were refused."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.client_impact.pieces import LINE, as_pieces

WAIT, REFUSED = "creation_wait", "creation_refused"


def awaited_creations(topic_lifecycle: pl.DataFrame) -> pl.DataFrame:
    """ZooKeeper: from a creation until all its partitions are led, which the answer waits for. In KRaft the controller
    answers by itself. Where no line tells that one is led, its brokers must have been dead (waited_for), and how long
    it waited is not known. A leader may have said so before, too (serving_at): how long it took at least the controller
    alone tells (online_at)."""
    is_new = (col("mode") == "zookeeper") & (col("created_how") == "created")
    is_told = pl.any_horizontal(col("online_at", "serving_at", "waited_for").is_not_null())
    is_led = col("online_at").is_not_null() | col("serving_at").is_not_null()
    lines = col("lines")
    begin, end = (lines.map.get(what).list.first().struct for what in ("created", "serving"))
    return as_pieces(
        topic_lifecycle.filter(is_new, is_told, col("created_at").is_not_null()),
        kind=lit(WAIT),
        from_at="created_at",
        from_latest_at="created_at",
        until_earliest_at=pl.coalesce("online_at", "created_at"),
        until_at=when(~is_led).then("ended_at").otherwise(pl.max_horizontal("serving_at", "online_at")),
        certainty=when(is_led).then(lit("inferred")).otherwise(lit("undetermined")),
        root_event=lit("topic_lifecycle"),
        root_at="created_at",
        **{name: begin.field(name) for name in LINE},
        **{f"end_{name}": end.field(name) for name in LINE},
    )


def refused_creations(topic_event: pl.DataFrame, client_event: pl.DataFrame) -> pl.DataFrame:
    """Creations that a controller or broker refused, by the line that says so."""
    of_kraft = topic_event.filter(col("step") == "create_refused").with_columns(root_event=lit("topic_event"))
    of_broker = client_event.filter(col("step") == REFUSED).with_columns(root_event=lit("client_event"))
    names = ["cluster_id", "topic", "logged_at", "root_event", *LINE]
    return as_pieces(
        pl.concat([of_kraft.select(names), of_broker.select(names)]),
        kind=lit(REFUSED),
        from_at="logged_at",
        from_latest_at="logged_at",
        until_earliest_at="logged_at",
        until_at="logged_at",
        root_at="logged_at",
        certainty=lit("proved"),
    )
