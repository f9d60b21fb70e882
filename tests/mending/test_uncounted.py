"""What was published and is in no table is counted, whatever is left."""

from datetime import UTC, datetime

import polars as pl
import pytest

from jobs.engine.mending import segments as of_segments
from jobs.engine.mending.uncounted import count_missing_records, read_again, uncounted_row
from pipeline.core.frames import declared_table, empty_frame
from pipeline.model.lines.lost_segments import UNNAMED, still_lost
from pipeline.store.runs.published import EXPIRED_BEFORE, Published
from pipeline.store.tables.stated import Contents
from schemas.bronze import log_record, lost_segment, source_file
from tests.mending.segments import manifest, records

RUN = "20261121T080000.000000Z"
STATED = {log_record.SPEC.name: Contents(6, 1, 1), source_file.SPEC.name: Contents(3, 1, 1)}
SEEN = Published(RUN, 2, counts={"load_seq": 3, "total_bytes": 37}, contents=STATED)


def missing(segments: int, *left_out: int, seen: Published = SEEN) -> int:
    """With the first so many segments in the manifest, and without some records."""
    return count_missing_records(
        seen, manifest().head(segments), of_segments.count_segment_records(records(*left_out))
    )


@pytest.mark.parametrize(
    ("segments", "left_out", "count"),
    [
        (3, (), 0),
        (3, (3, 5), 0),  # the manifest tells of them
        (0, (), 0),  # so do the records alone
        (2, (5,), 1),
        (1, (2, 3, 4, 5), 4),
        (0, (0, 1, 2, 3, 4, 5), 6),
    ],
)
def test_each_record_is_told_of_or_counted(segments: int, left_out: tuple[int, ...], count: int) -> None:
    assert missing(segments, *left_out) == count


def test_of_a_run_that_stated_nothing_segments_are_counted() -> None:
    silent = Published(RUN, 2, counts=SEEN.counts)
    assert missing(3, seen=silent) == 0
    assert missing(1, 2, 3, 4, 5, seen=silent) == 2


def test_what_maintain_took_is_not_missing() -> None:
    at = manifest()["last_logged_at"].dt.epoch("ms").to_list()
    stated = STATED | {log_record.SPEC.name: Contents(4, 1, 1)}
    seen = Published(RUN, 2, counts=SEEN.counts | {EXPIRED_BEFORE: at[0] + 1}, contents=stated)
    assert missing(3, 0, 1, seen=seen) == 0


def test_the_gap_is_over_once_as_many_records_of_then_were_read() -> None:
    gap = uncounted_row(SEEN, manifest().head(1), 2) | {"cluster_id": "c", "lost_run_id": "r"}
    assert (gap["load_seq"], gap["record_count"], gap["consumed_bytes"]) == (2, 2, 27)
    lost = pl.DataFrame([gap], schema_overrides=empty_frame(lost_segment.SPEC).schema)
    assert declared_table(lost, lost_segment.SPEC).num_rows == 1
    assert still_lost(lost, manifest())["file_id"].to_list() == [UNNAMED]
    then, later = datetime(2026, 11, 21, 7, tzinfo=UTC), datetime(2026, 11, 21, 9, tzinfo=UTC)
    rows = [(1, then), (1, then), (2, then), (2, later), (3, later)]
    found = pl.DataFrame(rows, {"load_seq": pl.Int64, "logged_at": pl.Datetime("us", "UTC")}, orient="row")
    assert not read_again(gap, found)
    assert read_again(gap, found.vstack(found[2:3]))
