"""Stretches of time that touch, against a comparison of each with each."""

from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.touching import join_touching_spans

GROUP = st.tuples(st.sampled_from(["a", "b", None]), st.integers(1, 2))
BEGIN = st.integers(0, 8)
STRETCHES = st.lists(st.tuples(GROUP, BEGIN, st.none() | st.integers(0, 4)), max_size=10)
TYPES = {"name": pl.String, "number": pl.Int64}
FOREVER = 100


def frame(stretches: list[Any], begin: str, end: str, counted: str) -> pl.DataFrame:
    rows = [
        (*group, at, None if lasts is None else at + lasts, place)
        for place, (group, at, lasts) in enumerate(stretches)
    ]
    types = TYPES | dict.fromkeys((begin, end, counted), pl.Int64)
    return pl.DataFrame(rows, schema=types, orient="row")


def is_touched(one: Any, other: Any) -> bool:
    (group, begin, lasts), (other_group, other_begin, other_lasts) = one, other
    end, other_end = (
        FOREVER if length is None else at + length
        for at, length in ((begin, lasts), (other_begin, other_lasts))
    )
    is_same = None not in group and group == other_group
    return is_same and begin <= other_end and other_begin <= end


@settings(deadline=None)
@given(some=STRETCHES, others=STRETCHES)
def test_touching(some: list[Any], others: list[Any]) -> None:
    found = join_touching_spans(
        frame(some, "from_at", "until_at", "row"),
        frame(others, "begin_at", "end_at", "other"),
        ("name", "number"),
    )
    expected = [
        (row, place)
        for row, one in enumerate(some)
        for place, other in enumerate(others)
        if is_touched(one, other)
    ]
    assert sorted(found.select("row", "other").rows()) == expected
