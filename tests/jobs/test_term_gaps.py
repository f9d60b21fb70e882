"""How long there was no controller, where the clocks of both nodes are known to be apart."""

import pytest

from jobs.questions.term_gaps import gap_text, most_gap_ms


@pytest.mark.parametrize(
    ("gap_ms", "clocks", "ended_how", "said", "most"),
    [
        (3000, (None, None), "crashed", "none for <=3.0 s", 3000),
        (3000, (-1, 2), "crashed", "none for <=3.0 s", 3000),
        (3000, (-3700, -3690), "crashed", "none for <=6.7 s, as their clocks are apart", 6700),
        (10_300, (3700, 3701), "crashed", "none for <=6.6 s, as their clocks are apart", 6600),
        (3000, (-3700, -3000), "resigned", "none for 6.0 to 6.7 s, as their clocks are apart", 6700),
        (-4000, (3000, 3100), "resigned", "two at once for 7.0 to 7.1 s, as their clocks are apart", 0),
        (-4000, (-4500, -3900), "resigned", "none for <=0.5 s, as their clocks are apart", 500),
        (None, (3000, 3100), "open", "", 0),
        (-50, (0, 40), "resigned", "", 0),
    ],
)
def test_a_gap_is_between_what_the_clocks_leave(
    gap_ms: int | None, clocks: tuple[int | None, int | None], ended_how: str, said: str, most: int
) -> None:
    row = {"gap_ms": gap_ms, "mode": "zookeeper", "ended_how": ended_how}
    row |= {"clock_low_ms": clocks[0], "clock_high_ms": clocks[1]}
    assert (gap_text(row).strip(), most_gap_ms(row)) == (said, most)
