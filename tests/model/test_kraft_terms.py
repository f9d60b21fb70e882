"""What is known of KRaft brokers while controllers whose lines are missing are in office, and whose lines are decisions."""

import polars as pl
from polars import lit
from polars.testing import assert_frame_equal

from pipeline.model.terms.kraft_terms import decisions_in_effect, kraft_terms, until_unseen, with_decided
from schemas.silver import broker_absence, broker_event, controller_line, partition_state, term
from tests.frames import frame

TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | mode  | elected_at | first_seen_at | told_until_at
    c          | 1-1     | 1    | 1                | 101           | kraft | 1          | 1             | 10
    c          | 1-2     | 1    | 2                | 102           | kraft |            | 10            |
    c          | 1-3     | 1    | 3                | 101           | kraft | 20         | 20            | 30
    whole      | 1-1     | 1    | 1                | 101           | kraft | 1          | 1             | 9
"""
ABSENCES = """
    cluster_id | broker_id | out_at | back_at
    c          | 1         | 2      | 3
    c          | 1         | 4      | 15
    c          | 2         | 5      |
    c          | 3         | 21     |
    c          | 4         | 10     |
    whole      | 1         | 5      |
"""
KNOWN = """
    cluster_id | broker_id | out_at | back_at
    c          | 1         | 2      | 3
    c          | 1         | 4      | 10
    c          | 2         | 5      | 10
    c          | 3         | 21     |
    c          | 4         | 10     |
    whole      | 1         | 5      |
"""


def test_who_unfenced_a_broker_may_have_left_no_line() -> None:
    terms = kraft_terms(frame(term.SPEC, TERMS))
    found = until_unseen(frame(broker_absence.SPEC, ABSENCES), terms)
    columns = ["cluster_id", "broker_id", "out_at", "back_at"]
    expected = frame(broker_absence.SPEC, KNOWN)
    assert_frame_equal(found.select(columns), expected.select(columns), check_row_order=False)


SAID = """
    cluster_id | logged_at | node_id | controller_id | broker_id
    c          | 0.5       | 102     | 102           | 1
    c          | 1         | 101     | 101           | 2
    c          | 9         | 102     | 102           | 3
    c          | 10        |         | 102           | 4
    c          | 20        | 102     | 102           | 5
    c          | 21        | 101     |               | 6
    other      | 21        | 102     |               | 7
"""


def test_a_controller_decides_until_another_one_is_elected() -> None:
    """Where no election was seen any controller's decision counts."""
    found = decisions_in_effect(frame(broker_event.SPEC, SAID), frame(term.SPEC, TERMS)).sort("broker_id")
    assert found.select("broker_id", "term_id", "life", "controller_epoch").rows() == [
        (1, None, None, None),
        (2, "1-1", 1, 1),
        (4, "1-2", 1, 2),
        (6, "1-3", 1, 3),
        (7, None, None, None),
    ]


LINES = """
    cluster_id | file_id | byte_offset | logged_at
    c          | f       | 1           | 5
    c          | f       | 2           | 20
    c          | f       | 3           | 21
    c          | g       | 1           | 5
"""
OWN = """
    cluster_id | file_id | byte_offset | term_id
    c          | f       | 1           | 1-1
    c          | f       | 2           | 1-1
    c          | f       | 3           | 1-3
"""


def test_what_is_no_line_of_the_term_in_office_is_no_decision() -> None:
    lines = frame(partition_state.SPEC, LINES).with_columns(at="logged_at")
    found = with_decided(lines, frame(controller_line.SPEC, OWN), kraft_terms(frame(term.SPEC, TERMS)))
    expected = {("f", 1): True, ("f", 2): False, ("f", 3): True, ("g", 1): False}
    assert {(row["file_id"], row["byte_offset"]): row["is_decided"] for row in found.to_dicts()} == expected


def test_without_terms_nothing_is_held_back() -> None:
    none = kraft_terms(frame(term.SPEC, TERMS).with_columns(mode=lit("zookeeper")))
    absences = frame(broker_absence.SPEC, ABSENCES)
    columns = ["broker_id", "back_at"]
    found: pl.DataFrame = until_unseen(absences, none)
    assert_frame_equal(found.select(columns), absences.select(columns), check_row_order=False)
