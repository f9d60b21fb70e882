"""When each term was succeeded by the next one of its life."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F


def with_superseded(term: DataFrame) -> DataFrame:
    """Terms with superseded_at: when the next one of the same life was elected, or first seen; null: the last one."""
    of_life = Window.partitionBy("cluster_id", "life").orderBy("controller_epoch")
    began = F.coalesce("elected_at", "first_seen_at")
    return term.withColumn("superseded_at", F.lead(began).over(of_life))
