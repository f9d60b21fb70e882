"""A file that was put together of others that hold the same lines names each of them once."""

import polars as pl
import pytest
from polars import col

from pipeline.bronze.duplicate_record import build, comparable_records, merge_overlaps, of_whole_files
from pipeline.bronze.told_again import lap_begins, lap_stretches, repeated_time_spans, with_laps
from tests.bronze.duplicates import Loaded, frames


def named(loaded: Loaded, new: int) -> list[tuple[int, int]]:
    """Places of records that came twice, and of those that count, as the run that brings the segments from `new` on
    finds them. loaded: each line tells of the second that is its letter."""
    records, segments = frames(loaded)
    begins = lap_begins(records)
    again = repeated_time_spans(lap_stretches(records.filter(records["load_seq"] >= new)), segments)
    overlap = of_whole_files(merge_overlaps(again), segments)
    twice = build(comparable_records(with_laps(records, begins), overlap), None)
    return sorted(twice.select("byte_offset", "of_byte_offset").iter_rows())


def of_one_file(*segments: str) -> Loaded:
    return [("f", number, line) for number, lines in enumerate(segments, 1) for line in lines]


@pytest.mark.parametrize("new", [1, 2])
@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        (("abc", "abcd"), [(3, 0), (4, 1), (5, 2)]),
        (("abcab",), [(3, 0), (4, 1)]),
        (("bcd", "abcde"), [(4, 0), (5, 1), (6, 2)]),
        (("abc", "cb", "c"), [(4, 1), (5, 2)]),
        (("abbc", "abbc"), [(4, 0), (5, 1), (6, 2), (7, 3)]),
        (("abbc", "abbbc"), [(4, 0), (5, 1), (6, 2), (8, 3)]),
        (("abc", "def"), []),
        (("abbb", "bbc"), []),
    ],
)
def test_what_comes_again_counts_once(segments: tuple[str, ...], expected: list[object], new: int) -> None:
    """Not what is written twice at once, though it be parted by a night."""
    loaded = of_one_file(*segments)
    is_seen = new == 1 or len(segments) > 1
    assert named(loaded, new if is_seen else 1) == expected


def test_lines_of_others_that_were_written_with_the_clock_set_back_count() -> None:
    loaded = [*of_one_file("abc"), ("f", 2, "a2"), ("f", 2, "b2")]
    assert named(loaded, 2) == []


def test_of_nodes_that_share_a_file_each_goes_back_by_itself() -> None:
    records, _ = frames(of_one_file("cacbcc"))
    node_id = pl.when(col("raw") == b"c").then(1).otherwise(2).cast(pl.Int32)
    assert lap_begins(records.with_columns(node_id=node_id)).is_empty()
    assert len(lap_begins(records)) == 2
