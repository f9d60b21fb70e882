"""Until when lines of a controller prove that it is in office."""

import pytest

from pipeline.model.terms.last_lines import until_silence
from schemas.silver import controller_line, term
from tests.frames import at, frame

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ((1, 4, 9), 9),
        # It was silent for as long as a session: its last lines may be those of one that was deposed.
        ((1, 4, 22, 23), 4),
        ((1, 8, 40, 41), 8),
        # No one that was deposed writes for minutes.
        ((1, 30, *range(35, 100, 5)), 95),
        # It was elected then.
        ((10, 11), 11),
        # Of the day before nothing is known.
        ((1, DAY + 19), DAY),
        ((1, DAY + 5), DAY + 5),
    ],
)
def test_the_lines_behind_a_silence_do_not_prove_that_a_term_goes_on(
    seconds: tuple[int, ...], expected: int
) -> None:
    terms = frame(
        term.SPEC,
        f"cluster_id | term_id | first_seen_at | told_until_at\nc | 1-1 | {seconds[0]} | {seconds[-1]}",
    )
    rows = "\n".join(f"c | 1-1 | {second}" for second in seconds)
    lines = frame(controller_line.SPEC, f"cluster_id | term_id | logged_at\n{rows}")
    assert until_silence(terms, lines)["proved_until_at"].to_list() == [at(expected)]
