"""What sightings of files tell of content that was there and was not read."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from schemas.bronze.file_sighting import PROBLEMS


def newest(sightings: DataFrame) -> DataFrame:
    """The last sighting of each path: state, sentence, file_id."""
    last = F.max_by(F.struct("state", "sentence", "file_id"), "run_id").alias("seen")
    return sightings.groupBy("cluster_id", "path").agg(last).select("cluster_id", "path", "seen.*")


def absent_numbers(sightings: DataFrame, pattern: str) -> DataFrame:
    """Paths of whose numbers up to the highest some were never seen; absent: these numbers, as text.

    pattern: the path without its number as first group, the number as second.
    """
    numbered = (
        sightings.select(
            "cluster_id",
            F.regexp_extract("path", pattern, 1).alias("path"),
            F.regexp_extract("path", pattern, 2).try_cast("int").alias("number"),
        )
        .where("number IS NOT NULL")
        .groupBy("cluster_id", "path")
        .agg(F.collect_set("number").alias("seen"), F.max("number").alias("highest"))
    )
    absent = F.array_except(F.sequence(F.lit(1), F.col("highest")), F.col("seen"))
    return (
        numbered.where(F.size(absent) > 0)
        .withColumn("absent", F.array_join(F.array_sort(absent), ", "))
        .select("cluster_id", "path", "absent")
    )


def lost_after_reading(sightings: DataFrame) -> DataFrame:
    """A path that holds another file than before, where the earlier one (before_id) was seen nowhere since.

    A path may hold two files by turns, as when a backup is put back and undone: only its last change is told.
    """
    order = Window.partitionBy("cluster_id", "path").orderBy("run_id")
    made_out = sightings.where(~F.col("state").isin(*PROBLEMS))
    changes = (
        made_out.where("file_id IS NOT NULL")
        .withColumn("before_id", F.lag("file_id").over(order))
        .where("before_id <> file_id")
        .select("cluster_id", "path", "run_id", "before_id", "file_id")
    )
    is_kept = (
        (F.col("c.cluster_id") == F.col("e.cluster_id"))
        & (F.col("c.before_id") == F.col("e.file_id"))
        & (F.col("e.run_id") >= F.col("c.run_id"))
    )
    return changes.alias("c").join(made_out.alias("e"), is_kept, how="left_anti")
