"""Which segments are whole, after what was lost of the manifest or of the records."""

import polars as pl
from polars.testing import assert_frame_equal

from jobs.engine.mending import segments as of_segments
from tests.mending.segments import MANIFEST, manifest, records


def numbers(rows: pl.DataFrame) -> list[int]:
    return sorted(rows["load_seq"].to_list())


def lost_without(*left_out: int, expired_before_ms: int = 0) -> list[int]:
    return numbers(
        of_segments.segments_with_lost_records(
            manifest(), of_segments.count_segment_records(records(*left_out)), expired_before_ms
        )
    )


def test_a_segment_is_whole_while_all_its_records_are_there() -> None:
    assert lost_without() == []
    assert lost_without(3) == [2]
    assert lost_without(0, 1, 5) == [1, 3]


def test_segments_that_maintain_left_without_records_are_not_lost() -> None:
    at = manifest()["last_logged_at"].dt.epoch("ms").to_list()
    assert lost_without(0, 1, expired_before_ms=at[0] + 1) == []
    assert lost_without(0, expired_before_ms=at[0] + 1) == [1]  # half of it is no expiry
    assert lost_without(0, 1, expired_before_ms=at[0]) == [1]


def test_records_that_no_version_names_are_taken_where_they_make_a_segment_whole() -> None:
    there = records(2, 3, 5)
    missing = of_segments.segments_with_lost_records(manifest(), of_segments.count_segment_records(there), 0)
    taken = of_segments.records_left(records(), there, missing)
    assert [*zip(taken["file_id"], taken["byte_offset"], strict=True)] == [("a", 10), ("a", 15), ("b", 0)]
    half = of_segments.records_left(records(2), there, missing)
    assert half["file_id"].to_list() == ["b"]


def test_rows_of_the_manifest_are_taken_back_where_their_records_are_there() -> None:
    whole = manifest()
    left = of_segments.manifest_left(whole, whole.head(1), of_segments.count_segment_records(records(5)))
    assert_frame_equal(left, whole.slice(1, 1))


def test_what_was_read_again_replaces_what_was_read_before() -> None:
    again = manifest(MANIFEST + "a | 4 | 10 | 40 | 4 | 30 | 40\n")
    assert numbers(of_segments.replaced_segments(again)) == [2]
    assert of_segments.replaced_segments(manifest()).is_empty()


def test_the_manifest_of_a_file_is_told_by_its_records() -> None:
    known = pl.concat(
        [pl.DataFrame({"file_id": ["a", "b"], "path": ["/logs/a", "/logs/b"]}), manifest().head(0)],
        how="diagonal_relaxed",
    )
    rows = of_segments.manifest_of(records(), known).sort("load_seq")
    told = manifest().drop("last_logged_at")
    same = ("file_id", "load_seq", "start_offset", "consumed_bytes", "record_count", "record_bytes")
    assert_frame_equal(rows.select(same), told.select(same))
    assert rows["path"].to_list() == ["/logs/a", "/logs/a", "/logs/b"]
    assert rows["understood_count"].to_list() == [1, 3, 1]
    assert numbers(of_segments.manifest_of(records(3), known)) == [1, 3]  # one has a hole
