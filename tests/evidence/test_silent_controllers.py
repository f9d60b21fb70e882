"""What a KRaft controller did where its lines are missing is not known, though brokers show that they are."""

import polars as pl
import pytest
from polars import col

from pipeline.gold.leader_election.silent_controllers import without_silent_controllers
from schemas.gold import partition_timeline
from schemas.silver import broker_event, election_event, reassignment_event, term
from tests.frames import at, frame

TERM = (
    "cluster_id | mode | term_id | controller_id | controller_epoch | elected_at\nc | kraft | t | 9 | 5 | 1"
)
ACTS = """
    cluster_id | logged_at | node_id | said_by  | step              | broker_id
    c          | 10        | 9       | decision | unfence_granted   | 2
    c          | 50        | 9       | decision | session_timed_out | 2
    c          | 60        | 8       | replay   | fenced            | 2
"""
# Broker 1 is out at 30. Topic b changes before and behind the silence of the controller, and in it.
STATES = """
    cluster_id | topic | topic_life | partition | valid_from_at | leader | isr     | is_isr_stale
    c          | a     | 1          | 0         | 2             | 1      | [1 2 3] | false
    c          | a     | 1          | 0         | 30            | 2      | [2 3]   | false
    c          | a     | 1          | 0         | 45            | 2      | {isr}   | {stale}
    c          | a     | 1          | 1         | 2             | 1      | [1 2]   | false
    c          | a     | 1          | 1         | {second}      | 2      | [2]     | false
    c          | a     | 1          | 1         | 45            | 2      | {isr}   | {stale}
    c          | b     | 1          | 0         | 9             | 3      | [1 3]   | false
    c          | b     | 1          | 0         | 20            | 1      | [1 3]   | false
    c          | b     | 1          | 0         | 49            | 3      | [1 3]   | false
    c          | b     | 1          | 0         | 51            | 1      | [1 3]   | false
"""


@pytest.mark.parametrize(
    ("second", "isr", "is_stale", "mark", "unread"),
    [
        (30, "[1 2 3]", "false", None, [20, 30, 45, 49]),
        (32, "[1 2 3]", "false", None, []),  # each may have been moved, and back
        (30, "[2 3]", "false", None, []),  # both may have been moved away
        (30, "[1 2 3]", "true", None, []),  # who is in sync is not known
        (30, "[1 2 3]", "false", "left_at", []),
        (30, "[1 2 3]", "false", "moved_at", []),
    ],
)
def test_whom_no_line_takes_out_and_who_is_back_shows_that_lines_of_the_controller_are_missing(
    second: int, isr: str, is_stale: str, mark: str | None, unread: list[int]
) -> None:
    states = frame(partition_timeline.SPEC, STATES.format(second=second, isr=isr, stale=is_stale))
    changes = states.with_columns(
        *(
            pl.when(valid_from_at=at(30)).then("valid_from_at" if name == mark else None).alias(name)
            for name in ("left_at", "moved_at")
        ),
        term_id=pl.lit("t"),
        leader_before=col("leader").shift(1).over("topic", "partition"),
        is_term_read=True,
    )
    found = without_silent_controllers(
        changes,
        states,
        frame(broker_event.SPEC, ACTS),
        frame(election_event.SPEC, "cluster_id"),
        frame(reassignment_event.SPEC, "cluster_id"),
        frame(term.SPEC, TERM),
    )
    assert found.filter(~col("is_term_read"))["valid_from_at"].unique().sort().to_list() == [
        at(one) for one in unread
    ]
