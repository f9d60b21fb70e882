"""Intervals that are built from a day on are those of building everything, whichever day it is."""

from pathlib import Path

import polars as pl
import pytest
from polars import col
from polars.testing import assert_frame_equal

from pipeline.core.frames import frame_of
from tests.carried import reaching
from tests.chain import built
from tests.corpus import records
from tests.gold.timeline_from_days import from_day

STRETCHED = 4000  # a minute of the lab is three days


def stretched(cluster: Path) -> pl.DataFrame:
    """All lines of a cluster as if each second had been an hour or more; `NAME~N`: without what node N wrote."""
    name, _, left_out = cluster.name.partition("~")
    lines = frame_of(records(cluster.with_name(name)))
    if left_out:
        lines = lines.filter(col("node_id") != int(left_out))
    first = col("logged_at").min()
    return lines.with_columns(logged_at=first + (col("logged_at") - first) * STRETCHED)


@pytest.mark.parametrize(
    ("name", "fewest_days"),
    [
        pytest.param("2.2.2-zk-stock", 3, id="2.2.2", marks=pytest.mark.soak),
        pytest.param("1.0.2-zk-stock", 3, id="1.0.2", marks=pytest.mark.soak),
        pytest.param("3.9.1-zk-stock", 3, id="3.9.1", marks=pytest.mark.soak),
        pytest.param("3.9.1-zk-stock~1", 3, id="3.9.1 without node 1", marks=pytest.mark.soak),
        pytest.param("3.9.2-kraft-separate-stock", 6, id="3.9.2"),
        pytest.param("3.9.2-kraft-migration-stock", 6, id="migration", marks=pytest.mark.soak),
        pytest.param("4.0.0-kraft-combined-stock", 6, id="4.0.0", marks=pytest.mark.soak),
        pytest.param("4.3.1-kraft-combined-trace", 6, id="4.3.1", marks=pytest.mark.soak),
        pytest.param("3.3.2-kraft-combined-stock", 6, id="3.3.2", marks=pytest.mark.soak),
        pytest.param("4.0.0-kraft-combined-stock~2", 6, id="4.0.0 without node 2", marks=pytest.mark.soak),
    ],
)
def test_any_day(shared: Path, name: str, fewest_days: int) -> None:
    tables = built(stretched(shared / "corpus" / "lab" / name), "broker_session")
    whole = tables["partition_timeline"]
    days = whole["valid_from_at"].dt.truncate("1d").unique().sort().to_list()
    assert len(days) >= fewest_days
    for day in days:
        assert_frame_equal(
            from_day(tables, day), whole.filter(reaching("valid_until_at", day)), check_row_order=False
        )
