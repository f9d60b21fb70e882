"""When each term was succeeded by the next one of its life, and from when on some were not seen."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

TERM = ("cluster_id", "term_id")


def with_superseded(term: DataFrame) -> DataFrame:
    """Terms with superseded_at: when the next one of the same life was elected, or first seen; null: the last one."""
    of_life = Window.partitionBy("cluster_id", "life").orderBy("controller_epoch")
    began = F.coalesce("elected_at", "first_seen_at")
    return term.withColumn("superseded_at", F.lead(began).over(of_life))


def unseen_from(term: DataFrame) -> DataFrame:
    """(cluster_id, unseen_at): from when on lines of a term may be missing, as its election was not seen: from the
    last line of the term before it, or the begin of all. Null: all since the first epoch were seen; no row: none."""
    in_turn = Window.partitionBy("cluster_id").orderBy("life", "controller_epoch")
    before = F.lag(F.struct("life", "controller_epoch", "last_seen_at")).over(in_turn)
    expected = F.when(before["life"] == F.col("life"), before["controller_epoch"] + 1).otherwise(1)
    is_unseen = F.col("elected_at").isNull() | (F.col("controller_epoch") != expected)
    began = F.least("elected_at", "first_seen_at", before["last_seen_at"])
    return (
        term.where("mode = 'zookeeper'")
        .withColumn("unseen_at", F.when(is_unseen, began))
        .groupBy("cluster_id")
        .agg(F.min("unseen_at").alias("unseen_at"))
    )


def unseen_stretches(term: DataFrame) -> DataFrame:
    """(cluster_id, life, epoch, from_at): from when on a term may have changed anything unseen, as lines of its own
    controller are missing: from the last line of the term before it, whose epoch this is.

    Until when differs by partition: until the next term that is told says something of it.
    """
    of_life = Window.partitionBy("cluster_id", "life").orderBy("controller_epoch")
    later = of_life.rowsBetween(1, Window.unboundedFollowing)
    is_told = F.col("told_from_at").isNotNull()
    following = F.lead(F.struct("controller_epoch", "elected_at")).over(of_life)
    is_next = (following["controller_epoch"] == F.col("controller_epoch") + 1) & following[
        "elected_at"
    ].isNotNull()
    began = F.coalesce("elected_at", "first_seen_at")
    return (
        term.where("mode = 'zookeeper'")
        .withColumn("following", following)
        .withColumn("is_followed", is_next)
        .withColumn("from_at", F.least("told_until_at", F.min(began).over(later)))
        .where(is_told & F.col("following").isNotNull() & ~F.col("is_followed"))
        .select("cluster_id", "life", F.col("controller_epoch").alias("epoch"), "from_at")
    )


def with_terms(asked: DataFrame, term: DataFrame) -> DataFrame:
    """superseded_at: election of the next term; is_whole: all elections of this life of the cluster were seen."""
    of_life = Window.partitionBy("cluster_id", "life").orderBy("controller_epoch")
    so_far = of_life.rowsBetween(Window.unboundedPreceding, 0)
    terms = (
        term.where("mode = 'zookeeper'")
        .transform(with_superseded)
        .select(
            *TERM,
            "superseded_at",
            (F.count("elected_at").over(so_far) == F.col("controller_epoch")).alias("is_whole"),
        )
    )
    return asked.join(F.broadcast(terms), on=[*TERM], how="left")
