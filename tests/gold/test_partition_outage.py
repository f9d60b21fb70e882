"""Outages of partitions: who was gone, since when at most, how each ended, and what is none."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.gold import partition_outage
from pipeline.store.delta import declared
from schemas.gold import broker_session, partition_timeline
from schemas.gold.partition_outage import SPEC
from schemas.silver import term
from tests.tables import inputs_of, same_rows, table

TOLD = (
    "topic",
    "partition",
    "noticed_at",
    "ended_at",
    "ended_how",
    "root_event",
    "root_broker_id",
    "root_left_how",
    "old_leader",
    "new_leader",
)


@pytest.mark.spark
def test_outages_of_a_story(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    """Broker 2 dies; topic b is deleted before it got another leader; the next controller does not find broker 1."""
    expected = table(
        spark,
        SPEC,
        """
        topic | partition | noticed_at | ended_at | ended_how | low_ms | high_ms | root_event          | root_broker_id | root_left_how      | old_leader | new_leader | certainty
        a     | 0         | 10         | 10.002   | elected   | 2      | 21002   | broker failure      | 2              | uncontrolled       | 2          | 1          | inferred
        b     | 0         | 10         | 20       | deleted   | 10000  | 31000   | broker failure      | 2              | uncontrolled       | 2          |            | inferred
        a     | 0         | 29.010     |          |           |        |         | controller start-up | 1              | missing_at_startup | 1          |            | inferred
        a     | 1         | 29.010     |          |           |        |         | controller start-up | 1              | missing_at_startup | 1          |            | inferred
        """,
    )
    same_rows(story["partition_outage"], expected, *TOLD, "low_ms", "high_ms", "certainty")


@pytest.mark.spark
def test_a_start_up_notices_what_happened_after_the_controller_before(
    spark: SparkSession, story: dict[str, DataFrame]
) -> None:
    """The last line that names epoch 1 is of 10.003: a broker that died then may have been silent for 21 s already."""
    expected = table(spark, SPEC, "topic | partition | unserved_from_at\na | 0 | -10.997\na | 1 | -10.997")
    found = story["partition_outage"].where("root_left_how = 'missing_at_startup'")
    same_rows(found, expected, "topic", "partition", "unserved_from_at")


SESSIONS = """
    cluster_id | broker_id | joined_at | left_at | left_how     | left_term_id | left_event_seq
    c          | 1         | 1         | 100     | uncontrolled | 1-1          | 50
    c          | 1         | 200       |         |              |              |
    c          | 2         | 1         | 300     | bounced      | 1-1          | 60
    c          | 2         | 300       |         |              |              |
    c          | 3         | 1         |         |              |              |
"""
TIMELINE = """
    cluster_id | topic    | topic_life | partition | interval_seq | valid_from_at | valid_until_at | state            | leader | is_deleting | term_id | event_seq | certainty
    c          | back     | 1          | 0         | 1            | 10            |                | OnlinePartition  | 1      | false       | 1-1     | 5 |
    c          | bounced  | 1          | 0         | 1            | 10            | 300            | OnlinePartition  | 2      | false       | 1-1     | 5 |
    c          | bounced  | 1          | 0         | 2            | 300           |                | OnlinePartition  | 3      | false       | 1-1     | 60 |
    c          | moved    | 1          | 0         | 1            | 10            | 100            | OnlinePartition  | 1      | false       | 1-1     | 5 |
    c          | moved    | 1          | 0         | 2            | 100           |                | OnlinePartition  | 3      | false       | 1-1     | 40 |
    c          | stretch  | 1          | 0         | 1            | 10            | 110            | OnlinePartition  | 1      | false       | 1-1     | 5 |
    c          | stretch  | 1          | 0         | 2            | 110           | 120            | OfflinePartition | 1      | false       | 1-1     | 50 |
    c          | stretch  | 1          | 0         | 3            | 120           | 400            | OnlinePartition  | -1     | false       | 1-1     | 51 |
    c          | stretch  | 1          | 0         | 4            | 400           |                | OnlinePartition  | 3      | false       | 1-1     | 70 |
    c          | born     | 1          | 0         | 1            | 10            | 10.001         | NewPartition     |        | false       | 1-1     | 5 |
    c          | born     | 1          | 0         | 2            | 10.001        |                | OnlinePartition  | 3      | false       | 1-1     | 5 |
    c          | unborn   | 1          | 0         | 1            | 10            | 90             | NewPartition     |        | false       | 1-1     | 5 |
    c          | unborn   | 1          | 0         | 2            | 90            |                | OnlinePartition  | 3      | false       | 1-1     | 6 |
    c          | deleting | 1          | 0         | 1            | 10            | 90             | OfflinePartition | 3      | true        | 1-1     | 5 |
    c          | stranger | 1          | 0         | 1            | 10            |                | OnlinePartition  | 9      | false       | 1-1     | 5 |
    c          | doubted  | 1          | 0         | 1            | 10            | 20             | OfflinePartition | -1     | false       | 1-1     | 5         |
    c          | doubted  | 1          | 0         | 2            | 20            | 30             |                  |        | false       | 1-1     | 6         | undetermined
    c          | doubted  | 1          | 0         | 3            | 30            | 40             | OfflinePartition | -1     | false       | 1-1     | 7         |
    c          | doubted  | 1          | 0         | 4            | 40            |                | OnlinePartition  | 3      | false       | 1-1     | 8         |
"""


def frames(spark: SparkSession, lines: DataFrame) -> dict[str, Any]:
    """What the build takes, of the tables above; every row rests on a line of its own."""
    place = "array(named_struct('file_id', concat(topic, interval_seq), 'byte_offset', 0L))"
    stay = "array(named_struct('file_id', concat('b', broker_id, '@', joined_at), 'byte_offset', 0L))"
    return inputs_of(spark, lines) | {
        "partition_timeline": with_evidence(table(spark, partition_timeline.SPEC, TIMELINE), place),
        "broker_session": with_evidence(table(spark, broker_session.SPEC, SESSIONS), stay).withColumn(
            "mode", F.lit("zookeeper")
        ),
        "term": table(
            spark,
            term.SPEC,
            "cluster_id | term_id | life | controller_epoch | mode\nc | 1-1 | 1 | 1 | zookeeper",
        ),
    }


def with_evidence(rows: DataFrame, evidence: str) -> DataFrame:
    return rows.drop("evidence").selectExpr("*", f"{evidence} AS evidence")


@pytest.mark.spark
def test_what_is_an_outage(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    """Not: a leader moved by another act in the very millisecond, a creation in one act, a deletion."""
    expected = table(
        spark,
        SPEC,
        """
        topic    | partition | noticed_at | ended_at | ended_how       | root_event     | root_broker_id | root_left_how | old_leader | new_leader
        back     | 0         | 100        | 200      | leader_returned | broker failure | 1              | uncontrolled  | 1          | 1
        bounced  | 0         | 300        | 300      | elected         | broker bounced | 2              | bounced       | 2          | 3
        stretch  | 0         | 100        | 400      | elected         | broker failure | 1              | uncontrolled  | 1          | 3
        unborn   | 0         | 10         | 90       | elected         | unknown        |                |               |            | 3
        stranger | 0         | 10         |          |                 | unknown        | 9              |               | 9          |
        doubted  | 0         | 10         | 20       | lines_missing   | unknown        |                |               |            |
        doubted  | 0         | 30         | 40       | elected         | unknown        |                |               |            | 3
        """,
    )
    told = ("controller_line", "broker_absence")
    given = frames(spark, story["log_record"]) | {name: story[name] for name in told}
    rows = partition_outage.build(**{name: given[name] for name in build_inputs()})
    same_rows(declared(SPEC, rows), expected, *TOLD)


def build_inputs() -> tuple[str, ...]:
    code = partition_outage.build.__code__
    return code.co_varnames[: code.co_argcount]
