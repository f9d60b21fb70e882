"""Where lists of settings change what a broker goes by, ratios and their checks are judged anew from there on."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.balancing import BEGIN, Printed, first_change, with_limits, without_repeats
from jobs.cutting import Cut
from schemas.bronze import source_file
from schemas.silver import broker_setting
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER
from schemas.spec import TableSpec
from tests.tables import table

START = datetime(2026, 11, 21, tzinfo=UTC)


def at(second: float) -> datetime:
    return START + timedelta(seconds=second)


def lists(*some: tuple[int, float | None]) -> list[Printed]:
    return [(at(second), "f", second, ratio) for second, ratio in some]


@pytest.mark.parametrize(
    ("before", "now", "since"),
    [
        ([], [], None),
        ([], [(10, 0.1)], None),
        ([], [(10, None)], None),
        ([], [(10, 0.2)], BEGIN),
        ([], [(10, 0.1), (20, 0.2)], at(20)),
        ([(10, 0.2)], [(10, 0.2), (20, 0.2)], None),
        ([(10, 0.2)], [(10, 0.2), (20, 0.3)], at(20)),
        ([(10, 0.2)], [(5, 0.2), (10, 0.2)], None),
        ([(10, 0.2)], [(5, 0.3), (10, 0.2)], BEGIN),
        ([(10, 0.2), (20, 0.3)], [(10, 0.2), (15, 0.3), (20, 0.3)], at(15)),
        ([(10, 0.2)], [], BEGIN),
    ],
)
def test_the_first_time_that_gives_another_limit(
    before: list[tuple[int, float]], now: list[tuple[int, float]], since: datetime | None
) -> None:
    assert first_change(lists(*before), lists(*now), 0.1) == since
    assert first_change(without_repeats(lists(*before)), without_repeats(lists(*now)), 0.1) == since


BEFORE = f"""
    cluster_id | node_id | logged_at | file_id | byte_offset | name         | value
    c          | 1       | 10        | f       | 0           | {PER_BROKER} | 20
"""
CASES = {
    "the same again": (f"c | 1 | 30 | f | 9 | {PER_BROKER} | 20", None),
    "the default of another setting": (f"c | 1 | 30 | f | 9 | {INTERVAL} | 300", None),
    "another setting": (f"c | 1 | 30 | f | 9 | {INTERVAL} | 20", 3.0),
    "whether at all": (f"c | 1 | 30 | f | 9 | {ENABLE} | false", 3.0),
    "another limit": (f"c | 1 | 30.001 | f | 9 | {PER_BROKER} | 5", 30.001),
    "another limit, late": (f"c | 1 | 2 | e | 0 | {PER_BROKER} | 5", 3.0),
    "a broker's first": (f"c | 2 | 70 | g | 0 | {PER_BROKER} | 5", 3.0),
    "a broker's first, the default": (f"c | 2 | 70 | g | 0 | {PER_BROKER} | 10", None),
}
FILES = """
    cluster_id | file_id | first_logged_at
    c          | f       | 3
    c          | g       | 50
"""


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES)
def test_the_cut_goes_back_to_where_the_limit_changed(spark: SparkSession, case: str) -> None:
    line, since = CASES[case]
    versions = {
        0: table(spark, broker_setting.SPEC, BEFORE),
        1: table(spark, broker_setting.SPEC, f"{BEFORE.rstrip()}\n{line}"),
    }

    def read(spec: TableSpec, version: int | None = None) -> DataFrame:
        return versions[version] if version is not None else table(spark, source_file.SPEC, FILES)

    def cut(before: Cut, now: int = 1) -> Cut:
        name = broker_setting.SPEC.name
        return with_limits(before, read, {name: 0}, {name: now})

    moved: dict[str, Any] = {} if since is None else {"at": at(since), "has_lines": True}
    for before in (Cut(has_lines=False), Cut(at(90))):
        assert cut(before) == (Cut(**moved) if moved else before)
        assert cut(before, 0) == before
    assert cut(Cut(at(1))) == Cut(at(1))
