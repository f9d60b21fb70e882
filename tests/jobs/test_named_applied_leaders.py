"""Which replicas applied a partition's leader in KRaft: the answer and what it rests on."""

import pytest

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.arrivals import did_it_arrive
from schemas.bronze import source_file
from schemas.gold import partition_timeline
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
    cluster_id | file_id | load_seq | record_count | consumed_bytes | first_logged_at | last_logged_at
    c          | f       | 1        | 3            | 300            | 0               | 200
"""


@pytest.mark.parametrize(
    ("lines", "said", "texts"),
    [
        (
            LEADS + FOLLOWS + OTHERS,
            "Its leader applied it at 2026-11-21 00:00:10.057 UTC by its own clock; 2 of 3 replicas say so, not 3.",
            ["broker 1 follows, 0.4 s later", "broker 2 leads, 57 ms later"],
        ),
        (
            FOLLOWS,
            "No line says that its leader applied it; 1 of 3 replicas say so, not 2, 3.",
            ["broker 1 follows, 0.4 s later"],
        ),
        (OTHERS, "and no line of a broker says that it applied that.", []),
    ],
)
def test_first_lines_of_replicas_at_the_leader_epoch(lines: str, said: str, texts: list[str]) -> None:
    answers = answers_of(
        partition_timeline=frame(partition_timeline.SPEC, LEADER),
        partition_state=frame(partition_state.SPEC, HEAD + lines),
        source_file=frame(source_file.SPEC, FILES),
    )
    found = did_it_arrive(answers, TopicPartition("t", 0), at(20))
    assert found.sentence.endswith(said)
    assert [one.text for one in found.told] == texts
