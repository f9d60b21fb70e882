"""Terms of controllers whose elections no line tells, by the lines that name them."""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

OWN = ("cluster_id", "controller_id", "controller_epoch")


def with_next_life(named: DataFrame, elected: DataFrame) -> DataFrame:
    """Adds next_life: that of lines before the first election seen of a life, by which a controller has a lower epoch
    than it was elected with before; null of all others.

    named: (OWN, node_id, first_at, ...) of lines that name a controller with its epoch. elected: (OWN, mode, life,
    elected_at). A controller that was deposed goes on with its epoch, but none that held a later one goes back to it.
    """
    begun = elected.where("mode = 'zookeeper'").select(
        *OWN, F.col("elected_at").alias("first_at"), F.col("life").alias("begun_life")
    )
    in_turn = (F.col("first_at"), F.col("begun_life").isNull())
    of_cluster = Window.partitionBy("cluster_id").orderBy(*in_turn)
    of_controller = Window.partitionBy(*OWN[:2]).orderBy(*in_turn)
    of_term = Window.partitionBy(*OWN).orderBy(*in_turn)

    def last(one: Column, order: WindowSpec) -> Column:
        return F.last(one, ignorenulls=True).over(order.rowsBetween(Window.unboundedPreceding, 0))

    is_election = F.col("begun_life").isNotNull()
    held = last(F.when(is_election, F.col("controller_epoch")), of_controller)
    life = last(F.col("begun_life"), of_cluster)
    backwards = Window.partitionBy("cluster_id").orderBy(*(F.desc(one) for one in in_turn))
    following = last(F.col("begun_life"), backwards)
    is_back = is_told() & (F.col("controller_epoch") < held) & (following > life)
    # An election of the same epoch ends what went before it.
    said = F.when(is_election, 0).when(is_back, following)
    return (
        named.unionByName(begun, allowMissingColumns=True)
        .withColumn("said", said)
        .withColumn("next_life", F.nullif(last(F.col("said"), of_term), F.lit(0)))
        .where("begun_life IS NULL")
        .drop("begun_life", "said")
    )


def unelected(sights: DataFrame, elected: DataFrame) -> DataFrame:
    """Terms that only lines of state-change.log, or of other nodes, name; their election was not seen.

    sights: with_next_life().
    """
    seen = sights.groupBy(*OWN, "next_life").agg(
        F.min("first_at").alias("first_seen_at"),
        F.max("last_at").alias("last_seen_at"),
        F.min(F.when(is_told(), F.col("first_at"))).alias("told_from_at"),
        F.max(F.when(is_told(), F.col("last_at"))).alias("told_until_at"),
        F.min_by(
            F.struct("file_id", F.col("first_offset").alias("byte_offset")),
            F.struct("first_at", "file_id", "first_offset"),
        ).alias("line"),
        is_trace_seen(),
    )
    of_another_life = F.col("s.next_life").isNotNull() & (F.col("s.next_life") != F.col("e.life"))
    is_elected = reduce(Column.__and__, (F.col(f"s.{name}") == F.col(f"e.{name}") for name in OWN))
    unseen = seen.alias("s").join(elected.alias("e"), is_elected & ~of_another_life, "left_anti")
    before = (
        (F.col("e.mode") == "zookeeper")
        & (F.col("s.cluster_id") == F.col("e.cluster_id"))
        & (F.col("e.elected_at") <= F.col("s.first_seen_at"))
    )
    return (
        unseen.alias("s")
        .join(F.broadcast(elected).alias("e"), before, how="left")
        .groupBy(*(f"s.{name}" for name in seen.columns))
        .agg(F.coalesce("s.next_life", F.max("e.life"), F.lit(1)).alias("life"))
        .drop("next_life")
        .select(
            "*",
            F.concat_ws("-", "life", "controller_epoch").alias("term_id"),
            F.lit("zookeeper").alias("mode"),
            F.lit(None).cast("timestamp").alias("elected_at"),
            F.lit("inferred").alias("certainty"),
            "line.file_id",
            "line.byte_offset",
        )
    )


def is_told(prefix: str = "") -> Column:
    """Whether the controller's own node says so."""
    return F.col(f"{prefix}node_id") == F.col(f"{prefix}controller_id")


def is_trace_seen(prefix: str = "") -> Column:
    """state.change.logger wrote lines at TRACE that name the term."""
    is_trace = (F.col(f"{prefix}log") == "state-change") & (F.col(f"{prefix}level") == "TRACE")
    return F.max(F.coalesce(is_trace, F.lit(False))).alias("is_trace_seen")
