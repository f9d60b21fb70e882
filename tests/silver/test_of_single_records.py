"""Tables by segments follow from single records: parts of the records give parts of the rows, whoever reads them."""

from pathlib import Path
from random import Random

import polars as pl
import pytest

from pipeline.catalog.tables import EXTRACTS, TABLES, Refresh
from pipeline.core.frames import declared_table, empty_frame, frame_of
from tests.lab import records
from tests.rows import same_rows

BY_SEGMENTS = [one for one in TABLES if one.refresh is Refresh.APPEND]
PARTS = 7


def in_parts(rows: pl.DataFrame) -> list[pl.DataFrame]:
    """The rows cut at random places, so that no part begins with a file."""
    chance = Random(5)  # noqa: S311 - where parts end
    ends = sorted(chance.sample(range(1, len(rows)), PARTS - 1))
    return [rows[begin:end] for begin, end in zip([0, *ends], [*ends, len(rows)], strict=True)]


@pytest.mark.parametrize("name", ["2.2.2-zk-stock", "3.9.2-kraft-migration-stock"])
def test_parts_give_parts(shared: Path, name: str) -> None:
    whole = frame_of(records(shared / "corpus" / "lab" / name))
    parts = in_parts(whole)
    for table in BY_SEGMENTS:
        kernel = table.row_kernel
        together = pl.concat([frame_of(kernel.rows(part)) for part in parts])
        rows = (
            together
            if table.incremental.merged is None
            else frame_of(declared_table(table.incremental.merged(together), table.spec))
        )
        same_rows(rows, frame_of(kernel.rows(whole)), *table.spec.columns)
    for extract in EXTRACTS.values():
        expected = frame_of(extract.rows(whole))
        given = pl.concat([frame_of(extract.rows(part)) for part in parts])
        same_rows(given, expected, *expected.columns)


def test_no_records_give_no_rows() -> None:
    nothing = empty_frame(TABLES[0].spec)
    for table in BY_SEGMENTS:
        assert not table.row_kernel.rows(nothing).num_rows, table.spec.name
