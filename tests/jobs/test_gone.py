"""Paths that could not be read and are not there any more."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from jobs.engine.intake.discovery import Candidate, Listing
from jobs.engine.intake.probe_plan import Offsets, look_twice
from jobs.engine.intake.segments import is_file_changed
from jobs.engine.intake.vanished_paths import (
    OF_ANOTHER,
    READ_ELSEWHERE,
    SHOWED_NOTHING,
    Seen,
    held_by,
    vanished_sightings,
    without_gone,
)
from pipeline.bronze.planning import FileSighting, Plan
from pipeline.core.contents import InspectedFile
from pipeline.core.files import Listed
from pipeline.kafka.layout.paths import locate_path
from pipeline.kafka.reading.masking import Masking

NOW = datetime(2026, 11, 21, tzinfo=UTC)
# What was last said, by path: of the files with bytes one begins as what is read as f.
SAID = {
    "/logs/a": ("unreadable", 0, None),
    "/logs/a/link": ("unreadable", 0, None),
    "/logs/part.gz": ("unreadable", 9, "f"),
    "/logs/torn.gz": ("unreadable", 9, "g"),
    "/logs/closed.log": ("unreadable", 9, None),
    "/logs/two-nodes.log": ("contradictory", 9, None),
    "/logs/read.log": ("read", 9, "f"),
    "/logs-2/a": ("unreadable", 0, None),
}


def sighted(said: Mapping[str, tuple[str, int, str | None]]) -> dict[str, Seen]:
    return {
        path: {"state": state, "size_bytes": size, "modified_at": None, "sentence": "x", "file_id": file_id}
        for path, (state, size, file_id) in said.items()
    }


def candidate(
    path: str, problem: str | None = None, size: int = 9, *, is_elsewhere: bool = False
) -> Candidate:
    return Candidate(Listed(path, path, size, NOW, problem, is_elsewhere), locate_path(path))


def ended(listing: Listing, held: Sequence[str] = ("f",)) -> dict[str, str | None]:
    found = list(vanished_sightings(listing, sighted(SAID), held, str))
    assert {one.state for one in found} <= {"known"}
    return {one.found.path: one.sentence for one in found}


def test_what_had_no_byte_or_begins_as_what_is_read_is_over_and_what_was_never_read_is_not() -> None:
    expected: dict[str, str | None] = {
        "/logs/a": SHOWED_NOTHING,
        "/logs/a/link": SHOWED_NOTHING,
        "/logs/part.gz": READ_ELSEWHERE,
    }
    listing = Listing([candidate("/logs/new.gz")], ["/logs"])
    assert ended(listing) == expected
    assert set(ended(listing, ["g"])) == {"/logs/a", "/logs/a/link", "/logs/torn.gz"}


@pytest.mark.parametrize(
    ("listing", "over"),
    [
        (Listing([]), []),
        (Listing([], ["/elsewhere", "/log"]), []),
        (Listing([], ["/logs-2/"]), ["/logs-2/a"]),
        (Listing([], ["file:///logs/part.gz"]), ["/logs/part.gz"]),
        (Listing([], ["/logs/*.gz"]), ["/logs/part.gz"]),
        (Listing([], ["/logs/a", "/logs/par?.gz"]), ["/logs/a", "/logs/a/link", "/logs/part.gz"]),
        (Listing([candidate("/logs/a", "folder: denied", 0)], ["/logs"]), ["/logs/part.gz"]),
        (Listing([candidate("/logs/part.gz", "torn")], ["/logs"]), ["/logs/a", "/logs/a/link"]),
        (
            Listing([], ["/logs"], frozenset({"/logs/torn.gz", "/logs/closed.log"})),
            ["/logs/a", "/logs/a/link", "/logs/closed.log", "/logs/part.gz", "/logs/torn.gz"],
        ),
    ],
)
def test_only_what_was_listed_tells_that_a_path_is_gone(listing: Listing, over: list[str]) -> None:
    found = ended(listing)
    assert list(found) == over
    assert {path for path, said in found.items() if said == OF_ANOTHER} == listing.others


def test_paths_of_a_masked_warehouse_are_told_as_they_are_stored() -> None:
    masking = Masking(("hosts",), (), b"a key of the tests")
    paths = [f"/kafka-1.corp.example/kafka-{node}.corp.example" for node in (2, 3, 4)]
    stored = {masking.path(f"{path}/controller.log"): ("unreadable", 0, None) for path in paths}
    listing = Listing([candidate(paths[1], "folder: denied", 0)], ["/kafka-1.corp.example"])
    found = list(vanished_sightings(listing, sighted(stored), (), masking.path))
    assert [one.stored_path for one in found] == sorted(
        masking.path(f"{path}/controller.log") for path in (paths[0], paths[2])
    )
    assert not any("corp" in str(one.stored_path) for one in found)


def test_what_is_gone_when_it_is_looked_into_is_not_spoken_of() -> None:
    """a is there, b goes before the first look, c between two: it was the longer of two that begin alike."""
    files = [candidate(one, size=size) for one, size in (("a", 5), ("b", 9), ("c", 9))]
    looks: list[list[str]] = []

    def look(some: Sequence[Candidate], offsets: Offsets) -> list[InspectedFile]:
        looks.append([one.listed.path for one in some])
        there = [one for one in some if one.listed.path in ("ac", "a", "a")[len(looks) - 1]]
        return [
            InspectedFile(one.listed, "c", size=one.listed.size_bytes, first_record_hash="h",
                   hashes={one.listed.size_bytes: "x"}) for one in there
        ]  # fmt: skip

    found = look_twice(look, files, [], [], {})
    assert looks == [["a", "b", "c"], ["a", "c"]]
    assert [one.found.path for one in found] == ["a"]
    planned = Plan((), (FileSighting(files[0].listed, "read", None, "f"),))
    listing = without_gone(Listing(files, ["/"]), files, planned)
    assert listing == Listing(files[:1], ["/"])


def test_what_is_read_is_what_is_there_and_was_made_out() -> None:
    files = [candidate(one) for one in "abc"]
    seen = sighted({"a": ("unreadable", 9, "f1"), "b": ("known", 9, "f2"), "gone": ("read", 9, "f3")})
    planned = Plan(
        (),
        (
            FileSighting(files[0].listed, "read", None, "f4"),
            FileSighting(files[2].listed, "unreadable", "torn", "f5"),
        ),
    )
    assert held_by(files, planned, seen) == {"f2", "f4"}


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_what_ended_is_looked_at_again_when_it_is_back(*, is_elsewhere: bool) -> None:
    before = {"state": "known", "size_bytes": 0, "modified_at": NOW, "sentence": "x", "file_id": None}
    back = candidate("/logs/a", "folder: denied", 0, is_elsewhere=is_elsewhere)
    assert is_file_changed(back, before, lambda _: "", is_server_read=False) is not is_elsewhere
