"""Of an archive that breaks off the rest is missing, until the same file is seen to its end."""

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.silver.log_gap.missing_files import unreadable_file_gaps
from schemas.bronze import file_sighting, source_file
from schemas.bronze.file_sighting import BREAKS_OFF

BROKEN = BREAKS_OFF.format(1234, "it ends before its compressed content does")
HALF, WHOLE = "/k/controller.log.2026-11-21-03.gz", "/k/controller.log.1.gz"
Seen = tuple[str, str, str, str | None, str | None]  # run_id, path, state, sentence, file_id


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([("r1", HALF, "read", BROKEN, "f")], [HALF]),
        ([("r1", HALF, "read", BROKEN, "f"), ("r2", HALF, "known", BROKEN, "f")], [HALF]),
        ([("r1", HALF, "read", BROKEN, "f"), ("r2", HALF, "read", None, "f")], []),
        ([("r1", HALF, "read", BROKEN, "f"), ("r2", WHOLE, "read", None, "f")], []),
        ([("r1", HALF, "read", BROKEN, "f"), ("r1", WHOLE, "read", "a copy of another", "f")], []),
        ([("r1", HALF, "read", BROKEN, "f"), ("r2", WHOLE, "read", None, "other")], [HALF]),
        # What was read of the log that is written to is not what its archive was to hold.
        ([("r1", WHOLE, "read", None, "f"), ("r2", HALF, "known", BROKEN, "f")], [HALF]),
        ([("r1", HALF, "read", None, "f")], []),
    ],
)
def test_what_stands_behind_is_not_read_until_it_is(seen: list[Seen], expected: list[str]) -> None:
    columns = ("run_id", "path", "state", "sentence", "file_id")
    rows = [dict(zip(columns, one, strict=True)) for one in seen]
    known = pl.DataFrame(
        [{"cluster_id": "c", **one} for one in rows], schema_overrides={"sentence": pl.String}
    )
    sightings = pl.concat([empty_frame(file_sighting.SPEC), known], how="diagonal")
    found = unreadable_file_gaps(sightings, empty_frame(source_file.SPEC))
    assert found["path"].to_list() == expected
    assert all("read up to byte 1,234" in one for one in found["sentence"])
