"""Partitions with fewer in-sync replicas than their topic asks for, as findings."""

from typing import Any

import polars as pl
import pytest

from pipeline.rules.below_min_isr.rule import find
from tests.frames import at
from tests.gold.impact_frames import STATES, impact_of

CREATED = """
    cluster_id | topic  | partition | step        | min_isr | logged_at | file_id | byte_offset
    c          | orders | 0         | log_created | {}      | 0         | f1      | 1
"""
REFUSED = """
    c          | orders | 0         | append_refused | 2    | 111       | f1      | 2
    c          | orders | 0         | append_refused | 2    | 139       | f1      | 3
"""
OPEN = "\n".join(
    line for line in STATES.splitlines() if "| 140           |                |" not in line
).replace("110           | 140            |", "110           |                |")


def findings(
    states: str = STATES, lines: str = CREATED.format(2), end: float = 1000
) -> list[tuple[Any, ...]]:
    data_end = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(end)]})
    found = find(impact_of(partition_timeline=states, client_event=lines), 1000, data_end)
    return found.select("severity", "entity", "sentence").rows()


def test_what_is_over_is_told_with_how_long_and_the_minimum() -> None:
    assert findings() == [
        (
            "info",
            "orders-0",
            "producers with acks=all to orders-0 could not write for 30.0 s: ISR [1], minimum 2",
        )
    ]


def test_refused_appends_are_counted_where_lines_tell_them() -> None:
    ((_, _, sentence),) = findings(lines=CREATED.format(2) + REFUSED.strip("\n"))
    assert sentence.endswith("ISR [1], minimum 2; 2 refused appends in server.log")


def test_what_goes_on_is_a_warning() -> None:
    ((severity, _, sentence),) = findings(states=OPEN, end=170)
    assert (severity, "at the end of the data for 60.0 s" in sentence) == ("warning", True)


@pytest.mark.parametrize(
    ("states", "lines"),
    [
        (STATES, CREATED.format(1)),  # one is enough
        (STATES, CREATED.format(3).replace("orders", "clicks")),  # of another topic
        (STATES, ""),  # no line names the minimum
        (STATES.replace("| 140 ", "| 110.9 "), CREATED.format(2)),  # too short
    ],
    ids=["enough", "of another topic", "not named", "short"],
)
def test_what_nearly_is_one_is_none(states: str, lines: str) -> None:
    assert [one for one in findings(states, lines or "cluster_id") if one[1] == "orders-0"] == []


def test_refused_appends_alone_say_nothing_of_the_time_between_them() -> None:
    lines = CREATED.splitlines()[1] + "\n" + REFUSED.replace("139 ", "114 ").strip("\n")
    assert findings(states="cluster_id", lines=lines) == [
        (
            "info",
            "orders-0",
            "2 refused appends of producers with acks=all to orders-0 within 3.0 s: ISR not told, minimum 2",
        )
    ]
