"""Partitions with fewer in-sync replicas than min.insync.replicas, by settings that lines name and refused appends."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.client_impact.pieces import LINE, as_pieces
from pipeline.model.partitions.statements import PARTITION
from schemas.silver.broker_setting import MIN_ISR

BELOW, REFUSED, CREATED = "below_min_isr", "append_refused", "log_created"
TOPIC = ("cluster_id", "topic")
STATED = r"\bmin\.insync\.replicas = (\d{1,9})\b"
# Refused appends that no state of the partition holds together are one stretch while they come so fast.
TOGETHER = timedelta(seconds=5)
# A broker makes the log of a partition so much later than its first state is told.
LOG_MADE = timedelta(seconds=60)


def below_minimum(
    states: pl.DataFrame,
    replicas: pl.DataFrame,
    client_event: pl.DataFrame,
    config_event: pl.DataFrame,
    broker_setting: pl.DataFrame,
) -> pl.DataFrame:
    """States with a leader and an ISR below the minimum, and appends that lines say were refused.

    Nobody is below a minimum that no line names. A minimum above the number of replicas counts as that number, as
    Kafka counts UnderMinIsr. Source: Partition.isUnderMinIsr, effectiveMinIsr.
    """
    refused = refused_appends(states, client_event)
    known = with_minimum(states, client_event, config_event, broker_setting)
    asked = known.join(replicas, on=[*PARTITION, "interval_seq"], how="left")
    most = when(col("replica_count") > 0).then(col("replica_count").cast(pl.Int32))
    need = when(col("min_isr").is_not_null()).then(pl.min_horizontal("min_isr", most))
    is_below = (col("leader") >= 0) & (col("isr").list.len() < need) & (col("isr").list.len() > 0)
    is_sure = ~col("is_isr_stale").fill_null(value=True) & (col("certainty") != "undetermined")
    low = asked.filter(is_below.fill_null(value=False), ~col("is_deleting"))
    stretches = as_pieces(
        low,
        kind=lit(BELOW),
        from_at="valid_from_at",
        from_latest_at=when(is_sure).then("valid_from_at").otherwise("valid_until_at"),
        until_earliest_at="valid_until_at",
        until_at="valid_until_at",
        root_event=lit("partition_timeline"),
        root_at="valid_from_at",
        **{f"end_{name}": f"ended_{name}" for name in LINE},
        certainty=when(is_sure).then(lit("proved")).otherwise(lit("undetermined")),
    )
    return pl.concat([stretches, refused])


def refused_appends(states: pl.DataFrame, client_event: pl.DataFrame) -> pl.DataFrame:
    """Refused appends of a partition during one state, or that come fast without any: from the first to the last."""
    lines = client_event.filter(col("step") == REFUSED, col("partition").is_not_null()).sort("logged_at")
    during = states.select(
        *PARTITION, "interval_seq", "valid_until_at", state_at="valid_from_at", at="valid_from_at"
    ).sort("at")
    by = ["cluster_id", "topic", "partition"]
    held = lines.with_columns(at="logged_at").join_asof(during, on="at", by=by, check_sortedness=False)
    is_apart = (col("logged_at").diff() > TOGETHER).over(by).fill_null(value=False)
    grouped = (
        held.with_columns(burst=is_apart.cast(pl.Int32).cum_sum().over(by))
        .with_columns(burst=when(col("interval_seq").is_null()).then("burst"))
        .group_by(*PARTITION, "interval_seq", "burst", maintain_order=True)
        .agg(
            col("logged_at").first(),
            col("state_at", "valid_until_at", "isr", "min_isr", *LINE).first(),
            last_at=col("logged_at").last(),
            refused_count=pl.len(),
            **{f"end_{name}": col(name).last() for name in LINE},
        )
    )
    return as_pieces(
        grouped,
        kind=lit(BELOW),
        from_at="logged_at",
        from_latest_at="logged_at",
        until_earliest_at=when(col("interval_seq").is_not_null()).then("last_at").otherwise("logged_at"),
        until_at="last_at",
        root_event=lit("client_event"),
        root_at="logged_at",
        certainty=lit("proved"),
        confirmed_by=lit(REFUSED),
    )


def with_minimum(
    states: pl.DataFrame, client_event: pl.DataFrame, config_event: pl.DataFrame, broker_setting: pl.DataFrame
) -> pl.DataFrame:
    """States with min_isr: what lines by then say of the topic, else of all brokers where the topic is known to have no
    setting of its own; null: no line tells."""
    of_topic = topic_minimums(client_event, config_event)
    default = default_minimums(config_event, broker_setting)
    found = states.with_columns(at="valid_from_at").sort("at")
    for told, by in ((of_topic, list(TOPIC)), (default, ["cluster_id"])):
        found = found.join_asof(told.sort("at"), on="at", by=by, check_sortedness=False)
    own = when(col("is_default")).then("default_min_isr").otherwise("topic_min_isr")
    return found.with_columns(min_isr=own).drop("at", "is_default", "default_min_isr", "topic_min_isr")


@needs_rows_of("client_event", "config_event")
def topic_minimums(client_event: pl.DataFrame, config_event: pl.DataFrame) -> pl.DataFrame:
    """(TOPIC, at, topic_min_isr, is_default): what lines say of the settings of a topic, from when on."""
    logs = client_event.filter(col("step") == CREATED).select(
        *TOPIC,
        at=col("logged_at") - LOG_MADE,
        topic_min_isr="min_isr",
        is_default=col("min_isr").is_null(),
    )
    refused = (
        client_event.filter(col("step") == REFUSED)
        .unique([*TOPIC, "min_isr"], keep="first", maintain_order=True)
        .select(*TOPIC, at="logged_at", topic_min_isr="min_isr", is_default=lit(value=False))
    )
    of_topic = config_event.filter(col("record") == "config", col("resource_type") == "TOPIC")
    own = of_topic.filter(col("name") == MIN_ISR)
    stated = of_topic.filter(col("step") == "stated").with_columns(value=col("value").str.extract(STATED, 1))
    changed = pl.concat([own, stated]).select(
        cluster_id="cluster_id",
        topic="resource_name",
        at="logged_at",
        topic_min_isr=col("value").cast(pl.Int32, strict=False),
        is_default=col("value").is_null(),
    )
    return pl.concat([logs, refused, changed]).filter(col("topic_min_isr").is_not_null() | col("is_default"))


@needs_rows_of("config_event", "broker_setting")
def default_minimums(config_event: pl.DataFrame, broker_setting: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, at, default_min_isr): min.insync.replicas of all brokers, as they list it or a record sets it."""
    value = col("value").str.strip_chars().cast(pl.Int32, strict=False)
    listed = broker_setting.filter(col("name") == MIN_ISR)
    is_of_all = (col("resource_type") == "BROKER") & col("resource_name").is_null()
    dynamic = config_event.filter((col("name") == MIN_ISR) & is_of_all)
    both = [one.select("cluster_id", at="logged_at", default_min_isr=value) for one in (listed, dynamic)]
    return pl.concat(both).filter(col("default_min_isr").is_not_null())
