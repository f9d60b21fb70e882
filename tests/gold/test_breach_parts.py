"""Parts of stretches of time that lie in breaches, against counting millisecond by millisecond."""

from datetime import datetime
from random import Random
from typing import Any

import polars as pl
from polars import col

from pipeline.gold.imbalance_breach.parts import span_parts_in_breaches
from tests.frames import at

ENDS = ("from_at", "until_at")


def milliseconds_within(breach: tuple[int, int], stretches: list[tuple[int | None, int | None]]) -> int:
    """How many of a breach lie in some stretch, counted one by one."""
    begin, end = breach
    return sum(
        any((a is None or a <= one) and (b is None or one < b) for a, b in stretches)
        for one in range(begin, end)
    )


def test_parts_of_stretches_as_they_are_counted_one_by_one() -> None:
    random = Random(20261121)  # noqa: S311  no secrets are drawn
    breaches: list[dict[str, Any]] = []
    stretches: list[dict[str, Any]] = []
    expected: dict[tuple[int, datetime], int] = {}
    for broker_id in range(200):
        ends = sorted(random.sample(range(30), 2 * random.randint(0, 3)))
        own = list(zip(ends[::2], ends[1::2], strict=True))
        there = []
        for _ in range(random.randint(0, 4)):
            first, last = sorted(random.sample(range(30), 2))
            there.append(
                random.choice([(first, last), (first, last), (None, last), (first, None), (None, None)])
            )
        known = {"cluster_id": "c", "broker_id": broker_id}
        breaches += [known | {"breached_at": at(a / 1000), "until_at": at(b / 1000)} for a, b in own]
        stretches += [
            known
            | {name: None if one is None else at(one / 1000) for name, one in zip(ENDS, each, strict=True)}
            for each in there
        ]
        counted = {(broker_id, at(one[0] / 1000)): milliseconds_within(one, there) for one in own}
        expected |= {key: count for key, count in counted.items() if count}
    found = span_parts_in_breaches(pl.DataFrame(breaches), pl.DataFrame(stretches, infer_schema_length=None))
    assert found.filter(col("from_at") >= col("until_at")).is_empty()
    lasted = (col("until_at") - col("from_at")).dt.total_milliseconds().sum()
    sums = found.group_by("broker_id", "breached_at").agg(lasted).rows()
    assert {(broker_id, begin): count for broker_id, begin, count in sums} == expected
    assert len(expected) > 100
