"""Intervals of evidence: the same logs at the same level, gaps by themselves, no hole between."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from pipeline.gold import evidence
from schemas.gold.evidence import SPEC
from schemas.silver import log_gap, release_span, term, wording_seen
from tests.tables import same_rows, table

HOUR = 3600


def seen(spark: SparkSession) -> DataFrame:
    """Node 1: both logs at TRACE, an hour of silence, then INFO only; node 2: its controller.log is not there."""
    return table(
        spark,
        wording_seen.SPEC,
        f"""
        cluster_id | node_id | log          | level | first_at        | last_at
        c          | 1       | controller   | INFO  | 10              | 3000
        c          | 1       | state-change | TRACE | 12              | 3500
        c          | 1       | state-change | INFO  | 13              | 3600
        c          | 1       | controller   | INFO  | {3 * HOUR + 5}  | {3 * HOUR + 9}
        c          | 1       | state-change | INFO  | {3 * HOUR + 6}  | {3 * HOUR + 900}
        c          | 1       | controller   | INFO  | {5 * HOUR}      | {5 * HOUR + 1}
        c          | 2       | state-change | TRACE | 20              | 30
        """,
    )


@pytest.mark.spark
def test_intervals(spark: SparkSession) -> None:
    gaps = table(
        spark,
        log_gap.SPEC,
        f"""
        cluster_id | node_id | kind    | from_at | until_at
        c          | 1       | silence | 3700    | {2 * HOUR + 60}
        """,
    )
    terms = table(
        spark,
        term.SPEC,
        f"""
        cluster_id | term_id | controller_id | mode      | first_seen_at | last_seen_at
        c          | 1-1     | 1             | zookeeper | 10            | {6 * HOUR}
        """,
    )
    found = evidence.build(seen(spark), gaps, terms, spark.createDataFrame([], release_span.SPEC.struct))
    expected = table(
        spark,
        SPEC,
        f"""
        node_id | valid_from_at  | valid_until_at | state_change_level | is_controller | is_complete
        1       | 10             | 3700           | TRACE              | true          | true
        1       | 3700           | {3 * HOUR + 5} | TRACE              | true          | false
        1       | {3 * HOUR + 5} | {5 * HOUR}     | INFO               | true          | true
        1       | {5 * HOUR}     | {5 * HOUR + 1} | INFO               | true          | true
        2       | 20             | 30             | TRACE              | false         | true
        """,
    )
    columns = (
        "node_id",
        "valid_from_at",
        "valid_until_at",
        "state_change_level",
        "is_controller",
        "is_complete",
    )
    same_rows(found, expected, *columns)
    logs = [row.logs for row in found.orderBy("node_id", "valid_from_at").collect()]
    assert logs == [
        ["controller", "state-change"],
        [],
        ["controller", "state-change"],
        ["controller"],
        ["state-change"],
    ]


@pytest.mark.spark
def test_what_is_asked_of_a_controller_is_answered_or_not(story: dict[str, DataFrame]) -> None:
    rows = {(row.node_id, row.valid_from_at): row for row in story["evidence"].collect()}
    first, third = (rows[key] for key in sorted(rows))
    assert first.unanswered == []
    assert "moves of replicas" in first.answers
    assert set(third.answers) == {"terms and elections of controllers", "why the controller acted"}
    assert any(said.startswith("moves of partitions: give state-change.log") for said in third.unanswered)
