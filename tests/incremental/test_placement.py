"""Into how many shards a night on executors goes."""

from datetime import UTC, datetime

import polars as pl
import pytest

from jobs.engine.incremental.placement import shards_of
from jobs.settings.load import load_settings
from pipeline.core.frames import arrow_of_frame, empty_frame
from pipeline.core.stored_tables import MemoryTables
from schemas.bronze import source_file

SHARD = 1000
SETTINGS = load_settings(
    None, {}, {"KCA_LIMITS__SHARD_BYTES": str(SHARD), "KCA_LIMITS__DRIVER_BYTES": "100"}, None
)
LAST = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("new_bytes", "stored", "expected"),
    [
        (100, [], 0),
        (101, [], 1),
        (2001, [], 3),
        (1000, [(LAST, 500)], 2),
        # The day before the last is looked back on, and no earlier one; nor what has no time.
        (1000, [(LAST, 500), (datetime(2026, 11, 27, tzinfo=UTC), 501)], 3),
        (1000, [(LAST, 500), (datetime(2026, 11, 26, 23, tzinfo=UTC), 5000), (None, 5000)], 2),
        (1000, [(None, 5000)], 1),
        (100, [(LAST, 5000)], 0),
    ],
)
def test_shards_follow_what_is_new_and_what_is_looked_back_on(
    new_bytes: int, stored: list[tuple[datetime | None, int]], expected: int
) -> None:
    tables = MemoryTables()
    types = {name: empty_frame(source_file.SPEC).schema[name] for name in ("last_logged_at", "record_bytes")}
    rows = pl.DataFrame(stored, schema=types, orient="row")
    if stored:
        whole = pl.concat([empty_frame(source_file.SPEC), rows], how="diagonal")
        tables.append(source_file.SPEC, arrow_of_frame(whole))
    assert shards_of(SETTINGS, new_bytes, tables) == expected
