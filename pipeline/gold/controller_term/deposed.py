"""What a controller still did when the next one was elected, and what it comes to."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def with_fate(term: DataFrame) -> DataFrame:
    """The deeds as far as they can be known, what they come to, and since when it could write nothing.

    Moves are printed at TRACE, from 2.6 on at INFO. From 2.1 on (epoch_zk_version) ZooKeeper refuses each write of a
    deposed controller: a success after superseded_at is a matter of clocks there.
    """
    is_known = F.col("is_succeeded") & F.col("last_line_at").isNotNull()
    is_printed = F.col("has_state_changes") & (
        F.col("is_trace_seen") | F.coalesce("is_stated_at_info", F.lit(False))
    )
    is_zookeeper = F.col("mode") == "zookeeper"
    none = F.lit(0).cast("bigint")
    counts = {
        name: F.coalesce(name, none)
        for name in ("sent_count", "empty_count", "refused_count", "fenced_count")
    }
    acts = F.greatest(F.col("late_act_count") - F.col("empty_count"), none)
    return (
        term.withColumns(counts)
        .withColumn("last_act_at", F.coalesce("acted_at", "last_line_at", "last_seen_at"))
        .withColumn("ready_ms", F.unix_millis("ready_at") - F.unix_millis("elected_at"))
        .withColumn("acts_after_count", F.when(is_known, acts))
        .withColumn(
            "writes_after_count",
            F.when(is_known & is_printed & is_zookeeper, F.coalesce("write_count", none)),
        )
        .withColumn("overlap", F.when(is_known & (F.col("late_count") > 0), overlap()))
        .withColumn("fenced_from_at", F.col("fenced_at"))
        .withColumn(
            "fenced_until_at",
            F.when(F.col("fenced_at").isNotNull(), F.coalesce("ended_at", "superseded_at")),
        )
    )


def overlap() -> Column:
    writes_count = F.col("writes_after_count")
    is_fenced_release = F.col("epoch_zk_version").isNotNull()
    is_kraft = F.col("mode") == "kraft"
    return (
        F.when(is_kraft & F.col("resigning_at").isNull(), F.lit(None))
        .when(F.col("acts_after_count") == 0, "resignation_tail")
        .when(is_kraft, "zombie_harmless")
        .when((writes_count > 0) & ~is_fenced_release, "zombie_wrote")
        .when((writes_count > 0) | writes_count.isNull(), F.lit(None))
        .when((F.col("sent_count") > 0) | (F.col("refused_count") > 0), "zombie_talked")
        .otherwise("zombie_harmless")
    )
