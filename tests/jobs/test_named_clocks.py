"""Whose clock is wrong: the answer and what it rests on."""

import pytest

from jobs.questions.named.clocks import whose_clock
from schemas.bronze import source_file
from schemas.gold import clock_skew
from tests.frames import frame
from tests.jobs.answering import answers_of

HEAD = "cluster_id | node_id | other_id | hour_at | until_at | low_ms | high_ms | drift_ppm | is_step | low_count | high_count\n"
FILES = """
    cluster_id | file_id | load_seq | record_count | consumed_bytes | first_logged_at | last_logged_at
    c          | f       | 1        | 3            | 300            | 0               | 200
"""


@pytest.mark.parametrize(
    ("rows", "sentence", "texts"),
    [
        (
            "c | 1 | 2 | 0 | 100 | -3701 | -3700 | 300 | false | 5 | 6",
            "Of 1 pair of nodes 1 are certainly apart: 1 and 2.",
            ["the clock of node 2 is 3,700 to 3,701 ms behind that of node 1, and runs faster by 300 ppm"],
        ),
        (
            "c | 1 | 2 | 0 | 100 | -1 | 1 | | false | 5 | 6\nc | 1 | 3 | 0 | 100 | | 4 | | false | 0 | 6",
            "No clock is certainly wrong: of 2 pairs of nodes none is 10 ms apart.",
            [
                "the clock of node 2 is 1 ms behind to 1 ms ahead of that of node 1",
                "the clock of node 3 is at most 4 ms ahead of that of node 1",
            ],
        ),
        ("", "Not enough evidence: no lines of two nodes belong together", []),
    ],
)
def test_whose_clock_is_wrong(rows: str, sentence: str, texts: list[str]) -> None:
    answers = answers_of(
        clock_skew=frame(clock_skew.SPEC, HEAD + rows), source_file=frame(source_file.SPEC, FILES)
    )
    found = whose_clock(answers)
    assert found.sentence.startswith(sentence)
    assert [one.text.split(" (")[0] for one in found.told] == texts
