"""Segments of files that have changed since they were planned."""

import re
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from jobs.engine.intake.changed_while_read import (
    is_as_listed,
    lost_segments,
    plan_without_lost,
    rewritten_load_seqs,
)
from jobs.engine.intake.probe_plan import Offsets
from pipeline.bronze.planning import FileSighting, Plan, Segment
from pipeline.core.contents import InspectedFile
from pipeline.core.errors import InputProblem
from pipeline.core.files import Listed, list_files
from pipeline.core.fingerprint import take_fingerprint

START = re.compile(b"[xz]")


def listed(path: Path, content: bytes = b"x" * 100) -> Listed:
    path.write_bytes(content)
    return next(iter(list_files(str(path))))


def segment(found: Listed, load_seq: int = 1, reopens: tuple[int, ...] = ()) -> Segment:
    return Segment(InspectedFile(found, "c"), f"f{load_seq}", load_seq, 10, 100, reopens)


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


def looked_at(found: Listed, *offsets: int) -> InspectedFile:
    seen = take_fingerprint(BytesIO(Path(found.path).read_bytes()), START, offsets)
    return InspectedFile(found, "c", size=seen.size, first_record_hash="first", hashes=seen.hashes)


def test_a_file_that_holds_other_bytes_now_is_lost_whatever_its_length(tmp_path: Path) -> None:
    """changed: anew in its place; grown, cut: as they were up to where they go; rolled: another file has its name."""
    before = {name: listed(tmp_path / name) for name in ("kept", "changed", "grown", "cut", "rolled", "gone")}
    planned = [Segment(looked_at(one), "f", seq, 0, 100) for seq, one in enumerate(before.values(), 1)]
    now = {"changed": b"x" * 50 + b"y" * 70, "grown": b"x" * 120, "cut": b"x" * 50, "rolled": b"z" * 120}
    for name, content in now.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "gone").unlink()
    asked: list[str] = []

    def look(some: Sequence[Listed], offsets: Offsets) -> list[InspectedFile]:
        asked.extend(Path(one.path).name for one in some)
        found = [looked_at(one, *offsets["first"]) for one in some]
        return [
            replace(one, first_record_hash="other") if one.found.path.endswith("rolled") else one
            for one in found
        ]

    assert rewritten_load_seqs(planned, look) == {2}
    assert asked == ["changed", "grown", "cut", "rolled"]
    assert lost_segments(planned, dict.fromkeys(range(1, 7), 100), {2}) == [planned[1]]
    with pytest.raises(InputProblem, match="found others in their place since; nothing is published"):
        lost_segments([replace(planned[1], reopens=(7,))], {2: 100}, {2})


def test_every_path_of_a_lost_content_is_looked_at_again(tmp_path: Path) -> None:
    lost, kept = segment(listed(tmp_path / "a"), 1), segment(listed(tmp_path / "b"), 2)
    copy = listed(tmp_path / "copy")
    sightings = (
        FileSighting(lost.looked.found, "read", None, "f1"),
        FileSighting(copy, "known", "the beginning of a longer copy", "f1"),
        FileSighting(kept.looked.found, "read", None, "f2"),
        FileSighting(replace(copy, path="other"), "not_kafka", "no line", None),
    )
    found = plan_without_lost(Plan((lost, kept), sightings), [lost])
    assert found.segments == (kept,)
    assert [(one.state, one.file_id) for one in found.sightings] == [
        ("unreadable", "f1"),
        ("unreadable", "f1"),
        ("read", "f2"),
        ("not_kafka", None),
    ]
