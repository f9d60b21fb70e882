"""What a broker goes by in automatic leader balancing: by settings, by its own server.log, or by Kafka's default."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER

# Kafka's defaults. Source: KafkaConfig, 0.8.2 to 4.3; up to 0.8.1 auto.leader.rebalance.enable was false.
DEFAULTS = {"threshold_ratio": 0.1, "check_interval_seconds": 300, "is_auto_rebalance_enabled": True}
TYPES = {
    "threshold_ratio": "double",
    "check_interval_seconds": "bigint",
    "is_auto_rebalance_enabled": "boolean",
}
NAMES = {
    "threshold_ratio": PER_BROKER,
    "check_interval_seconds": INTERVAL,
    "is_auto_rebalance_enabled": ENABLE,
}
PRINTED, DEFAULT = "server.log", "default"


def with_balancing(
    rows: DataFrame,
    broker: str,
    balancing_setting: DataFrame,
    broker_setting: DataFrame,
    at: str | None = None,
) -> DataFrame:
    """Adds what the broker of that column goes by (DEFAULTS) and limit_source, who says its threshold_ratio.

    balancing_setting: what conf and given files say, of a broker or, with broker_id null, of its cluster; it counts
    before broker_setting. Of what a broker printed counts the newest not after the time of the column `at`, the
    earliest where all are later; the newest where no column is given. The earliest, held before it was printed, is no
    source where it is Kafka's default: a list that comes tonight then leaves the rows of earlier days as they are.
    """
    general = balancing_setting.where("broker_id IS NULL")
    own = balancing_setting.where("broker_id IS NOT NULL").withColumnRenamed("broker_id", broker)
    said = general.select("cluster_id", F.struct(*DEFAULTS, "source").alias("general"))
    named = own.select("cluster_id", broker, F.struct(*DEFAULTS, "source").alias("own"))
    printed = broker_setting.transform(by_broker).withColumnRenamed("node_id", broker)
    joined = (
        rows.join(F.broadcast(said), on="cluster_id", how="left")
        .join(F.broadcast(named), on=["cluster_id", broker], how="left")
        .join(F.broadcast(printed), on=["cluster_id", broker], how="left")
    )
    told = F.coalesce("own", "general")
    held = {name: held_at(F.col(f"printed_{name}"), at) for name in DEFAULTS}
    ratio = "threshold_ratio"
    source = (
        F.when(told[ratio].isNotNull(), told["source"])
        .when(is_source(F.col(f"printed_{ratio}"), held[ratio], at), PRINTED)
        .otherwise(DEFAULT)
    )
    given = {name: F.coalesce(told[name], held[name], F.lit(DEFAULTS[name])) for name in DEFAULTS}
    return joined.withColumns(given | {"limit_source": source}).drop(
        "own", "general", *(f"printed_{name}" for name in DEFAULTS)
    )


def is_source(printed: Column, held: Column, at: str | None) -> Column:
    """Whether a printed threshold_ratio is told as such: from when on it was printed, or as it is not the default."""
    is_other = held != F.lit(DEFAULTS["threshold_ratio"])
    if at is None:
        return held.isNotNull()
    return held.isNotNull() & (F.exists(printed, lambda line: line["logged_at"] <= F.col(at)) | is_other)


def changed_at(broker_setting: DataFrame, broker: str) -> DataFrame:
    """(cluster_id, broker, limits_changed_at: times) at which a broker prints another value than before."""
    of_name = Window.partitionBy("cluster_id", "node_id", "name").orderBy(
        "logged_at", "file_id", "byte_offset"
    )
    return (
        broker_setting.where(F.col("node_id").isNotNull() & F.col("name").isin(*NAMES.values()))
        .withColumn("is_other", F.lag("value").over(of_name) != F.col("value"))
        .groupBy("cluster_id", F.col("node_id").alias(broker))
        .agg(F.collect_set(F.when(F.col("is_other"), F.col("logged_at"))).alias("limits_changed_at"))
    )


def by_broker(broker_setting: DataFrame) -> DataFrame:
    """(cluster_id, node_id, printed_... per setting): what a broker printed, with times; a row a broker."""

    def printed(name: str) -> Column:
        line = F.struct("logged_at", "file_id", "byte_offset", typed(name).alias("value"))
        return F.collect_list(F.when(F.col("name") == NAMES[name], line)).alias(f"printed_{name}")

    return (
        broker_setting.where("node_id IS NOT NULL")
        .groupBy("cluster_id", "node_id")
        .agg(*map(printed, DEFAULTS))
    )


def typed(name: str) -> Column:
    value = F.col("value").try_cast("int" if name == "threshold_ratio" else TYPES[name])
    return value.cast("double") / 100 if name == "threshold_ratio" else value


def held_at(printed: Column, at: str | None) -> Column:
    """The value that held; null where the broker printed none."""
    if at is None:
        return F.array_max(printed)["value"]
    until_then = F.array_max(F.filter(printed, lambda line: line["logged_at"] <= F.col(at)))
    return F.coalesce(until_then, F.array_min(printed))["value"]
