"""What is no longer known of partitions as the lines of a controller are missing, in ZooKeeper mode."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.statements import GONE, MOVING, PARTITION, TRACKED, life, partition_order
from pipeline.kafka.succession import unseen_stretches

TERM_MISSING = "term_missing"
# Column of a statement: column with the epoch up to which what it says is in doubt.
DOUBTS = {"leader_epoch": "leader_doubt_epoch", "replicas": "replicas_doubt_epoch"}


def with_doubt(lived: DataFrame, term: DataFrame, cut: datetime | None) -> DataFrame:
    """Statements of partitions (statements.statements, with DOUBTS: null but of what was in doubt before the cut), and
    a row more, is_doubt, where a term begins to be missing: what was said last may be so no more.

    Such a row states nothing and has the place of the statement before it. DOUBTS: epoch of the last term before the
    missing one.
    """
    stretches = term.transform(unseen_stretches)
    if cut is not None:
        stretches = stretches.where(F.col("from_at") >= F.lit(cut))
    stretch = F.struct("from_at", "epoch")
    missing = stretches.groupBy("cluster_id", F.col("life").alias("era")).agg(
        F.collect_list(stretch).alias("missing")
    )
    kind = "struct<from_at: timestamp, epoch: int>"
    said_again_at = F.lead("at").over(Window.partitionBy(*PARTITION).orderBy(*partition_order()))
    is_gone = F.coalesce(F.col("state") == GONE, F.lit(False))
    begun = F.filter(
        "missing",
        lambda one: (
            (one["from_at"] >= F.col("at"))
            & (F.col("said_again_at").isNull() | (one["from_at"] < F.col("said_again_at")))
        ),
    )
    itself = F.array(F.lit(None).cast(kind))
    is_doubt = F.col("doubt").isNotNull()
    return (
        lived.withColumn("era", life())
        .join(F.broadcast(missing), on=["cluster_id", "era"], how="left")
        .withColumn("said_again_at", said_again_at)
        .withColumn("begun", F.when(~is_gone, begun))
        .withColumn(
            "doubt", F.explode(F.concat(itself, F.coalesce("begun", F.array().cast(f"array<{kind}>"))))
        )
        .withColumns({name: F.when(~is_doubt, F.col(name)) for name in TRACKED})
        .withColumns(
            {
                "is_doubt": is_doubt,
                "at": F.coalesce("doubt.from_at", "at"),
                "event": F.when(is_doubt, TERM_MISSING).otherwise(F.col("event")),
                **{name: F.coalesce("doubt.epoch", name) for name in DOUBTS.values()},
            }
        )
        .drop("era", "missing", "said_again_at", "begun", "doubt")
    )


def order_with_doubt() -> tuple[Column, ...]:
    return (F.col("at"), F.col("is_doubt"), *partition_order()[1:])


def in_doubt(what: str) -> Column:
    """Of a statement: whether a term may have gone by unseen since what (leader_epoch or replicas) was stated."""
    until_now = (
        Window.partitionBy(*PARTITION).orderBy(*order_with_doubt()).rowsBetween(Window.unboundedPreceding, 0)
    )
    is_stated = F.col(what).isNotNull() & F.col(DOUBTS[what]).isNull()
    stated = F.max(F.when(is_stated, F.col("controller_epoch"))).over(until_now)
    doubted = F.last(DOUBTS[what], ignorenulls=True).over(until_now)
    return F.coalesce(stated <= doubted, doubted.isNotNull())


def without_doubted(intervals: DataFrame) -> DataFrame:
    """Rows of gold.partition_timeline without what may have changed unseen."""
    is_known = F.col("certainty") != "undetermined"
    is_assigned = is_known & ~F.coalesce("is_assignment_stale", F.lit(False))
    of_leader, of_assignment = ("leader", "isr", "leader_epoch"), ("replicas", *MOVING)
    return intervals.withColumns(
        {name: F.when(is_known, F.col(name)) for name in of_leader}
        | {name: F.when(is_assigned, F.col(name)) for name in of_assignment}
    )
