"""Outages, moves and ratios over which lines are missing: a small input for each kind that was another truth."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.span import Span
from pipeline.gold.leader_imbalance.counting import imbalance_changes, of_each_broker
from pipeline.gold.partition_outage import merge_outage_pieces
from pipeline.gold.reassignment.doubts import with_unseen_end
from pipeline.gold.topic_lifecycle.deletions import put_off
from schemas.gold import broker_session, partition_outage, partition_timeline
from tests.evidence.attempts import attempt_going_on
from tests.frames import at, frame


@pytest.mark.parametrize(
    ("adding", "second", "expected"), [("[]", 40, True), ("3", 40, False), ("[]", 5, False)]
)
def test_a_move_in_kraft_ended_unseen_where_no_replica_is_added_or_removed_any_more(
    adding: str,
    second: int,
    expected: bool,  # noqa: FBT001
) -> None:
    attempts = attempt_going_on()
    intervals = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic | topic_id | partition | interval_seq | valid_from_at | replicas | is_assignment_stale | adding_replicas | removing_replicas
        c          | a     | x        | 0         | 1            | {second}      | 1 2 3    | true                | {adding}        | []
        """,
    )
    assert with_unseen_end(attempts, intervals)["is_in_doubt"].to_list() == [expected]


def test_an_outage_that_ends_with_a_piece_without_length_ends_as_that_does() -> None:
    pieces = frame(
        partition_outage.SPEC,
        """
        cluster_id | topic | topic_life | partition | noticed_at | ended_at | ended_how     | new_leader
        c          | a     | 1          | 0         | 10         | 13       | elected       | -1
        c          | a     | 1          | 0         | 13         | 13       | lines_missing |
        """,
    ).rename({"noticed_at": "from_at", "ended_at": "until_at", "ended_how": "ending"})
    pieces = pieces.with_columns(
        is_absent=lit(value=False), is_since_doubt=lit(value=False), is_in_doubt=lit(value=False),
        is_until_doubt=col("ending") == "lines_missing", line_file_id=lit("f"), line_byte_offset=col("partition"),
        ending_file_id=pl.when(col("ending") == "elected").then(lit("f")), ending_byte_offset=col("partition"),
    )  # fmt: skip
    found = merge_outage_pieces(pieces)
    assert found.select("noticed_at", "ended_how", "new_leader").rows() == [(at(10), "lines_missing", None)]


@pytest.mark.parametrize(
    ("is_stale", "leader", "unsure"), [("true", "", 1), ("false", "", 0), ("true", "2", 0)]
)
def test_where_nobody_is_known_to_have_a_partition_anybody_may_prefer_to_lead_it(
    is_stale: str, leader: str, unsure: int
) -> None:
    intervals = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic | topic_id | topic_life | partition | interval_seq | valid_from_at | replicas | leader   | is_assignment_stale | is_deleting | certainty
        c          | a     | x        | 1          | 0         | 1            | 10            | 1        | {leader} | {is_stale}          | false       | inferred
        c          | b     | y        | 1          | 0         | 1            | 10            | 3        | 3        | false               | false       | proved
        """,
    )
    found = of_each_broker(imbalance_changes(intervals, Span()))
    assert found.filter(broker_id=3)["unsure"].sum() == unsure


@pytest.mark.parametrize(
    ("certainty", "left", "expected"),
    [
        ("proved", "", "storage_error"),
        ("undetermined", "", "unknown"),
        ("undetermined", "15", "dead_replica"),
    ],
)
def test_why_a_deletion_waits_is_not_known_of_a_broker_whose_session_is_in_doubt(
    certainty: str, left: str, expected: str
) -> None:
    told = pl.DataFrame(
        {"cluster_id": "c", "topic": "a", "topic_life": 1, "drive": 1, "number": [1, 2], "at": at(20)}
        | {"step": ["dead", "halted"], "reason": None, "broker_id": [1, None]}
    ).cast({"reason": pl.String, "broker_id": pl.Int32, "topic_life": pl.Int32})
    sessions = frame(
        broker_session.SPEC,
        f"cluster_id | broker_id | joined_at | left_at | certainty\nc | 1 | 10 | {left} | {certainty}",
    )
    assert put_off(told, sessions)["blocked_by"].to_list() == [expected]
