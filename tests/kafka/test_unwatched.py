"""What may go by unseen in KRaft where the logs of a broker are missing: here those of broker 1."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import kraft_offices
from pipeline.kafka.unwatched import with_unwatched
from schemas.gold import partition_timeline
from schemas.silver import broker_absence, term, wording_seen
from tests.tables import same_rows, table

pytestmark = pytest.mark.spark

SEEN = """
    cluster_id | node_id | log          | first_at
    c          | 2       | state-change | -100
    c          | 3       | state-change | -100
"""
ABSENCES = """
    cluster_id | broker_id | out_at | silent_from_at | back_at
    c          | 2         | 5      | -5             | 20
    c          | 2         | 50     | 40             | 60
    c          | 2         | 90     |                |
    c          | 3         | 100    | 95             |
"""
STATES = """
    cluster_id | topic_id | partition | topic | valid_from_at | leader | leader_epoch | partition_epoch | isr   | replicas | certainty
    c          | alone    | 0         | alone | 30            | 1      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | own      | 0         | own   | 30            | 2      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | late     | 0         | late  | 45            | 1      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | begun    | 0         | begun | -20           | 1      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | three    | 0         | three | 30            | 1      | 0            | 0               | [1 2 3] | [1 2 3] | proved
    c          | read     | 0         | read  | 30            | 2      | 0            | 0               | [2 3] | [2 3]    | proved
    c          | off      | 0         | off   | 30            | -1     | 0            | 0               | []    | [2]      | proved
"""
EXPECTED = """
    topic | valid_from_at | leader | certainty
    alone | 30            | 1      | proved
    alone | 40            |        | undetermined
    own   | 30            | 2      | proved
    own   | 40            |        | undetermined
    late  | 45            | 1      | proved
    late  | 45.001        |        | undetermined
    begun | -20           | 1      | proved
    begun | 0             |        | undetermined
    three | 30            | 1      | proved
    three | 95            |        | undetermined
    read  | 30            | 2      | proved
    off   | 30            | -1     | proved
"""


def test_nobody_prints_another_leader_while_all_others_are_silent(spark: SparkSession) -> None:
    """begun: what stands before the day of the decision stays; three: one was let go, the other falls silent."""
    stated = table(spark, partition_timeline.SPEC, STATES)
    own = {"at": "valid_from_at", "known_at": "valid_from_at", "replicas_at": "valid_from_at"}
    states = stated.withColumns(
        {name: F.col(of) for name, of in own.items()}
        | {"event": F.lit("said"), "gone_at": F.lit(None).cast("timestamp")}
        | {"is_assignment_stale": F.lit(False)}
    )
    seen, absences = table(spark, wording_seen.SPEC, SEEN), table(spark, broker_absence.SPEC, ABSENCES)
    offices = kraft_offices(
        table(spark, term.SPEC, "cluster_id | term_id | mode | elected_at\nc | 1-1 | kraft | -99")
    )
    found = with_unwatched(states, seen, absences, offices)
    expected = table(spark, partition_timeline.SPEC, EXPECTED)
    same_rows(
        found.withColumn("valid_from_at", F.col("at")),
        expected,
        "topic",
        "valid_from_at",
        "leader",
        "certainty",
    )
