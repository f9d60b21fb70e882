"""Intervals of partitions: who led when, without holes and without repeating what did not change."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from schemas.gold.partition_timeline import SPEC
from tests.tables import same_rows, table


@pytest.mark.spark
def test_intervals(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    expected = table(
        spark,
        SPEC,
        """
        topic | partition | valid_from_at | valid_until_at | state            | leader | isr   | replicas | leader_epoch
        a     | 0         | 2             | 2.001          |                  |        |       | [2 1]    |
        a     | 0         | 2.001         | 2.002          | NewPartition     |        |       | [2 1]    |
        a     | 0         | 2.002         | 10.001         | OnlinePartition  | 2      | [2 1] | [2 1]    | 0
        a     | 0         | 10.001        | 10.002         | OfflinePartition | 2      | [2 1] | [2 1]    | 0
        a     | 0         | 10.002        |                | OnlinePartition  | 1      | [1]   | [2 1]    | 1
        """,
    )
    columns = (
        "topic",
        "partition",
        "valid_from_at",
        "valid_until_at",
        "state",
        "leader",
        "isr",
        "replicas",
        "leader_epoch",
    )
    same_rows(story["partition_timeline"].where("topic = 'a' AND partition = 0"), expected, *columns)


@pytest.mark.spark
def test_intervals_of_a_partition_follow_one_another(story: dict[str, DataFrame]) -> None:
    by = ("topic", "topic_life", "partition")
    one, following = story["partition_timeline"].alias("one"), story["partition_timeline"].alias("following")
    pairs = one.join(following, on=list(by), how="inner").where(
        "following.interval_seq = one.interval_seq + 1"
    )
    assert pairs.where(F.col("one.valid_until_at") != F.col("following.valid_from_at")).isEmpty()
    assert not pairs.isEmpty()
