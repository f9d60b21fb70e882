"""Which replicas applied a partition's leader in KRaft: the answer and what it rests on."""

import polars as pl
import pytest

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.arrivals import did_it_arrive
from schemas.bronze import source_file
from schemas.gold import clock_skew, partition_timeline
from schemas.silver import partition_state
from tests.frames import at, frame
from tests.jobs.answering import answers_of

LEADER = """
    cluster_id | topic | partition | topic_id | interval_seq | part_seq | valid_from_at | stated_from_at | leader | leader_epoch | replicas | term_id | seq | certainty | is_deleting
    c          | t     | 0         | x        | 1            | 1        | 10            | 10             | 2      | 5            | [1 2 3]  | 1-1     | 1   | proved    | false
"""  # fmt: skip
HEAD = "cluster_id | file_id | byte_offset | logged_at | node_id | event | topic | partition | topic_id | leader | leader_epoch\n"
LEADS = "c | f | 1 | 10.057 | 2 | broker_leader_started | t | 0 | x | 2 | 5\n"
FOLLOWS = "c | g | 1 | 10.4 | 1 | broker_follower_started | t | 0 | | 2 | 5\nc | g | 2 | 90 | 1 | broker_follower_started | t | 0 | | 2 | 5\n"
OTHERS = (
    "c | h | 1 | 9 | 3 | broker_follower_started | t | 0 | y | 2 | 5\n"
    "c | h | 2 | 9 | 3 | broker_follower_started | t | 0 | x | 1 | 4\n"
    "c | h | 3 | 9 | 3 | broker_follower_started | t | 1 | x | 2 | 5\n"
)
FILES = """
    cluster_id | file_id | node_id | load_seq | record_count | consumed_bytes | first_logged_at | last_logged_at
    c          | f       | 2       | 1        | 3            | 300            | 0               | 200
    c          | k       | 9       | 2        | 3            | 300            | 0               | 200
"""
# Of controller 9, whose line decides it, and of broker 2: the clock of the one less that of the other.
CLOCKS = """
    cluster_id | node_id | other_id | hour_at | low_ms | high_ms | is_step
    c          | 2       | 9        | 0       | -12    | 1       | false
"""
DECIDED = [{"file_id": "k", "byte_offset": 1}]


def decided_by(evidence: list[dict[str, object]]) -> pl.DataFrame:
    rows = frame(partition_timeline.SPEC, LEADER)
    return rows.with_columns(evidence=pl.Series([evidence], dtype=rows.schema["evidence"]))


@pytest.mark.parametrize(
    ("lines", "said", "texts"),
    [
        (
            LEADS + FOLLOWS + OTHERS,
            "Its leader applied it at 2026-11-21 00:00:10.057 UTC by its own clock; 2 of 3 replicas say so, not 3.",
            ["broker 1 follows", "broker 2 leads, 45 to 58 ms later"],
        ),
        (
            FOLLOWS,
            "No line says that its leader applied it; 1 of 3 replicas say so, not 2, 3.",
            ["broker 1 follows"],
        ),
        (OTHERS, "and no line of a broker says that it applied that.", []),
    ],
)
def test_first_lines_of_replicas_at_the_leader_epoch(lines: str, said: str, texts: list[str]) -> None:
    answers = answers_of(
        partition_timeline=decided_by(DECIDED),
        clock_skew=frame(clock_skew.SPEC, CLOCKS),
        partition_state=frame(partition_state.SPEC, HEAD + lines),
        source_file=frame(source_file.SPEC, FILES),
    )
    found = did_it_arrive(answers, TopicPartition("t", 0), at(20))
    assert found.sentence.endswith(said)
    assert [one.text for one in found.told] == texts


def test_what_a_broker_says_first_is_no_decision() -> None:
    answers = answers_of(
        partition_timeline=decided_by([{"file_id": "f", "byte_offset": 1}]),
        partition_state=frame(partition_state.SPEC, HEAD + LEADS + FOLLOWS),
        clock_skew=frame(clock_skew.SPEC, CLOCKS),
        source_file=frame(source_file.SPEC, FILES),
    )
    found = did_it_arrive(answers, TopicPartition("t", 0), at(20))
    assert [one.text for one in found.told] == ["broker 1 follows", "broker 2 leads"]


def test_of_a_topic_that_was_created_anew_only_lines_with_its_id_are_of_it() -> None:
    earlier = LEADER.strip().splitlines()[1].replace("| x ", "| y ").replace("| 10     ", "| 2      ")
    answers = answers_of(
        partition_timeline=frame(partition_timeline.SPEC, f"{LEADER}{earlier}"),
        partition_state=frame(partition_state.SPEC, HEAD + LEADS + FOLLOWS),
        source_file=frame(source_file.SPEC, FILES),
    )
    found = did_it_arrive(answers, TopicPartition("t", 0), at(20))
    assert [one.text for one in found.told] == ["broker 2 leads"]
