"""What days before leave to the days that are judged: moves, attempts, and whether a line at TRACE stands there."""

from pipeline.model.partitions.carried_states import OBJECT, carried_moves
from schemas.gold.transition_audit import SPEC as MOVE
from schemas.state.replay_summary import SPEC
from tests.frames import frame
from tests.rows import same_rows

# Days 1 and 2 of a term. The first line at TRACE is that of seq 30.
SUMMARY = """
    cluster_id | term_id | day_at | machine   | topic | partition | replica_id | last_to       | last_seq | file_id | byte_offset | end_seq | first_trace_seq | last_trace_seq
    c          | 1-1     | 1      | replica   | a     | 0         | 1          | NewReplica    | 10       | f       | 100         | 10      |                 |
    c          | 1-1     | 2      | replica   | a     | 0         | 1          | OnlineReplica | 40       | f       | 400         | 50      |                 |
    c          | 1-1     | 1      | replica   | a     | 0         | 2          | NewReplica    | 11       | f       | 110         | 11      |                 |
    c          | 1-1     | 2      | replica   | a     | 0         | 2          |               |          |         |             | 41      |                 |
    c          | 1-1     | 2      | partition | a     | 0         |            | NewPartition  | 30       | f       | 300         | 30      | 30              | 30
    c          | 1-1     | 1      | partition | a     | 1         |            |               |          |         |             | 12      |                 |
    c          | 1-2     | 2      | replica   | a     | 0         | 1          | NewReplica    | 60       | f       | 600         | 60      |                 |
"""
CARRIED = """
    cluster_id | term_id | machine   | topic | partition | replica_id | to_state      | outcome | seq | file_id | byte_offset | level
    c          | 1-1     | replica   | a     | 0         | 1          | OnlineReplica | done    | 40  | f       | 400         | TRACE
    c          | 1-1     | replica   | a     | 0         | 1          |               | failed  | 50  |         |             | TRACE
    c          | 1-1     | replica   | a     | 0         | 2          | NewReplica    | done    | 11  | f       | 110         |
    c          | 1-1     | replica   | a     | 0         | 2          |               | failed  | 41  |         |             | TRACE
    c          | 1-1     | partition | a     | 0         |            | NewPartition  | done    | 30  | f       | 300         | TRACE
    c          | 1-1     | partition | a     | 1         |            |               | failed  | 12  |         |             |
    c          | 1-2     | replica   | a     | 0         | 1          | NewReplica    | done    | 60  | f       | 600         |
"""


def test_last_moves_and_attempts_of_the_days_before() -> None:
    columns = (*OBJECT, "to_state", "outcome", "seq", "file_id", "byte_offset", "level")
    same_rows(carried_moves(frame(SPEC, SUMMARY)), frame(MOVE, CARRIED), *columns)
