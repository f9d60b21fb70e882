"""Rows of the timeline held against expected ones."""

import polars as pl
from polars.testing import assert_frame_equal

from schemas.gold.partition_timeline import SPEC
from tests.frames import frame


def same_rows(found: pl.DataFrame, text: str) -> None:
    """The columns that the text names hold the same rows, in any order."""
    names = [name.strip() for name in text.strip().splitlines()[0].split("|")]
    expected = frame(SPEC, text)
    assert_frame_equal(found.select(names), expected.select(names), check_row_order=False)
