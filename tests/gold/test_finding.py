"""Findings: one per rule and root event, with a stable name and a status that follows what was published."""

import pytest
from pyspark.sql import DataFrame

from pipeline.catalog.tables import BY_SHORT_NAME


def rebuilt(story: dict[str, DataFrame], published: DataFrame, **others: DataFrame) -> DataFrame:
    table = BY_SHORT_NAME["finding"]
    assert table.build is not None
    given = story | others | {"published_finding": published}
    return table.build(**{name: given[name] for name in table.inputs})


@pytest.mark.spark
def test_what_the_story_finds(story: dict[str, DataFrame]) -> None:
    found = {row.rule: row for row in story["finding"].collect()}
    assert set(found) == {"illegal_move", "controller_outlived", "blocked_deletion"}
    assert found["illegal_move"].severity == "critical"
    assert "NonExistentPartition -> OnlinePartition, first of a-1" in found["illegal_move"].sentence
    assert found["controller_outlived"].sentence.endswith(
        "resigned 2.0 s after the next controller was elected"
    )
    assert found["blocked_deletion"].severity == "warning"
    assert found["blocked_deletion"].valid_until_at is None
    assert all(row.evidence for row in found.values())


@pytest.mark.spark
def test_status_follows_what_was_published(story: dict[str, DataFrame]) -> None:
    again = {row.rule: row for row in rebuilt(story, story["finding"]).collect()}
    assert {rule: row.status for rule, row in again.items()} == {
        "illegal_move": "resolved",
        "controller_outlived": "resolved",
        "blocked_deletion": "ongoing",
    }
    without = rebuilt(story, story["finding"], topic_event=story["topic_event"].limit(0)).collect()
    assert {row.status for row in without if row.rule == "blocked_deletion"} == {"retracted"}
