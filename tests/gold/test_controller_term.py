"""Terms: how they ended, and which outlived the next election."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from schemas.gold.controller_term import SPEC
from tests.tables import same_rows, table


@pytest.mark.spark
def test_terms(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    expected = table(
        spark,
        SPEC,
        """
        term_id | controller_id | elected_at | ready_ms | superseded_at | ended_at | ended_how       | gap_ms
        1-1     | 1             | 1          | 100      | 29            | 31       | session_expired | -2000
        1-2     | 3             | 29         |          |               |          | open            |
        """,
    )
    columns = (
        "term_id",
        "controller_id",
        "elected_at",
        "ready_ms",
        "superseded_at",
        "ended_at",
        "ended_how",
        "gap_ms",
    )
    same_rows(story["controller_term"], expected, *columns)


@pytest.mark.spark
def test_evidence_is_the_election_the_resignation_and_the_next_election(story: dict[str, DataFrame]) -> None:
    lines = {
        row.term_id: [one.byte_offset for one in row.evidence] for row in story["controller_term"].collect()
    }
    records = story["log_record"].where("event IN ('controller_elected', 'controller_resigning')").collect()
    offsets = {(row.node_id, row.event): row.byte_offset for row in records}
    elected = [offsets[1, "controller_elected"], offsets[3, "controller_elected"]]
    assert lines["1-1"] == [elected[0], offsets[1, "controller_resigning"], elected[1]]
    assert lines["1-2"] == [offsets[3, "controller_elected"]]
