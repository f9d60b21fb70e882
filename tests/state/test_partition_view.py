"""What controllers in office held at the end of each day, whichever day a build begins with."""

import re
from datetime import datetime, timedelta

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.core.span import Span
from pipeline.model.partitions.controller_view import OWN
from pipeline.state.partition_view import build
from schemas.gold import partition_timeline
from schemas.silver import (
    assignment,
    controller_line,
    leader_and_isr,
    partition_transition,
    term,
    topic_event,
)
from schemas.spec import TableSpec
from schemas.state.partition_view import SPEC
from tests.carried import deletion_before, reaching
from tests.frames import EPOCH, frame
from tests.rows import broken_rules, same_rows

# Times are DAY:SECOND. Day 0 is a Saturday, 2 and 9 are Mondays.
DAYS = 12
TERMS = """
    term_id | life | controller_epoch | mode      | first_seen_at
    1-1     | 1    | 1                | zookeeper | 0:1
    1-2     | 1    | 2                | zookeeper | 11:5
"""
# A term was missing when the leader of old was stated; none is of another controller.
TIMELINE = """
    topic | topic_life | partition | interval_seq | valid_from_at | controller_epoch | seq | leader | isr | replicas | leader_epoch | is_deleting | certainty    | is_assignment_stale
    old   | 1          | 0         | 1            | -1:0          | 0                | 1   | 9      | [9] | [9]      | 4            | false       | undetermined | true
    none  | 1          | 0         | 1            | 5:0           | 1                | 1   | 9      | [9] | [9]      | 4            | false       | proved       | false
"""
LINES = """
    term_id | byte_offset | ordered_at | event
    1-1     | 10          | 0:2        | leader_and_isr_sent
    1-1     | 20          | 1:1        | leader_and_isr_sent
    1-1     | 30          | 2:1        | imbalance_check
    1-1     | 40          | 3:1        | isr_updated
    1-1     | 50          | 3:2        | leader_and_isr_sent
    1-1     | 60          | 3:3        | leader_and_isr_sent
    1-1     | 70          | 4:1        | topic_deletion_completed
    1-1     | 80          | 9:1        | partition_transition
    1-1     | 85          | 10:1       | topic_change
    1-1     | 90          | 11:1       | leader_and_isr_sent
    1-2     | 100         | 11:6       | leader_and_isr_sent
"""
# 60: a request that tells less than its controller knows.
STATES = """
    byte_offset | event               | topic | leader | leader_epoch | isr   | replicas
    10          | leader_and_isr_sent | a     | 1      | 1            | [1 2] | [1 2]
    20          | leader_and_isr_sent | b     | 3      | 0            | [3]   | [3]
    40          | isr_updated         | old   | 9      | 5            | [9]   |
    50          | leader_and_isr_sent | a     | 2      | 3            | [2]   | [1 2]
    60          | leader_and_isr_sent | a     | 1      | 2            | [1 2] | [1 2]
    85          | topic_change        | a     |        |              |       | [1 2]
    90          | leader_and_isr_sent | a     | 1      | 4            | [1]   | [1 2]
    100         | leader_and_isr_sent | a     | 2      | 5            | [2]   | [1 2]
"""
# It does not say its leader epoch.
MOVE = "byte_offset | topic | to_state | outcome\n80 | a | OnlinePartition | done"
DELETION = "byte_offset | logged_at | topic | step\n70 | 4:1 | b | deletion_completed"
HELD = """
    term_id | day_at | topic | state                | leader | isr   | replicas | leader_epoch | doubted                            | is_ended | stated_epoch | isr_byte_offset | is_epoch_unsaid
    1-1     | 0:0    | old   |                      | 9      | [9]   | [9]      | 4            | [leader isr leader_epoch replicas] | false    |              |                 | false
    1-1     | 0:0    | a     |                      | 1      | [1 2] | [1 2]    | 1            | []                                 | false    | 1            | 10              | false
    1-1     | 1:0    | b     |                      | 3      | [3]   | [3]      | 0            | []                                 | false    | 0            | 20              | false
    1-1     | 2:0    | old   |                      | 9      | [9]   | [9]      | 4            | [leader isr leader_epoch replicas] | false    |              |                 | false
    1-1     | 2:0    | a     |                      | 1      | [1 2] | [1 2]    | 1            | []                                 | false    | 1            | 10              | false
    1-1     | 2:0    | b     |                      | 3      | [3]   | [3]      | 0            | []                                 | false    | 0            | 20              | false
    1-1     | 3:0    | old   |                      | 9      | [9]   | [9]      | 5            | [replicas]                         | false    | 5            | 40              | false
    1-1     | 3:0    | a     |                      | 2      | [2]   | [1 2]    | 3            | []                                 | false    | 3            | 50              | false
    1-1     | 4:0    | b     | NonExistentPartition | 3      | [3]   | [3]      | 0            | []                                 | true     | 0            | 20              | false
    1-1     | 9:0    | old   |                      | 9      | [9]   | [9]      | 5            | [replicas]                         | false    | 5            | 40              | false
    1-1     | 9:0    | a     | OnlinePartition      | 2      | [2]   | [1 2]    | 3            | []                                 | false    | 3            | 50              | true
    1-1     | 10:0   | a     | OnlinePartition      | 2      | [2]   | [1 2]    | 3            | []                                 | false    | 3            | 50              | true
    1-2     | 11:0   | old   |                      | 9      | [9]   | [9]      | 4            | [leader isr leader_epoch replicas] | false    |              |                 | false
    1-2     | 11:0   | none  |                      | 9      | [9]   | [9]      | 4            | []                                 | false    |              |                 | false
    1-2     | 11:0   | a     |                      | 2      | [2]   | [1 2]    | 5            | []                                 | false    | 5            | 100             | false
"""


def told(spec: TableSpec, text: str, **columns: pl.Expr) -> pl.DataFrame:
    """A table from text, its times in days and seconds."""
    in_seconds = re.sub(r"(-?\d+):(\d+)", lambda time: str(int(time[1]) * 86_400 + int(time[2])), text)
    return frame(spec, in_seconds).with_columns(cluster_id=lit("c"), **columns)


FILE, FIRST = lit("f"), lit(0, pl.Int32)
GIVEN = {
    "term": told(term.SPEC, TERMS),
    "partition_timeline": told(partition_timeline.SPEC, TIMELINE),
    "topic_event": told(topic_event.SPEC, DELETION, file_id=FILE),
    "leader_and_isr": told(
        leader_and_isr.SPEC, STATES, file_id=FILE, partition=FIRST, teller=lit("controller")
    ),
    "partition_transition": told(partition_transition.SPEC, MOVE, file_id=FILE, partition=FIRST),
    "assignment": empty_frame(assignment.SPEC),
}
OF_LINE = {
    "file_id": FILE,
    "seq": col("byte_offset"),
    "event_seq": lit(0, pl.Int64),
    "logged_at": col("ordered_at"),
}
ALL_LINES = told(controller_line.SPEC, LINES, **OF_LINE)
ENDS = told(
    SPEC, HELD, topic_life=lit(1, pl.Int32), partition=FIRST, is_deleting=lit(None, pl.Boolean)
).with_columns(isr_file_id=pl.when(col("isr_byte_offset").is_not_null()).then(FILE))
COMPARED = tuple(name for name in SPEC.columns if name != "is_deleting")


def of_days(day: datetime | None, view_before: pl.DataFrame) -> pl.DataFrame:
    lines = ALL_LINES if day is None else ALL_LINES.filter(reaching("ordered_at", day))
    before = deletion_before(GIVEN["topic_event"], ALL_LINES, day or EPOCH)
    rows = build(
        **GIVEN, controller_line=lines, deletion_before=before, view_before=view_before, span=Span(day)
    )
    return frame_of(declared_table(rows, SPEC))


def test_what_changed_on_a_day_and_all_of_it_once_a_week() -> None:
    found = of_days(None, empty_frame(SPEC))
    same_rows(found, ENDS, *COMPARED)
    assert not broken_rules(found, SPEC)


@pytest.mark.parametrize("number", range(1, DAYS))
def test_a_build_from_any_day_on_needs_the_views_before_it(number: int) -> None:
    day = EPOCH + timedelta(days=number)
    earlier = ENDS.filter(col("day_at") < day).sort("day_at")
    last = earlier.unique(OWN, keep="last", maintain_order=True).filter(~col("is_ended"))
    same_rows(of_days(day, last), ENDS.filter(col("day_at") >= day), *COMPARED)
