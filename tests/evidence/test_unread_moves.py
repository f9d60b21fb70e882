"""Moves and ends in lines that are missing: a small input for each kind that was another truth."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.gold.partition_outage.roots import with_departed
from pipeline.gold.partition_timeline.missing_epochs import before_missing_epochs
from pipeline.gold.reassignment.doubts import with_unseen_end
from pipeline.silver.term.holes import without_acts_before_renouncing
from schemas.gold import broker_session, partition_outage, partition_timeline
from schemas.silver import controller_step
from tests.evidence.attempts import attempt_going_on
from tests.frames import at, frame


@pytest.mark.parametrize(("replicas", "expected"), [("1", [20.001, 60]), ("1 3", [])])
def test_who_leads_and_is_no_replica_was_assigned_in_lines_that_are_missing(
    replicas: str, expected: list[float]
) -> None:
    """So nobody knows whom the decision took out."""
    states = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic_id | partition | valid_from_at | leader | leader_epoch | partition_epoch | replicas
        c          | a        | 0         | 20            | 1      | 2            | 2               | {replicas}
        c          | a        | 0         | 60            | -1     | 3            |                 | {replicas}
        c          | a        | 0         | 70            | 3      | 4            | 5               | {replicas}
        """,
    ).with_columns(
        at="valid_from_at",
        known_at="valid_from_at",
        state_no=col("leader_epoch"),
        event=lit("broker_leader_started"),
    )
    no_holes = states.clear().select("cluster_id", hole_from_at="at", hole_until_at="at")
    found = before_missing_epochs(states, no_holes).sort("first_at")
    assert found["first_at"].to_list() == [at(one) for one in expected]


@pytest.mark.parametrize(("epoch", "second", "count"), [(3, 20.4, 0), (6, 20.4, 1), (3, 190, 1)])
def test_who_gives_up_an_earlier_epoch_soon_after_was_not_elected_meanwhile(
    epoch: int, second: float, count: int
) -> None:
    acts = pl.DataFrame(
        {"cluster_id": ["c"], "controller_id": [101], "at": [at(20)], "controller_epoch": [5]}
    )
    steps = frame(
        controller_step.SPEC,
        f"cluster_id | node_id | logged_at | step | controller_epoch\nc | 101 | {second} | renounced | {epoch}",
    )
    kept = without_acts_before_renouncing(
        acts.cast({"controller_id": pl.Int32, "controller_epoch": pl.Int32}), steps
    )
    assert kept.height == count


@pytest.mark.parametrize(
    ("stated", "second", "is_in_doubt"), [("1 3", 40, True), ("1 2 3", 40, False), ("1 3", 5, False)]
)
def test_a_move_ended_unseen_where_the_partition_is_assigned_to_its_target(
    stated: str,
    second: float,
    is_in_doubt: bool,  # noqa: FBT001
) -> None:
    attempts = attempt_going_on()
    intervals = frame(
        partition_timeline.SPEC,
        f"cluster_id | topic | partition | interval_seq | valid_from_at | replicas | is_assignment_stale\nc | a | 0 | 1 | {second} | {stated} | false",
    )
    assert with_unseen_end(attempts, intervals)["is_in_doubt"].to_list() == [is_in_doubt]


@pytest.mark.parametrize(("is_behind_doubt", "root"), [(False, 1), (True, None)])
def test_of_an_outage_behind_a_doubt_nobody_is_named_by_the_event_alone(
    is_behind_doubt: bool,  # noqa: FBT001
    root: int | None,
) -> None:
    """Of others that left then the stay may be in lines that are missing."""
    outage = frame(
        partition_outage.SPEC,
        "cluster_id | topic | topic_life | partition | noticed_at | term_id | certainty\nc | a | 1 | 0 | 20 | 1-5 | inferred",
    ).with_columns(event_seq=lit(7, pl.Int64), is_behind_doubt=lit(is_behind_doubt))
    left = frame(
        broker_session.SPEC,
        "cluster_id | broker_id | joined_at | joined_how | left_at | left_how | certainty\nc | 1 | 5 | joined | 20 | uncontrolled | proved",
    ).with_columns(left_term_id=lit("1-5"), left_event_seq=lit(7, pl.Int64))
    assert with_departed(outage, left)["root_broker_id"].to_list() == [root]
