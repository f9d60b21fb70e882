"""Schedules that random ones of another make have found, in the order of the harm that they did."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from pipeline.core.contents import InspectedFile, KnownFile, newest_first
from pipeline.core.files import Listed
from tests.life.disk import BEGIN, Stored
from tests.life.nights import Nights
from tests.life.writers import line

A, B, C, D, X = (line(BEGIN + timedelta(seconds=second), f"r{second}") for second in range(5))
OF_2 = line(BEGIN + timedelta(seconds=9), "[Controller id=2] said")
FRESH = 10**6
Files = Mapping[str, bytes]


def lived(*nights: Files, is_fresh: bool = False) -> Nights:
    """The tables after nights a quarter of an hour apart, over files that were quiet by then; is_fresh: written just then."""
    found = Nights()
    for night, files in enumerate(nights, 1):
        now = BEGIN + timedelta(seconds=900 * night)
        at = now if is_fresh else BEGIN
        found.run({path: Stored(content, at, "") for path, content in files.items()}, now)
        assert not found.run({path: Stored(content, at, "") for path, content in files.items()}, now).segments
    return found


def test_a_name_is_never_given_again_while_a_path_may_come_back_that_had_it() -> None:
    whole, other = A + B + C + D, A + X * 9
    found = lived(
        {"n/controller.log.6": whole},
        {"n/controller.log.3": whole + OF_2},
        {"n/controller.log.9": other},
        {"n/controller.log.6": whole, "n/controller.log.11": A + B},
    )
    contents = found.contents()
    assert sorted(content for _, content in contents.values()) == sorted((whole + OF_2, other))
    assert contents[found.seen["n/controller.log.11"]["file_id"]] == (2, whole + OF_2)


def test_what_was_read_of_two_nodes_is_not_one_file() -> None:
    files = {"broker-1/controller.log": A + B, "broker-2/controller.log": A + B + C}
    found = lived(files, files | {"copies/a.log": A + B + C + D})
    assert sorted(found.contents().values()) == [(1, A + B), (2, A + B + C + D)]


def test_a_witness_alone_is_nothing_new() -> None:
    first = {"broker-7/controller.log": A + B + OF_2 + C, "broker-7/controller.log.1": A + B}
    then = {"copies/x.log": A + B + OF_2 + C, "broker-7/controller.log.1": A + B}
    found = lived(first, then, then | {"copies/y.log": A + X})
    assert sorted(found.contents().values(), key=str) == [(2, A + B + OF_2 + C), (None, A + X)]


@pytest.mark.parametrize("copy", ["broker-2/controller.log.5", "broker-2/controller.log.11"])
def test_a_copy_of_a_witness_is_known_whatever_its_name(copy: str) -> None:
    part = {"broker-2/controller.log.4": A + B}
    found = lived(part | {"broker-2/controller.log": A + B + OF_2 + C}, part, part | {copy: A + B})
    assert list(found.contents().values()) == [(2, A + B + OF_2 + C)]


def test_two_that_differ_in_what_is_held_back_stay_what_they_are() -> None:
    """Each was read as far; the second run of a night, in `lived`, took the one for the other for some contents."""
    for number in range(40):
        held = [line(BEGIN + timedelta(days=1), f"{name}{number}") for name in ("p", "q")]
        files = {"broker-1/controller.log.1": A + held[0], "copies/controller-2.log": A + held[1]}
        found = lived(files, files, is_fresh=True)
        assert {content for _, content in found.contents().values()} == {A}


def test_of_two_nodes_one_place_is_one_file_also_where_paths_are_masked() -> None:
    path, stored = "prod/kafka-0.example.com/controller.log", "prod/host-3f9a2c81d0b4/controller.log"
    known = KnownFile("f", 0, "controller", "stock", "UTC", stored, "name", 0, 10, "hash", 1, (1,))
    listed = Listed(path, path, 20, BEGIN)
    for stored_path, expected in ((stored, [known]), (None, [])):
        grown = InspectedFile(listed, "c", 100, size=20, hashes={10: "hash"}, stored_path=stored_path)
        assert newest_first([grown], [known]) == expected
