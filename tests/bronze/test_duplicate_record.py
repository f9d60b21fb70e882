"""Records that two files of a node hold: named once, whatever the order, the overlap and true repeats."""

import resource
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.bronze import duplicate_record
from pipeline.core.frames import empty_frame
from schemas.bronze import duplicate_record as twice_table
from tests.bronze.duplicates import OF_NO_NODE, Loaded, frames, placed

LINES = "abcde"
MANY, LITTLE_KIB = 2_000, 200 << 10
Row = dict[str, Any]


def overlap_of(records: pl.DataFrame, files: pl.DataFrame, before: int = 0) -> pl.DataFrame:
    """Segments that may share records with one above `before`, by log."""
    is_new = pl.col("load_seq") > before
    spans = duplicate_record.segment_log_spans(
        records, duplicate_record.overlapping_segments(files, files.filter(is_new))
    )
    return duplicate_record.overlapping_segments(spans, spans.filter(is_new), "log")


def named(
    records: pl.DataFrame, files: pl.DataFrame, before: int = 0, known: Sequence[Row] = ()
) -> list[Row]:
    """What a run names that brings all segments above `before`, as Intake.find_duplicates. known: what earlier runs
    named."""
    overlap = duplicate_record.of_whole_files(overlap_of(records, files, before), files)
    compared = duplicate_record.comparable_records(records, overlap)
    earlier = pl.DataFrame(list(known), empty_frame(twice_table.SPEC).schema)
    pairs = duplicate_record.may_be_cut(compared, earlier)
    cut = None if pairs.is_empty() else duplicate_record.cut_short(records, pairs)
    is_new = (pl.col("load_seq") > before) | (pl.col("of_load_seq") > before)
    places = {(row["file_id"], row["byte_offset"]) for row in known}
    found = duplicate_record.build(compared, cut).filter(is_new).to_dicts()
    return [row for row in found if (row["file_id"], row["byte_offset"]) not in places]


def left(*nights: Loaded) -> Loaded:
    """What counts of these lines."""
    loaded, before, twice = Loaded(), 0, list[Row]()
    for night in nights:
        loaded += night
        twice += named(*frames(loaded), before, twice)
        before = max(load_seq for _, load_seq, _ in loaded)
    places = {(row["file_id"], row["byte_offset"]) for row in twice}
    assert len(places) == len(twice)
    return sorted(line for offset, line in placed(loaded) if (line[0], offset) not in places)


def test_a_part_of_a_file_delivered_again() -> None:
    first = [("x", 1, "a"), ("x", 1, "b"), ("x", 2, "b"), ("x", 2, "c")]
    again = [("y", 3, "b"), ("y", 3, "c"), ("y", 3, "d"), ("other", 4, "b")]
    assert left(first + again) == sorted([*first, ("y", 3, "d"), ("other", 4, "b")])


def test_two_logs_of_one_time_are_not_compared() -> None:
    records, files = frames([("x", 1, "a"), ("x", 1, "b"), ("y", 2, "a"), ("y", 2, "b")])
    assert overlap_of(records, files).height == 2
    is_other = pl.col("file_id") == "y"
    logs = records.with_columns(
        log=pl.when(is_other).then(pl.lit("state-change")).otherwise(pl.lit("controller"))
    )
    assert overlap_of(logs, files).height == 0


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from(LINES), max_size=6)), max_size=4))
def test_what_counts_is_the_most_that_one_file_holds(files: list[tuple[str, list[str]]]) -> None:
    loaded = [
        (name, load_seq, line) for load_seq, (name, lines) in enumerate(files, 1) for line in sorted(lines)
    ]
    counted = [line for _, _, line in left(loaded)] if loaded else []
    for line in LINES:
        held = [sum(one[0] == name and one[2] == line for one in loaded) for name in "xyz"]
        assert counted.count(line) == max(held)


# What two files hold, and of the second what counts.
CUT_SHORT = {
    "inside a stack trace": (["a\n", "b\nt\nu\n", "c\n"], ["a\n", "b\nt\n"], []),
    "inside a line of it": (["b\nt\nuu\n"], ["b\nt\nu"], []),
    "inside its only line": (["bb\n"], ["b"], []),
    "before its line end": (["b\r\n"], ["b\r"], []),
    "inside the next line": (["b\nt\n", "c\n"], ["b\nt\n[2"], []),
    "twice, as there": (["b\nt\n", "b\nt\n"], ["b\nt\n", "b\n"], []),
    "as a line that is there too": (["b\n", "b\nt\n"], ["b\n"], []),
    "once more than there": (["b\nt\n"], ["b\nt\n", "b\n"], ["b\n"]),
    "not the last of its file": (["b\nt\n"], ["b\n", "c\n"], ["b\n", "c\n"]),
    "after which the other begins a line": (["b\n"], ["b\nt"], ["b\nt"]),
    "behind the same line": (["a\n", "bb\n"], ["a\n", "b"], []),
    "of a file that lacks its begin": (["0\n", "a\n", "bb\n"], ["a\n", "b"], []),
    "behind another line": (["a\n", "bb\n"], ["aa\n", "b"], ["aa\n", "b"]),
    "where the other file begins": (["bb\n", "c\n"], ["a\n", "b"], ["a\n", "b"]),
    "behind the same line as two": (["a\n", "bb\n", "a\n", "bcc\n"], ["a\n", "b"], []),
    "with the end of a line that began before": (["-t\n", "a\n", "b\n"], ["-t\n", "a\n"], []),
    "with that of another": (["-t\n", "a\n", "b\n"], ["-u\n", "a\n"], ["-u\n"]),
    OF_NO_NODE: (["a\n", "bb\n"], ["a\n", "b"], []),
    "behind it": (["-t\n", "bb\n"], ["-t\n", "b"], []),
    "another line": (["bb\n"], ["b\n"], ["b\n"]),
    "another line of a trace": (["b\nt\n"], ["b\nu"], ["b\nu"]),
    "another line end": (["b\r\n"], ["b\n"], ["b\n"]),
}


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("order", ["xy", "yx"])
def test_a_record_that_the_end_of_its_file_cut_short(order: str, count: int) -> None:
    """The whole one counts, also if it is brought last, or in a later night."""
    nights = [Loaded(), Loaded()]
    for place, (case, (whole, copy, _)) in enumerate(CUT_SHORT.items()):
        for name, lines in (("x", whole), ("y", copy)):
            number = order.index(name)
            load_seq = len(CUT_SHORT) * number + place + 1
            nights[number] += [(f"{case}/{name}", load_seq, line) for line in lines]
    found = left(*nights) if count > 1 else left(nights[0] + nights[1])
    counted = Counter((file_id.rpartition("/")[0], line) for file_id, _, line in found)
    for case, (whole, _, more) in CUT_SHORT.items():
        assert sorted(line for name, line in counted.elements() if name == case) == sorted(whole + more), case


def test_what_is_followed_by_a_record_that_is_held_back_is_whole() -> None:
    records, files = frames([("x", 1, "b\nt\n"), ("y", 2, "b\n")])
    held_back = files.with_columns(is_last_held_back=True)
    assert [len(named(records, files)), len(named(records, held_back))] == [1, 0]


@pytest.mark.parametrize("order", ["yxz", "zxy", "yzx"])
def test_what_was_found_cut_short_stays_so(order: str) -> None:
    """Also if a later file holds the same inside, where it is as it was written."""
    held = {"x": ["a\n", "b\nt\n"], "y": ["a\n", "b\n"], "z": ["a\n", "b\n", "c\n"]}
    nights = [[(name, load_seq, line) for line in held[name]] for load_seq, name in enumerate(order, 1)]
    counted = sorted(line for _, _, line in left(*nights))
    assert counted == ["a\n", "b\n", "b\nt\n", "c\n"]


@dataclass(frozen=True)
class Deal:
    """Two or three pieces of one log, each with lines told twice, cut into segments that three nights bring."""

    files: dict[str, str]
    nights: list[list[tuple[str, str]]]


def deal(random: Random) -> Deal:
    log = sorted(random.choices(LINES, k=random.randrange(2, 9)))
    found = Deal({}, [[], [], []])
    for name in "xyz"[: random.randrange(2, 4)]:
        begin = random.randrange(len(log))
        lines = log[begin : random.randrange(begin, len(log)) + 1]
        found.files[name] = "".join(line * random.choice((1, 1, 1, 2)) for line in lines)
        cuts = sorted(random.choices(range(len(found.files[name]) + 1), k=2))
        for night, (start, end) in zip(
            found.nights, pairwise([0, *cuts, len(found.files[name])]), strict=True
        ):
            if start < end:
                night.append((name, found.files[name][start:end]))
    for night in found.nights:
        random.shuffle(night)
    return found


def test_nights_name_what_one_reading_names() -> None:
    """However files were cut into segments, and whichever night brought which. Each deal is a cluster of its own."""
    deals = [deal(Random(seed)) for seed in range(60)]  # noqa: S311  (a deal, no secret)
    loaded, places = Loaded(), set[tuple[str, int]]()
    load_seq = 0
    for night in range(3):
        before = load_seq
        for case, one in enumerate(deals):
            for name, lines in one.nights[night]:
                load_seq += 1
                loaded += [(f"{case}/{name}", load_seq, line) for line in lines]
        twice = named(*frames(loaded), before)
        places |= {(row["file_id"], row["byte_offset"]) for row in twice}
    counted = Counter(
        (file_id[:-2], line)
        for offset, (file_id, _, line) in placed(loaded)
        if (file_id, offset) not in places
    )
    for case, one in enumerate(deals):
        for line in LINES:
            held = max(lines.count(line) for lines in one.files.values())
            assert counted[str(case), line] == held, (one, line)


def test_pairs_of_many_files_that_share_no_time_take_no_memory() -> None:
    """Each lasts an hour and is the only one of it, but for the last two."""
    begin = [number * 3600 for number in (*range(MANY), MANY - 1)]
    files = pl.DataFrame(
        {
            "cluster_id": "c",
            "node_id": 1,
            "file_id": [f"file {number}" for number in range(len(begin))],
            "load_seq": range(len(begin)),
            "first_logged_at": begin,
            "last_logged_at": [one + 3599 for one in begin],
        }
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = duplicate_record.overlapping_segments(files, files)
    assert found["load_seq"].to_list() == [MANY - 1, MANY]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < LITTLE_KIB
