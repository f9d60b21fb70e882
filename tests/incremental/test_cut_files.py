"""Where nights cut a file into segments changes no table: a record in each says what a whole file does."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.catalog.tables import TABLES
from pipeline.core.frames import frame_of
from tests.chain import ORDER, built
from tests.incremental.cutting import by_files, by_records, wiped
from tests.incremental.night_labs import LABS, WIPING, folder
from tests.incremental.nights import differences
from tests.lab import READ, records

ALL = (*READ, "server")


def tables_of(lines: pl.DataFrame) -> dict[str, pl.DataFrame]:
    frames = built(lines, *ORDER)
    return {one.spec.name: frames[one.spec.table] for one in TABLES if one.build is not None}


def require_equal(lines: pl.DataFrame) -> None:
    differing = differences(tables_of(by_records(lines)), tables_of(by_files(lines).records))
    assert not differing, "\n".join(differing)


@pytest.mark.soak
def test_a_wiped_cluster(shared: Path) -> None:
    """Its second life has the epochs of the first, within the hour; a controller is in office in which no ISR changes."""
    lab = records(folder(shared, "3.9.1-zk-stock"))
    require_equal(wiped(frame_of(lab), WIPING))


@pytest.mark.soak
@pytest.mark.parametrize("lives", [1, 2])
@pytest.mark.parametrize("name", LABS)
def test_all_labs(shared: Path, name: str, lives: int) -> None:
    rows = frame_of(records(folder(shared, name), ALL))
    require_equal(wiped(rows, WIPING) if lives > 1 else rows)
