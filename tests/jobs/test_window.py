"""What an answer shows of a time: rows that began before it ends."""

import pytest

from jobs.questions.window import TablesWithin, Window
from schemas.gold import controller_term
from tests.frames import at, frame
from tests.jobs.answering import answers_of

TERMS = """
    term_id | life | controller_epoch | elected_at
    1-1     | 1    | 1                |
    1-2     | 1    | 2                | 10
    1-3     | 1    | 3                |
    1-5     | 1    | 5                | 30
    1-6     | 1    | 6                |
    2-1     | 2    | 1                | 50
"""


@pytest.mark.parametrize(
    ("until", "shown"),
    [(5, ["1-1"]), (20, ["1-1", "1-2", "1-3"]), (40, ["1-1", "1-2", "1-3", "1-5", "1-6"])],
)
def test_a_term_of_which_no_election_was_read_began_after_those_before_it(
    until: float, shown: list[str]
) -> None:
    rows = frame(controller_term.SPEC, TERMS)
    tables = TablesWithin(answers_of(controller_term=rows).tables, Window(until=at(until)))
    assert tables.cut(controller_term.SPEC, rows)["term_id"].to_list() == shown
