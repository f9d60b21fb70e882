"""A KRaft broker that may exit of which no line says that it may begin to stop: lines of the controller are missing."""

import polars as pl
import pytest

from pipeline.gold.partition_timeline.missing_epochs import before_missing_epochs, unsaid_shutdown_holes
from schemas.gold import partition_timeline
from schemas.silver import broker_absence, controller_line
from tests.frames import at, frame

EXIT = """
    cluster_id | broker_id | out_at | back_at | event                              | file_id | byte_offset
    c          | 1         | {}     | {}      | broker_controlled_shutdown_granted | f       | 1
    c          | 1         | 40     | 60      | broker_shutdown_granted            | f       | 9
"""
LINES = """
    cluster_id | term_id | logged_at | file_id | byte_offset
    c          | t       | 20        | f       | 5
    c          | t       | 40        | f       | 9
    c          | u       | 39        | g       | 1
"""
STATES = """
    cluster_id | topic | topic_id | partition | valid_from_at | leader_epoch | partition_epoch
    c          | a     | a        | 0         | 5             | 3            | 3
    c          | a     | a        | 0         | 41            | 4            | {}
"""


@pytest.mark.parametrize(
    ("begun", "back", "hole"),
    [(2, 10, [(at(20), at(40))]), (30, 60, [])],
    ids=["its line is of a stop before", "it is told"],
)
def test_its_leaders_were_moved_before_it_may_exit(begun: int, back: int, hole: list[object]) -> None:
    out = frame(broker_absence.SPEC, EXIT.format(begun, back))
    found = unsaid_shutdown_holes(out, frame(controller_line.SPEC, LINES))
    assert found.select("hole_from_at", "hole_until_at").rows() == hole


@pytest.mark.parametrize(("partition_epoch", "ends"), [(4, []), (6, [at(20.001)])])
def test_who_led_is_in_doubt_from_the_hole_on_if_changes_are_missing(
    partition_epoch: int, ends: list[object]
) -> None:
    states = frame(partition_timeline.SPEC, STATES.format(partition_epoch)).with_columns(
        at="valid_from_at",
        known_at="valid_from_at",
        state_no=pl.int_range(pl.len()),
        event=pl.lit("broker_leader_started"),
    )
    holes = unsaid_shutdown_holes(
        frame(broker_absence.SPEC, EXIT.format(2, 10)), frame(controller_line.SPEC, LINES)
    )
    assert before_missing_epochs(states, holes)["first_at"].to_list() == ends
