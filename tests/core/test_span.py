"""The time that a kernel builds."""

import os
import subprocess
import sys

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


# Polars takes a frame in parts only where it has several threads, which tests have not.
SEVERAL_THREADS = {**os.environ, "POLARS_MAX_THREADS": "2"}
IN_PARTS = """
import polars as pl
from pipeline.core.span import ALL_TIME
many = pl.DataFrame({"at": pl.zeros(200_000, pl.Int64, eager=True)})
told = [ALL_TIME.since("at"), ALL_TIME.since("at").fill_null(False), ALL_TIME.reached_by("at"), ALL_TIME.before("at")]
print([len(many.filter(one)) for one in told], len(many.filter(~ALL_TIME.before("at").fill_null(False))))
"""


def test_each_condition_filters_a_frame_that_polars_takes_in_parts() -> None:
    told = subprocess.run(
        [sys.executable, "-c", IN_PARTS], env=SEVERAL_THREADS, capture_output=True, text=True, check=True
    )
    assert told.stdout.split("\n")[0] == "[200000, 200000, 200000, 0] 200000"
