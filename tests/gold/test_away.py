"""Who was away while the old leader died cannot have been in the ISR that it left."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.kafka.away import with_away
from schemas.gold import broker_session
from schemas.gold.leader_election import SPEC
from tests.tables import table

pytestmark = pytest.mark.spark

# Broker 1 leaves at 10 and is back at 40, 2 leaves at 20; 3 comes after 2, and before was never gone; 4 is back before
# 2 leaves; 5 is missing in a list, and nothing says that it left; 6 left in the very act that 2 did.
STAYS = """
    cluster_id | broker_id | joined_at | left_at | left_how
    c          | 1         | 0         | 10      | uncontrolled
    c          | 1         | 40        | 90      | uncontrolled
    c          | 2         | 0         | 20      | missing_at_startup
    c          | 3         | 40        |         |
    c          | 4         | 0         | 5       | controlled
    c          | 4         | 15        |         |
    c          | 5         | 0         | 10      | missing_in_list
    c          | 5         | 40        |         |
    c          | 6         | 0         | 20      | missing_at_startup
    c          | 6         | 40        |         |
    c          | 7         | 0         |         |
"""
# The last column: whether the new leader was away. b: nobody knows who led; c: the old leader is there; g: it was in
# the ISR all the same, alone; h and i: no election out of being offline, or none at all.
ELECTIONS = """
    cluster_id | topic | partition | elected_at | kind      | outcome | old_leader | leader | isr_before | is_expected
    c          | a     | 1         | 41         | offline   | done    | 2          | 1      | [2]        | true
    c          | a     | 2         | 41         | unknown   | done    | 2          | 1      | [2 3]      | true
    c          | b     | 0         | 41         | offline   | done    |            | 1      | [2]        | false
    c          | c     | 0         | 41         | offline   | done    | 7          | 1      | [7]        | false
    c          | d     | 3         | 41         | offline   | done    | 2          | 3      | [2]        | false
    c          | d     | 4         | 41         | offline   | done    | 2          | 4      | [2]        | false
    c          | d     | 5         | 41         | offline   | done    | 2          | 5      | [2]        | false
    c          | d     | 6         | 41         | offline   | done    | 2          | 6      | [2]        | false
    c          | e     | 0         | 39         | offline   | done    | 2          | 1      | [2]        | false
    c          | f     | 0         | 95         | offline   | done    | 2          | 1      | [2]        | false
    c          | g     | 0         | 41         | offline   | done    | 2          | 1      | [1]        | false
    c          | h     | 0         | 41         | preferred | done    | 2          | 1      | [2]        | false
    c          | i     | 0         | 41         | offline   | failed  | 2          |        | [2]        | false
    c          | j     | 0         | 41         | offline   | done    | 2          | 1      |            | false
"""


def test_who_was_away(spark: SparkSession) -> None:
    line = F.struct(
        F.format_string("%s-%d", "broker_id", F.minute("joined_at") * 60 + F.second("joined_at")).alias(
            "file_id"
        ),
        F.lit(0).cast("long").alias("byte_offset"),
    )
    left = F.struct(
        F.format_string("%s left", "broker_id").alias("file_id"), F.lit(1).cast("long").alias("byte_offset")
    )
    stays = table(spark, broker_session.SPEC, STAYS).withColumn("evidence", F.array(line, left))
    found = with_away(table(spark, SPEC, ELECTIONS), stays).collect()
    assert len(found) == 14
    assert {(row.topic, row.partition) for row in found if row.away is not None} == {
        (row.topic, row.partition) for row in found if row.is_expected
    }
    lines = {tuple(one.file_id for one in row.away) for row in found if row.away}
    assert lines == {("1 left", "2 left", "1-40")}
