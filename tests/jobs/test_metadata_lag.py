"""How far brokers are behind a KRaft controller: small cases, and a lab whose nodes have one clock."""

from pathlib import Path

import polars as pl
import pytest
from polars import col

from jobs.questions.named.metadata_lags import answer_metadata_lag
from pipeline.views.metadata_lag import metadata_lags
from pipeline.views.reading.answers import Answers
from schemas.bronze import source_file
from schemas.gold import broker_session, clock_skew, partition_timeline
from schemas.silver import partition_state, process_run
from tests.frames import at, frame
from tests.jobs.answering import answers_of, answers_of_logs
from tests.lab import folder_of

# Leaders of t that controller 9 decided, and the last of which the line of broker 2 is the first that is heard.
LEADERS = """
    cluster_id | topic | partition | topic_id | interval_seq | part_seq | stated_from_at | leader | leader_epoch
    c          | t     | 0         | x        | 1            | 1        | 20             | 2      | 1
    c          | t     | 0         | x        | 2            | 1        | 40             | 1      | 2
    c          | t     | 0         | x        | 3            | 1        | 60             | 2      | 3
    c          | t     | 0         | x        | 4            | 1        | 80             | 1      | 4
    c          | again | 0         | y        | 1            | 1        | 20             | 2      | 0
    c          | again | 0         | z        | 2            | 1        | 50             | 2      | 0
"""
EVIDENCE = [[{"file_id": "k", "byte_offset": 1}], [{"file_id": "k", "byte_offset": 2}],
            [{"file_id": "k", "byte_offset": 3}], [{"file_id": "f", "byte_offset": 5}],
            [{"file_id": "k", "byte_offset": 6}], [{"file_id": "k", "byte_offset": 7}]]  # fmt: skip
# Broker 2 is frozen as the third is decided, and back at 70; broker 1 was started at 38.
APPLIED = """
    cluster_id | file_id | byte_offset | logged_at | node_id | event                   | topic | partition | topic_id | leader | leader_epoch
    c          | f       | 1           | 20.05     | 2       | broker_leader_started   | t     | 0         | x        | 2      | 1
    c          | f       | 2           | 40.09     | 2       | broker_follower_started | t     | 0         |          | 1      | 2
    c          | f       | 3           | 71        | 2       | broker_leader_started   | t     | 0         | x        | 2      | 3
    c          | f       | 4           | 75        | 2       | broker_leader_started   | t     | 0         | x        | 2      | 3
    c          | f       | 5           | 80        | 2       | broker_follower_started | t     | 0         |          | 1      | 4
    c          | g       | 1           | 20.07     | 1       | broker_follower_started | t     | 0         |          | 2      | 1
    c          | g       | 2           | 44        | 1       | broker_leader_started   | t     | 0         | x        | 1      | 2
    c          | g       | 3           | 60.5      | 1       | broker_follower_started | t     | 0         |          | 2      | 3
    c          | g       | 6           | 20.1      | 1       | broker_follower_started | again | 0         |          | 2      | 0
    c          | f       | 6           | 50.1      | 2       | broker_leader_started   | again | 0         | z        | 2      | 0
    c          | h       | 1           | 20.4      | 3       | broker_follower_started | t     | 0         |          | 2      | 1
"""  # fmt: skip
STAYS = """
    cluster_id | broker_id | mode  | joined_at | left_at | silent_from_at
    c          | 1         | kraft | 1         |         |
    c          | 2         | kraft | 1         | 65      | 59
    c          | 2         | kraft | 70        |         |
    c          | 3         | kraft | 1         |         |
"""
RUNS = """
    cluster_id | node_id | run_seq | started_at
    c          | 1       | 1       | 38
"""
CLOCKS = """
    cluster_id | node_id | other_id | hour_at | low_ms | high_ms | is_step
    c          | 1       | 9        | 0       | -10    | 10      | false
    c          | 2       | 9        | 0       | -60    | 5       | false
"""
FILES = """
    cluster_id | file_id | node_id | load_seq | record_count | consumed_bytes | first_logged_at | last_logged_at
    c          | k       | 9       | 1        | 3            | 300            | 0               | 200
    c          | f       | 2       | 2        | 3            | 300            | 0               | 200
"""


@pytest.fixture(scope="module")
def answers() -> Answers:
    leaders = frame(partition_timeline.SPEC, LEADERS)
    return answers_of(
        partition_timeline=leaders.with_columns(
            evidence=pl.Series(EVIDENCE, dtype=leaders.schema["evidence"])
        ),
        partition_state=frame(partition_state.SPEC, APPLIED),
        broker_session=frame(broker_session.SPEC, STAYS),
        process_run=frame(process_run.SPEC, RUNS),
        clock_skew=frame(clock_skew.SPEC, CLOCKS),
        source_file=frame(source_file.SPEC, FILES),
    )


def test_a_lag_is_between_a_decision_and_the_first_line_of_a_broker_that_was_there(answers: Answers) -> None:
    rows = metadata_lags(answers).select("broker_id", "leader_epoch", "least_ms", "most_ms")
    wanted = [
        (1, 1, 60, 80),
        (1, 3, 490, 510),
        (2, 0, 40, 105),
        (2, 1, 0, 55),
        (2, 2, 30, 95),
        (3, 1, None, None),
    ]
    assert sorted(rows.rows()) == wanted


def test_the_answer_tells_the_slowest_first(answers: Answers) -> None:
    found = answer_metadata_lag(answers, None)
    assert found.sentence == (
        "Each of 2 brokers applied half of its leaders within 95 ms of the controller's line; the longest may be of broker 2."
    )
    assert [one.text.split(" (")[0] for one in found.told] == [
        "broker 2: 3 leaders, half of them within 95 ms, the slowest after 40 ms to 0.1 s",
        "broker 1: 2 leaders, half of them within 80 ms, the slowest after 0.5 s",
    ]
    assert found.not_known[0] == "of 1 leader more: no line bounds the clocks"
    assert answer_metadata_lag(answers, at(90)).sentence.startswith(
        "Not enough evidence: no line of a KRaft controller"
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    "name", ["4.3.1-kraft-separate-stock", "3.3.2-kraft-combined-stock", "4.0.0-kraft-combined-stock"]
)
def test_of_nodes_with_one_clock_what_stands_between_their_lines_is_in_the_bounds(
    shared: Path, name: str
) -> None:
    rows = metadata_lags(
        answers_of_logs(folder_of(shared, name), ("controller", "state-change", "mixed", "server"))
    )
    between_ms = (col("applied_at") - col("decided_at")).dt.total_milliseconds()
    bounded = rows.drop_nulls(["least_ms", "most_ms"])
    assert bounded.filter(~between_ms.is_between("least_ms", "most_ms")).is_empty()
    assert bounded.height > 100
