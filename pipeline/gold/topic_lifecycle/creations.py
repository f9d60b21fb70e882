"""How the creation of a topic went, by its partitions: how many, when the last was led, and what that waited for."""

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import open_end
from pipeline.gold.topic_lifecycle.partitions_of_lives import APART_MS, FIELDS, PART, STATES
from pipeline.gold.topic_lifecycle.zookeeper_lives import LIFE
from pipeline.model.lines.evidence import LINE as PLACE


def with_partitions(lives: pl.DataFrame, parts: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Lives with what their partitions (PART, FIELDS) tell: partitions, those of its creation, and grown."""
    batches = parts.join(lives.select(*LIFE, "mode", "created_at"), on=LIFE).pipe(with_batch)
    first = batches.filter(col("batch") == 0)
    each = parts.sort(PART).group_by(LIFE, maintain_order=True).agg(partitions=pl.struct(FIELDS))
    found = lives.drop("known").join(each, on=LIFE, how="left")
    for told in (
        creation_facts(first),
        slowest_partitions(first, broker_session),
        partition_additions(batches),
    ):
        found = found.join(told, on=LIFE, how="left")
    is_kraft = (col("mode") == "kraft") & col("created_at").is_not_null()
    online_at = when(is_kraft).then("created_at").when(col("created_at").is_not_null()).then("online_at")
    return found.with_columns(
        online_at=online_at, serving_at=when(col("created_at").is_not_null()).then("serving_at")
    ).with_columns(
        online_ms=creation_millis("online_at") - creation_millis("created_at"),
        serving_ms=creation_millis("serving_at") - creation_millis("created_at"),
    )


def creation_millis(name: str) -> pl.Expr:
    return col(name).dt.epoch("ms")


def with_batch(parts: pl.DataFrame) -> pl.DataFrame:
    """batch: 0 of partitions that the topic was created with; others were added by a later line, in KRaft by a record
    that was replayed later."""
    apart_ms = when(col("mode") == "kraft").then(lit(APART_MS)).otherwise(lit(0))
    is_apart = (
        creation_millis("added_at") - creation_millis("added_at").shift(1).over(LIFE) > apart_ms
    ).fill_null(value=False)
    is_added = (col("mode") == "zookeeper") & (col("added_at") != col("created_at")).fill_null(value=True)
    number = is_apart.cast(pl.Int32).cum_sum().over(LIFE)
    # Of a life whose creation was not seen what a line adds is no part of it.
    offset = (is_added.first().over(LIFE)).cast(pl.Int32)
    return parts.sort(*LIFE, "added_at", "partition").with_columns(batch=number + offset)


def creation_facts(first: pl.DataFrame) -> pl.DataFrame:
    """Of the partitions that it was created with: how many, replicas, when the last came to each state, and by which
    line. How many is not known where only replays tell the records of KRaft: they have those that were added later."""
    last = [
        col(f"{state}_{name}")
        .sort_by(f"{state}_at", "partition", nulls_last=True)
        .last()
        .alias(f"{state}_{name}")
        for state in STATES
        for name in ("at", *PLACE)
    ]
    is_replayed = (col("mode") == "kraft") & col("created_at").is_null()
    return first.group_by(LIFE).agg(
        when(~is_replayed.first()).then(pl.len().cast(pl.Int32)).alias("partition_count"),
        col("replicas").list.len().cast(pl.Int32).drop_nulls().unique().sort().alias("replication"),
        *last,
    )


def slowest_partitions(first: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """slowest_partition: that came last, or has not come; waited_for: its replicas, if none was live at created_at."""
    came = when(col("mode") == "kraft").then("serving_at").otherwise("online_at")
    last = (
        first.filter(col("created_at").is_not_null())
        .with_columns(came_at=came)
        .sort(*LIFE, "came_at", "partition", descending=[False] * 3 + [True, False], nulls_last=False)
        .unique(LIFE, keep="first", maintain_order=True)
        .select(*LIFE, "created_at", "replicas", slowest_partition="partition")
    )
    live = live_at(
        last.explode("replicas").rename({"replicas": "broker_id", "created_at": "at"}), broker_session
    )
    none = live.group_by(LIFE).agg(is_waiting=(~col("is_live")).all() & col("is_live").is_not_null().all())
    return (
        last.join(none, on=LIFE, how="left")
        .with_columns(waited_for=when("is_waiting").then("replicas"))
        .select(*LIFE, "slowest_partition", "waited_for")
    )


def live_at(rows: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Rows (cluster_id, broker_id, at, ...) with is_live: its broker was in the cluster then; null: it was not seen
    until then."""
    sessions = broker_session.select("cluster_id", "broker_id", "joined_at", "left_at").sort("joined_at")
    is_met = col("joined_at").is_not_null()
    return (
        rows.sort("at")
        .join_asof(
            sessions,
            left_on="at",
            right_on="joined_at",
            by=["cluster_id", "broker_id"],
            check_sortedness=False,
        )
        .with_columns(is_live=when(is_met).then(col("at") < open_end("left_at")))
        .drop("joined_at", "left_at")
    )


def partition_additions(batches: pl.DataFrame) -> pl.DataFrame:
    """Each time that partitions were added: their numbers go on from those that are there."""
    online_ms = creation_millis("online_at").max() - col("at").first().dt.epoch("ms")
    return (
        batches.filter(col("batch") > 0)
        .with_columns(at=col("added_at").min().over(*LIFE, "batch"))
        .group_by(*LIFE, "batch", maintain_order=True)
        .agg(
            col("at").first(),
            from_count=col("partition").min(),
            to_count=col("partition").max() + 1,
            online_ms=when(col("online_at").is_not_null().all()).then(online_ms),
        )
        .sort(*LIFE, "batch")
        .group_by(LIFE, maintain_order=True)
        .agg(grown=pl.struct("at", "from_count", "to_count", "online_ms"))
    )
