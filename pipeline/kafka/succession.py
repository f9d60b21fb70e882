"""When each term was succeeded by the next one of its life."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

TERM = ("cluster_id", "term_id")


def with_superseded(term: DataFrame) -> DataFrame:
    """Terms with superseded_at: when the next one of the same life was elected, or first seen; null: the last one."""
    of_life = Window.partitionBy("cluster_id", "life").orderBy("controller_epoch")
    began = F.coalesce("elected_at", "first_seen_at")
    return term.withColumn("superseded_at", F.lead(began).over(of_life))


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
