"""What a row must not say of its own times: such a row is left out by the gate, and counted."""

import polars as pl
import pytest

from pipeline.core.expectations import check_expression
from schemas.gold import (
    broker_session,
    controller_term,
    finding,
    partition_outage,
    reassignment,
    topic_lifecycle,
)
from schemas.spec import TableSpec
from tests.frames import frame

# By table the check that a row breaks, and the row.
BREACHES = {
    broker_session.SPEC: """
        broken                    | joined_at | joined_how  | left_at | left_how     | silent_from_at | end_reason | end_reason_at | first_sign_at
        silent_before_it_left     | 10        | joined      | 20      | uncontrolled | 21             | unknown    |               |
        reason_is_of_the_stay     | 10        | joined      | 20      | uncontrolled | 19             | sigterm    | 9             |
        sign_is_of_the_stay       | 10        | bounced     | 20      | uncontrolled | 19             | killed     | 30            | 9
        a_reason_has_a_line       | 10        | joined      | 20      | uncontrolled | 19             | killed     |               |
        still_there_for_no_reason | 10        | joined      |         |              |                | unknown    |               |
                                  | 10        | before_data | 10      | uncontrolled | 5              | sigterm    | 4             | 4
    """,
    controller_term.SPEC: """
        broken                | elected_at | ended_at | ended_how | superseded_at | end_reason | end_reason_at | first_sign_at
        ends_after_it_begins  | 10         | 9        | shutdown  | 20            |            |               |
        reason_is_of_the_term | 10         | 12       | shutdown  | 20            | sigterm    | 9             |
        sign_is_of_the_term   | 10         | 12       | crashed   | 20            | killed     | 30            | 9
        a_reason_has_a_line   | 10         | 12       | crashed   | 20            | unknown    | 11            |
        open_has_no_end       | 10         |          | open      | 20            |            |               |
                              | 10         |          | open      |               |            |               |
                              |            | 12       | crashed   | 20            | killed     | 30            | 11
    """,
    partition_outage.SPEC: """
        broken                     | noticed_at | unserved_from_at | ended_at | ended_how | low_ms | high_ms | new_leader
        ends_after_it_begins       | 10         |                  | 9        | elected   |        |         | 1
        lasts_no_negative_time     | 10         |                  | 11       | elected   | -1     |         | 1
        bounds_are_in_order        | 10         |                  | 11       | elected   | 1000   | 900     | 1
        no_leader_while_it_goes_on | 10         |                  |          |           |        |         | 1
                                   | 10         | 9                | 11       | elected   | 1000   | 2000    | 1
    """,
    topic_lifecycle.SPEC: """
        broken                 | first_seen_at | created_at | online_at | ended_at
        ends_after_it_is_seen  | 10            |            |           | 9
        ends_after_it_begins   | 10            | 12         |           | 11
        online_after_it_begins | 10            | 12         | 11        |
                               | 10            | 12         | 12        | 20
    """,
    reassignment.SPEC: """
        broken                    | asked_from_at | started_at | caught_up_at | ended_at | waiting_for | outcome
        asked_before_it_begins    | 11            | 10         |              |          |             | in_progress
        caught_up_after_it_begins | 10            | 10         | 9            |          |             | in_progress
        caught_up_before_it_ends  | 10            | 10         | 12           | 11       |             | completed
        waits_while_it_goes_on    | 10            | 10         |              | 11       | no_leader   | completed
                                  | 9             | 10         | 11           | 11       |             | completed
    """,
    finding.SPEC: """
        broken               | valid_from_at | valid_until_at
        ends_after_it_begins | 10            | 9
                             | 10            | 10
    """,
}


def rows_of(spec: TableSpec) -> list[tuple[str, pl.DataFrame]]:
    """What each row breaks; empty: nothing."""
    head, *lines = [line for line in BREACHES[spec].strip().splitlines() if line.strip()]
    names = head.split("|", 1)[1]
    return [
        (line.split("|", 1)[0].strip(), frame(spec, f"{names}\n{line.split('|', 1)[1]}")) for line in lines
    ]


@pytest.mark.parametrize("spec", BREACHES, ids=lambda one: one.name)
def test_a_row_breaks_what_it_must_not_say(spec: TableSpec) -> None:
    for expected, row in rows_of(spec):
        broken = [one.name for one in spec.checks if row.select(~check_expression(one)).item()]
        assert broken == [expected] * bool(expected)
