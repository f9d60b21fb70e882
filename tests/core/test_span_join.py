"""Rows in spans of time, against a comparison of each row with each span."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.span_join import Closed, rows_in_spans

GROUP = st.fixed_dictionaries({"name": st.sampled_from(["a", "b", None]), "number": st.integers(1, 2)})
Types = dict[str, type[pl.DataType]]
TIME = st.none() | st.integers(0, 8)
SPANS = st.lists(st.tuples(GROUP, TIME, TIME), max_size=8)
ROWS = st.lists(st.tuples(GROUP, TIME), max_size=12)
TYPES: Types = {"name": pl.String, "number": pl.Int64}


def integers(*names: str) -> Types:
    return dict.fromkeys(names, pl.Int64)


def lies_in(span: dict[str, Any], at: int, closed: Closed) -> bool:
    begin, end = span["begin"], span["end"]
    is_begun = begin is not None and (begin < at or (begin == at and closed != "right"))
    is_over = end is not None and (end < at or (end == at and closed == "left"))
    return is_begun and not is_over


@pytest.mark.parametrize("closed", ["left", "right", "both"])
@settings(max_examples=100, deadline=None, derandomize=True)
@given(spans=SPANS, rows=ROWS)
def test_rows_in_spans(closed: Closed, spans: list[Any], rows: list[Any]) -> None:
    some = [{**group, "span": i, "begin": begin, "end": end} for i, (group, begin, end) in enumerate(spans)]
    others = [{**group, "row": i, "at": at} for i, (group, at) in enumerate(rows)]
    found = rows_in_spans(
        pl.DataFrame(some, schema=TYPES | integers("span", "begin", "end")),
        pl.DataFrame(others, schema=TYPES | integers("row", "at")),
        ("name", "number"),
        ("begin", "end"),
        "at",
        closed=closed,
    )
    expected = [
        (span["span"], row["row"])
        for span in some
        for row in others
        if span["name"] is not None
        and (span["name"], span["number"]) == (row["name"], row["number"])
        and row["at"] is not None
        and lies_in(span, row["at"], closed)
    ]
    assert sorted(found.select("span", "row").rows()) == sorted(expected)
