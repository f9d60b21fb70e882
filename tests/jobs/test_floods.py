"""Warnings and errors that a node printed over and over have one line; what is seldom, or no warning, has none."""

from jobs.questions.floods import flood_text, floods_of
from pipeline.catalog.tables import BY_SHORT_NAME
from tests.frames import at, frame
from tests.jobs.answering import answers_of

SEEN = """
    node_id | seen_at | level | logger | template           | record_count | first_at | last_at
    2       | 0       | ERROR | l      | [R b={b}] No {t}-0 | 6000         | 5        | 9
    2       | 0       | ERROR | l      | [R b={b}] No {t}-0 | 7000         | 1        | 8
    2       | 3600    | ERROR | l      | [R b={b}] No {t}-0 | 9000         | 3601     | 3700
    2       | 7200    | ERROR | l      | [R b={b}] No {t}-0 | 20000        | 7201     | 7300
    3       | 0       | INFO  | l      | [R b={b}] No {t}-0 | 90000        | 1        | 8
            | 0       | WARN  | m      | slow               | 12000        | 1        | 8
    1       | 0       | WARN  | m      |                    | 12000        | 1        | 8
"""


def test_what_a_node_printed_over_and_over_within_an_hour() -> None:
    found = floods_of(answers_of(wording_seen=frame(BY_SHORT_NAME["wording_seen"].spec, SEEN)))
    assert [(one["node_id"], one["count"], one["first_at"], one["last_at"]) for one in found] == [
        (2, 33_000, at(1), at(7300)), (None, 12_000, at(1), at(8)),
    ]  # fmt: skip
    assert [flood_text(one) for one in found] == [
        "33,000 times by node 2 from 00:00:01.000 to 02:01:40.000: No …-0",
        "12,000 times by a node from 00:00:01.000 to 00:00:08.000: slow",
    ]
    assert floods_of(answers_of()) == []
