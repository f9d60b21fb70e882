"""The time that a kernel builds."""

import polars as pl
import pytest

from pipeline.core.span import ALL_TIME, Span
from tests.frames import at

TIMES = pl.DataFrame({"at": [at(10), at(20), None]})


@pytest.mark.parametrize(
    ("span", "since", "before", "reached"),
    [
        (ALL_TIME, [True] * 3, [False] * 3, [True] * 3),
        (Span(at(20)), [False, True, None], [True, False, None], [False, True, True]),
    ],
)
def test_times_lie_in_a_span_or_before_it(
    span: Span, since: list[bool | None], before: list[bool | None], reached: list[bool]
) -> None:
    found = TIMES.with_columns(
        since=span.since("at"), before=span.before("at"), reached=span.reached_by("at")
    )
    assert found["since"].to_list() == since
    assert found["before"].to_list() == before
    assert found["reached"].to_list() == reached
