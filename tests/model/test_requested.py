"""Requests in znodes: any order of names, more than is asked for, and texts of no such form."""

import polars as pl
import pytest
from polars import col

from pipeline.model.lines.requested import requested_partitions

NOTHING = {"topic": None, "partition": None, "wanted": None}


def read(text: str | None) -> list[dict[str, object]]:
    (found,) = (
        pl.DataFrame({"text": [text]}, schema={"text": pl.String})
        .select(requested_partitions(col("text")))
        .rows()
    )
    elements: list[dict[str, object]] = found[0]
    return elements


def test_partitions_and_what_is_wanted_for_them() -> None:
    text = '{"partitions": [{"replicas": [3, 1], "topic": "a-1", "partition": 0, "log_dirs": ["any"]}, {"topic": "b", "partition": 12}], "version": 1}'
    assert read(text) == [
        {"topic": "a-1", "partition": 0, "wanted": [3, 1]},
        {"topic": "b", "partition": 12, "wanted": None},
    ]


def test_a_request_for_nothing_has_no_elements() -> None:
    assert read('{"version":1,"partitions":[]}') == []


@pytest.mark.parametrize(
    "text", [None, "", "null", "[]", "{", '{"version":1}', '{"partitions":{}}', '{"partitions":[{"topic":"a"']
)
def test_what_cannot_be_read_leaves_one_element(text: str | None) -> None:
    assert read(text) == [NOTHING]


def test_values_of_another_type_are_null() -> None:
    text = '{"partitions":[{"topic":1,"partition":"0","replicas":["x"]},{"topic":"a","partition":2147483648,"replicas":[true]},5]}'
    assert read(text) == [NOTHING, NOTHING | {"topic": "a"}, NOTHING]
