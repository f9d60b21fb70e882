"""Stretches: which touch, pieces, what nothing touches or accompanies, and what comes too late."""

from datetime import UTC, datetime, timedelta
from random import Random

import polars as pl
import pytest
from polars import col

from pipeline.core.stretches import (
    overdue_spans,
    split_spans,
    unaccompanied_spans,
    with_island,
    without_touched_spans,
)

MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC)
TIME = pl.Datetime("us", "UTC")
HOUR = 3600
BY = ("of",)


def at(seconds: float | None) -> datetime | None:
    return None if seconds is None else MIDNIGHT + timedelta(seconds=seconds)


def seconds(moment: datetime | None) -> float | None:
    return None if moment is None else (moment - MIDNIGHT).total_seconds()


def stretches(*rows: tuple[str, float | None, float | None], of: str = "") -> pl.DataFrame:
    """Rows (of, begin, end) as columns `of`, <of>from_at and <of>until_at."""
    return pl.DataFrame(
        [(name, at(begin), at(end)) for name, begin, end in rows],
        schema={"of": pl.String, f"{of}from_at": TIME, f"{of}until_at": TIME},
        orient="row",
    )


def times(*rows: tuple[str, float, float]) -> pl.DataFrame:
    return stretches(*rows).rename({"from_at": "first_at", "until_at": "last_at"})


def lines(*rows: tuple[str, float, float, int]) -> pl.DataFrame:
    """Rows (of, first, last, record_count) as counts of lines; the place of a line is its second."""
    return pl.DataFrame(
        [(of, "f", at(first), int(first), at(last), int(last), count) for of, first, last, count in rows],
        schema={
            "of": pl.String, "file_id": pl.String, "first_at": TIME, "first_offset": pl.Int64, "last_at": TIME,
            "last_offset": pl.Int64, "record_count": pl.Int64,
        },
        orient="row",
    )  # fmt: skip


def test_stretches_that_touch_share_an_island() -> None:
    rows = stretches(
        ("a", 1, 3), ("a", 3, 5), ("a", 6, 9), ("a", 7, 8), ("a", 8.5, None), ("a", 100, 101), ("b", 2, 4)
    )  # fmt: skip
    found = with_island(rows, BY).sort("of", "from_at")
    assert found["island"].to_list() == [1, 1, 2, 2, 2, 2, 1]
    assert with_island(rows.clear(), BY).is_empty()


@pytest.mark.parametrize(
    ("begin", "end", "inside", "pieces"),
    [
        pytest.param(1, 9, [4, 4, None, 6], [(1, 4), (4, 6), (6, 9)], id="each time once"),
        pytest.param(1, 9, [0, 1, 9, 12], [(1, 9)], id="ends are not inside"),
        pytest.param(1, None, [12, 5], [(1, 5), (5, 12), (12, None)], id="open"),
        pytest.param(1, 9, [], [(1, 9)], id="no times"),
        pytest.param(1, 9, None, [(1, 9)], id="none at all"),
    ],
)
def test_rows_are_divided_at_times_inside(
    begin: float,
    end: float | None,
    inside: list[float | None] | None,
    pieces: list[tuple[float, float | None]],
) -> None:
    rows = stretches(("a", begin, end), ("b", 0, 2), of="valid_").with_columns(
        times=pl.Series([None if inside is None else [at(one) for one in inside], []], dtype=pl.List(TIME))
    )
    found = split_spans(rows, col("times"))
    own = found.filter(col("of") == "a").sort("valid_from_at").select("valid_from_at", "valid_until_at")
    assert [tuple(map(seconds, row)) for row in own.rows()] == pieces
    assert found.filter(col("of") == "b").height == 1
    assert found.columns == rows.columns


def test_what_nothing_touches() -> None:
    """As by comparing each with each: also where an earlier stretch ends last."""
    random = Random(1)  # noqa: S311  (cases, no secret)

    def some(count: int) -> list[tuple[str, float, float]]:
        begins = [random.randrange(400) for _ in range(count)]
        return [(random.choice("abc"), begin, begin + random.choice((0, 1, 30))) for begin in begins]

    rows, others = some(200), some(30)
    expected = [
        (of, begin, end)
        for of, begin, end in rows
        if not any(of == name and first <= end and last >= begin for name, first, last in others)
    ]
    found = without_touched_spans(stretches(*rows), times(*others), BY).rows()
    assert 0 < len(expected) < len(rows)
    assert sorted((of, seconds(begin), seconds(end)) for of, begin, end in found) == sorted(expected)
    assert without_touched_spans(stretches(*rows), times(), BY).height == len(rows)


def test_hours_with_acts_and_none_of_the_others_near() -> None:
    acts = lines(
        ("a", 10, 20, 2), ("a", 30, 40, 3), ("a", HOUR, HOUR + 9, 1),  # two hours with nothing between
        ("a", 3 * HOUR, 3 * HOUR, 1),  # near to the others
        ("a", 5 * HOUR, 5 * HOUR, 1),  # the others were there in between
        ("b", 3 * HOUR, 3 * HOUR, 4),  # the others are of a
    )  # fmt: skip
    others = lines(("a", 3 * HOUR + 60, 3 * HOUR + 70, 1))
    found = unaccompanied_spans(acts, others, BY, near_seconds=60).sort("of", "from_at")
    rows = found.select("of", "from_at", "until_at", "record_count", "first_file_id", "first_offset").rows()
    assert [(of, seconds(begin), seconds(end), *rest) for of, begin, end, *rest in rows] == [
        ("a", 10, HOUR + 9, 6, "f", 10),
        ("a", 5 * HOUR, 5 * HOUR, 1, "f", 5 * HOUR),
        ("b", 3 * HOUR, 3 * HOUR, 4, "f", 3 * HOUR),
    ]


def test_a_line_of_every_five_minutes_is_overdue() -> None:
    """In the second hour the last eight are missing, in the fourth hour six inside of it."""
    every = lines(
        ("a", 0, 3300, 12), ("a", 3600, 4500, 4), ("a", 7200, 10500, 12), ("a", 10800, 14100, 6),
        ("b", 0, 0, 1), ("b", 90_000, 90_000, 1),  # nothing tells its period
    )  # fmt: skip
    found = overdue_spans(every, BY, late_periods=3, late_seconds=60).sort("from_at")
    rows = found.select(
        "of", "from_at", "until_at", "period", "missing", "before_offset", "after_offset"
    ).rows()
    assert [(of, seconds(begin), seconds(end), *rest) for of, begin, end, *rest in rows] == [
        ("a", 4500, 7200, 300, 2700, 4500, 7200),
        ("a", 10800, 14100, 300, 1800, 10800, 14100),
    ]
    assert overdue_spans(every.clear(), BY, late_periods=3, late_seconds=60).is_empty()


def test_the_period_is_the_lower_median() -> None:
    """Of two steps, 300 s and 3 300 s, the shorter one; an hour with one line shows none."""
    found = overdue_spans(lines(("a", 0, 300, 2), ("a", 3600, 3600, 1)), BY, late_periods=3, late_seconds=60)
    assert found.select("period", "missing").rows() == [(300, 3300)]
