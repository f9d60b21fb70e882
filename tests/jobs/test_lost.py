"""Segments of files that have changed since they were planned."""

from dataclasses import replace
from pathlib import Path

import pytest

from jobs.lost import is_as_listed, lost_segments, without
from pipeline.bronze.planning import Plan, Segment, Sighting
from pipeline.core.contents import Looked
from pipeline.core.errors import InputProblem
from pipeline.core.files import Listed, list_files


def listed(path: Path, content: bytes = b"x" * 100) -> Listed:
    path.write_bytes(content)
    return next(iter(list_files(str(path))))


def segment(found: Listed, load_seq: int = 1, reopens: tuple[int, ...] = ()) -> Segment:
    return Segment(Looked(found, "c"), f"f{load_seq}", load_seq, 10, 100, reopens)


def test_a_file_is_as_listed_while_it_only_grows(tmp_path: Path) -> None:
    path = tmp_path / "controller.log"
    found = listed(path)
    assert is_as_listed(found)
    path.write_bytes(b"x" * 101)
    assert is_as_listed(found)
    path.write_bytes(b"x" * 99)
    assert not is_as_listed(found)
    path.unlink()
    assert not is_as_listed(found)
    path.mkdir()
    assert not is_as_listed(found)


def test_what_was_read_whole_is_kept_and_what_is_gone_is_lost(tmp_path: Path) -> None:
    whole, short, none = (segment(listed(tmp_path / f"{seq}"), seq) for seq in (1, 2, 3))
    for seq in (2, 3):
        (tmp_path / f"{seq}").unlink()
    assert lost_segments([whole, short, none], {1: 90, 2: 89}) == [short, none]


def test_a_short_segment_of_a_file_that_has_not_changed_stops_the_run(tmp_path: Path) -> None:
    one = segment(listed(tmp_path / "a"))
    with pytest.raises(InputProblem, match=r"Expected 90 bytes of .*a, found 7 when it was read; nothing"):
        lost_segments([one], {1: 7})


def test_what_would_replace_published_rows_is_never_given_up(tmp_path: Path) -> None:
    one = segment(listed(tmp_path / "a"), reopens=(1,))
    (tmp_path / "a").unlink()
    with pytest.raises(InputProblem, match="nothing is published"):
        lost_segments([one], {})


def test_every_path_of_a_lost_content_is_looked_at_again(tmp_path: Path) -> None:
    lost, kept = segment(listed(tmp_path / "a"), 1), segment(listed(tmp_path / "b"), 2)
    copy = listed(tmp_path / "copy")
    sightings = (
        Sighting(lost.looked.found, "read", None, "f1"),
        Sighting(copy, "known", "the beginning of a longer copy", "f1"),
        Sighting(kept.looked.found, "read", None, "f2"),
        Sighting(replace(copy, path="other"), "not_kafka", "no line", None),
    )
    found = without(Plan((lost, kept), sightings), [lost])
    assert found.segments == (kept,)
    assert [(one.state, one.file_id) for one in found.sightings] == [
        ("unreadable", None),
        ("unreadable", None),
        ("read", "f2"),
        ("not_kafka", None),
    ]
