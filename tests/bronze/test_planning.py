"""Which bytes a run reads: the life of a log file, step by step, as a pure function."""

import hashlib
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import permutations

from pipeline.bronze.planning import Plan, plan_segments
from pipeline.core.contents import InspectedFile, KnownFile
from pipeline.core.files import Listed
from pipeline.core.fingerprint import first_line_hash, take_fingerprint

START = re.compile(rb"\[\d\] ")
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
QUIET = timedelta(seconds=60)
AN_HOUR_AGO = NOW - timedelta(hours=1)
A, B, C = b"[1] one\n", b"[2] two\n\tat x\n", b"[3] three\n"


def looked(
    content: bytes,
    path: str = "controller.log",
    codec: str = "plain",
    modified_at: datetime = NOW,
    known: list[KnownFile] | None = None,
) -> InspectedFile:
    seen = take_fingerprint(BytesIO(content), START, [one.consumed_bytes for one in known or []])
    return InspectedFile(
        Listed(path, path, len(content), modified_at),
        "c",
        node_id=1,
        log="controller",
        codec=codec,
        size=seen.size,
        first_record_hash=first_line_hash(content, START, 1 << 20),
        tail_start=seen.tail_start,
        ends_with_newline=seen.ends_with_newline,
        hashes=seen.hashes,
        starts=frozenset(seen.starts),
    )


def known_after(planned: Plan) -> list[KnownFile]:
    """What the next run knows of files of which this one read all segments."""
    return [
        KnownFile(
            one.file_id, one.looked.node_id, one.looked.log, one.looked.envelope, one.looked.zone, one.looked.found.path,
            str(one.looked.first_record_hash), one.start_offset, one.limit, one.looked.hashes[one.limit],
            one.load_seq, (one.load_seq,), one.looked.is_shared,
        )
        for one in planned.segments
    ]  # fmt: skip


def read(planned: Plan) -> list[tuple[int, int, bool, tuple[int, ...]]]:
    return [(one.start_offset, one.limit, one.is_last_held_back, one.reopens) for one in planned.segments]


def test_of_files_of_one_run_the_earlier_one_has_the_lower_number() -> None:
    """Of equal lines on both sides of a roll the same one counts, in however many nights the files were read."""
    early, late = (
        replace(looked(content, path, modified_at=AN_HOUR_AGO), first_logged_at=NOW + timedelta(hours=hour))
        for content, path, hour in ((A + B, "controller.log.1", -3), (C + A + B, "controller.log", -2))
    )
    nobody_knows = looked(B + C + A, "controller.log.x", modified_at=AN_HOUR_AGO)
    for files in permutations([early, late, nobody_knows]):
        found = plan_segments(files, [], 1, NOW, QUIET).segments
        assert [(one.load_seq, one.looked.found.path) for one in found] == [
            (1, "controller.log.1"), (2, "controller.log"), (3, "controller.log.x"),
        ]  # fmt: skip


def test_the_last_record_of_a_growing_file_is_held_back_until_the_next_begins() -> None:
    first = plan_segments([looked(A + B)], [], 1, NOW, QUIET)
    assert read(first) == [(0, len(A), True, ())]
    known = known_after(first)
    grown = plan_segments([looked(A + B + C, known=known)], known, 2, NOW, QUIET)
    assert read(grown) == [(len(A), len(A + B), True, ())]
    assert grown.segments[0].file_id == first.segments[0].file_id


def test_a_quiet_or_compressed_file_is_read_to_its_end() -> None:
    assert read(plan_segments([looked(A + B, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET)) == [
        (0, len(A + B), False, ())
    ]
    assert read(plan_segments([looked(A + B, codec="gzip")], [], 1, NOW, QUIET)) == [
        (0, len(A + B), False, ())
    ]


def test_a_last_record_that_grew_after_all_opens_its_segment_again() -> None:
    first = plan_segments([looked(A + b"[2] two\n", modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET)
    known = known_after(first)
    grown = plan_segments([looked(A + B + C, modified_at=AN_HOUR_AGO, known=known)], known, 2, NOW, QUIET)
    assert read(grown) == [(0, len(A + B + C), False, (1,))]


def test_renamed_gzipped_and_copied_files_are_known() -> None:
    first = plan_segments([looked(A + B + C, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET)
    known = known_after(first)
    again = [
        looked(A + B + C, "controller.log.2026-11-21-08", modified_at=AN_HOUR_AGO, known=known),
        looked(A + B + C, "controller.log.2026-11-21-08.gz", "gzip", known=known),
        looked(A + B + C, "copy/controller.log", modified_at=AN_HOUR_AGO, known=known),
    ]
    planned = plan_segments(again, known, 2, NOW, QUIET)
    assert read(planned) == []
    assert {one.state for one in planned.sightings} == {"known"}
    assert {one.file_id for one in planned.sightings} == {first.segments[0].file_id}


def test_a_rewritten_file_is_another_file_even_if_it_begins_alike() -> None:
    first = plan_segments([looked(A + B + C, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET)
    known = known_after(first)
    other = plan_segments([looked(A + C + C, modified_at=AN_HOUR_AGO, known=known)], known, 2, NOW, QUIET)
    assert read(other) == [(0, len(A + C + C), False, ())]
    assert other.segments[0].file_id != first.segments[0].file_id


def test_two_copies_in_one_run_are_read_once() -> None:
    files = [looked(A + B, f"{name}/controller.log", modified_at=AN_HOUR_AGO) for name in ("x", "y")]
    planned = plan_segments(files, [], 1, NOW, QUIET)
    assert len(planned.segments) == 1
    assert sorted(one.state for one in planned.sightings) == ["known", "read"]


def test_a_file_with_one_record_waits_until_it_is_quiet() -> None:
    assert [one.state for one in plan_segments([looked(A)], [], 1, NOW, QUIET).sightings] == ["waiting"]
    quiet = plan_segments([looked(A, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET)
    known = known_after(quiet)
    grown = plan_segments([looked(A + B, modified_at=AN_HOUR_AGO, known=known)], known, 2, NOW, QUIET)
    assert read(grown) == [(len(A), len(A + B), False, ())]
    assert grown.segments[0].file_id == quiet.segments[0].file_id


def test_load_seq_grows_and_hashes_are_of_what_was_consumed() -> None:
    files = [looked(A + B, "a", modified_at=AN_HOUR_AGO), looked(C + B, "b", modified_at=AN_HOUR_AGO)]
    planned = plan_segments(files, [], 7, NOW, QUIET)
    assert [one.load_seq for one in planned.segments] == [7, 8]
    hashes = {one.consumed_hash for one in known_after(planned)}
    assert hashes == {hashlib.sha256(content).hexdigest() for content in (A + B, C + B)}


def test_copies_of_different_length_in_one_run_are_read_once() -> None:
    whole, part = A + B + C, A + B
    files = [
        replace(
            looked(content, f"{name}/controller.log", modified_at=AN_HOUR_AGO),
            hashes={end: hashlib.sha256(content[:end]).hexdigest() for end in range(len(content) + 1)},
        )
        for name, content in (("day1", part), ("day2", whole))
    ]
    planned = plan_segments(files, [], 1, NOW, QUIET)
    assert read(planned) == [(0, len(whole), False, ())]
    assert [one.state for one in planned.sightings] == ["known", "read"]


def test_a_file_that_named_no_writer_at_first_is_read_anew_under_its_name() -> None:
    first = plan_segments([replace(looked(A + B, modified_at=AN_HOUR_AGO), node_id=None)], [], 1, NOW, QUIET)
    known = known_after(first)
    grown = plan_segments([looked(A + B + C, modified_at=AN_HOUR_AGO, known=known)], known, 2, NOW, QUIET)
    assert read(grown) == [(0, len(A + B + C), False, (1,))]
    at_once = plan_segments([looked(A + B + C, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET)
    assert [one.file_id for one in grown.segments] == [one.file_id for one in at_once.segments]


def test_a_file_that_turns_out_to_be_of_several_nodes_is_read_anew_and_stays_so() -> None:
    """By night 2 another node had written, too; of night 3 the end names one again."""
    known = known_after(plan_segments([looked(A + B, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET))
    night_2 = replace(looked(A + B + C, modified_at=AN_HOUR_AGO, known=known), node_id=None, is_shared=True)
    planned = plan_segments([night_2], known, 2, NOW, QUIET)
    assert read(planned) == [(0, len(A + B + C), False, (1,))]
    assert [one.looked.is_shared for one in planned.segments] == [True]
    known = known_after(planned)
    night_3 = looked(A + B + C + A, modified_at=AN_HOUR_AGO, known=known)
    later = plan_segments([night_3], known, 3, NOW, QUIET)
    assert read(later) == [(len(A + B + C), len(A + B + C + A), False, ())]
    assert [(one.looked.node_id, one.looked.is_shared) for one in later.segments] == [(None, True)]
    assert plan_segments([replace(night_3, size=len(A + B + C))], known, 3, NOW, QUIET).segments == ()


def test_what_was_read_twice_goes_when_the_longer_content_is_at_hand() -> None:
    """A copy made halfway came when its original was not listed, and was read as a file of its own."""
    whole = plan_segments([looked(A + B + C, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET)
    known = known_after(whole)
    part = plan_segments([looked(A + B, "copy", modified_at=AN_HOUR_AGO, known=known)], known, 2, NOW, QUIET)
    assert read(part) == [(0, len(A + B), False, ())]
    known = [*known, *known_after(part)]
    grown = plan_segments(
        [looked(A + B + C + C, "copy", modified_at=AN_HOUR_AGO, known=known)], known, 3, NOW, QUIET
    )
    assert read(grown) == [(len(A + B + C), len(A + B + C + C), False, (2,))]
    assert grown.segments[0].file_id == whole.segments[0].file_id


def test_what_one_file_has_taken_no_other_continues() -> None:
    whole, part = (
        plan_segments([looked(content, modified_at=AN_HOUR_AGO)], [], number, NOW, QUIET)
        for number, content in enumerate((A + B + b"[3]", A + B), 1)
    )
    twin = replace(known_after(part)[0], file_id="twin")
    known = [*known_after(whole), twin]
    files = [
        looked(content, path, modified_at=AN_HOUR_AGO, known=known)
        for path, content in (("x", A + B + b"[3] longer\n" + C), ("y", A + B + C + C))
    ]
    planned = plan_segments(files, known, 3, NOW, QUIET)
    assert read(planned) == [(0, files[0].size, False, (1, 2)), (0, files[1].size, False, ())]
    assert len({one.file_id for one in planned.segments} - {"twin"}) == 2


def test_a_file_that_turns_out_mixed_is_read_anew_once_it_has_grown() -> None:
    known = known_after(plan_segments([looked(A + B, modified_at=AN_HOUR_AGO)], [], 1, NOW, QUIET))
    for content, expected in ((A + B, []), (A + B + C, [(0, len(A + B + C), False, (1,))])):
        file = replace(looked(content, modified_at=AN_HOUR_AGO, known=known), log="mixed")
        assert read(plan_segments([file], known, 2, NOW, QUIET)) == expected


def test_node_and_zone_come_from_whichever_copy_or_run_tells_them() -> None:
    nameless = replace(looked(A + B + C, "archive", modified_at=AN_HOUR_AGO), node_id=None, zone="UTC")
    told = replace(looked(A + B + C, modified_at=AN_HOUR_AGO), zone="Asia/Tokyo")
    of_copies = plan_segments([nameless, told], [], 1, NOW, QUIET)
    known = known_after(
        plan_segments([replace(looked(A + B, modified_at=AN_HOUR_AGO), zone="Asia/Tokyo")], [], 1, NOW, QUIET)
    )
    grown = replace(looked(A + B + C, "copy", modified_at=AN_HOUR_AGO, known=known), node_id=None, zone="UTC")
    for planned in (of_copies, plan_segments([grown], known, 2, NOW, QUIET)):
        assert [(one.looked.node_id, one.looked.zone) for one in planned.segments] == [(1, "Asia/Tokyo")]


def test_of_two_copies_the_complete_one_is_read() -> None:
    files = [looked(A + B), looked(A + B, "controller.log.gz", "gzip")]
    assert read(plan_segments(files, [], 1, NOW, QUIET)) == [(0, len(A + B), False, ())]


def test_a_held_back_record_is_looked_at_again() -> None:
    assert [one.state for one in plan_segments([looked(A + B)], [], 1, NOW, QUIET).sightings] == ["held_back"]
