"""What days leave to the days after them, and once a week what all of them left."""

from polars import col, lit

from pipeline.core.frames import empty_frame
from pipeline.core.span import ALL_TIME, Span
from pipeline.state.replay_summary import build
from schemas.gold import transition_audit
from schemas.silver import controller_line
from schemas.state.replay_summary import SPEC
from tests.frames import at, frame
from tests.rows import same_rows

# Seconds of days: 0 is a Saturday, 172800 a Monday, 259200 a Tuesday. The level is lowered on Monday.
MOVES = """
    cluster_id | term_id | machine   | topic | partition | ordered_at | seq | level | outcome | to_state         | file_id | byte_offset
    c          | 1-1     | partition | a     | 0         | 10         | 1   | TRACE | done    | NewPartition     | f       | 10
    c          | 1-1     | partition | b     | 0         | 10         | 2   | TRACE | done    | NewPartition     | f       | 20
    c          | 1-1     | partition | a     | 0         | 172810     | 3   | ERROR | failed  | OnlinePartition  | f       | 30
    c          | 1-1     | partition | a     | 0         | 259210     | 4   | INFO  | done    | OnlinePartition  | f       | 40
"""
LINES = """
    cluster_id | term_id | ordered_at
    c          | 1-1     | 10
    c          | 1-1     | 172810
    c          | 1-1     | 259210
"""
LEFT = """
    term_id | day_at | machine   | topic | partition | last_to         | last_seq | file_id | byte_offset | end_seq | first_trace_seq | last_trace_seq
    1-1     | 0      | partition | a     | 0         | NewPartition    | 1        | f       | 10          | 1       | 1               | 1
    1-1     | 0      | partition | b     | 0         | NewPartition    | 2        | f       | 20          | 2       | 2               | 2
    1-1     | 172800 | partition | a     | 0         | NewPartition    | 1        | f       | 10          | 3       | 1               | 1
    1-1     | 172800 | partition | b     | 0         | NewPartition    | 2        | f       | 20          | 2       | 2               | 2
    1-1     | 259200 | partition | a     | 0         | OnlinePartition | 4        | f       | 40          | 4       |                 |
"""


def test_a_monday_tells_of_all_that_moved() -> None:
    moves, lines = frame(transition_audit.SPEC, MOVES), frame(controller_line.SPEC, LINES)
    expected = frame(SPEC, LEFT).with_columns(cluster_id=lit("c"))
    same_rows(build(moves, lines, empty_frame(SPEC), ALL_TIME), expected, *SPEC.columns)
    for day in (172_800, 259_200):
        is_later = col("ordered_at") >= at(day)
        before = expected.filter(col("day_at") < at(day))
        found = build(moves.filter(is_later), lines.filter(is_later), before, Span(at(day)))
        same_rows(found, expected.filter(col("day_at") >= at(day)), *SPEC.columns)
