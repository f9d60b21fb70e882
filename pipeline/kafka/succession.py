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
