"""Segments that could not be read whole, or of whose file other bytes may have been read: taken out again, and told."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any

from jobs.engine.intake.probe_plan import Offsets
from pipeline.bronze.planning import FileSighting, Plan, Segment
from pipeline.core.contents import InspectedFile
from pipeline.core.errors import InputProblem
from pipeline.core.files import Listed, list_files
from pipeline.core.stored_tables import SegmentTables
from schemas.bronze import log_record

LOST = "gone or another when it was to be read; what is there then is read by the next run"
COPY_LOST = "a longer copy of it was gone when it was to be read; looked at again by the next run"
LISTED_AT_ONCE = 16
LookAgain = Callable[[Sequence[Listed], Offsets], list[InspectedFile]]


def without_lost(
    tables: SegmentTables,
    planned: Plan,
    counted: Mapping[int, Mapping[str, Any]],
    look: LookAgain,
) -> tuple[Plan, dict[str, tuple[str, str | None]]]:
    """The plan without them, and by path what is said instead; their rows are deleted.

    counted: by load_seq what was read.
    """
    bytes_read = {seq: one["record_bytes"] for seq, one in counted.items()}
    lost = lost_segments(planned.segments, bytes_read, rewritten_load_seqs(planned.segments, look))
    if not lost:
        return planned, {}
    tables.delete_segments(log_record.SPEC, [one.load_seq for one in lost])
    kept = plan_without_lost(planned, lost)
    return kept, {one.found.path: (one.state, one.sentence) for one in kept.sightings}


def lost_segments(
    segments: Sequence[Segment], bytes_read: Mapping[int, int], others: Collection[int] = ()
) -> list[Segment]:
    """Those of which fewer bytes were read than planned, by load_seq, as their file has changed since, and `others`.

    InputProblem: the file is as it was, or the segment replaces one that was published before.
    """
    short = [one for one in segments if bytes_read.get(one.load_seq, 0) < one.limit - one.start_offset]
    lost = [one for one in segments if one in short or one.load_seq in others]
    for one in lost:
        if one.reopens or (one in short and is_as_listed(one.looked.found)):
            count = f"{bytes_read.get(one.load_seq, 0):,} when it was read"
            raise InputProblem(
                expected=f"{one.limit - one.start_offset:,} bytes of {one.looked.found.path}",
                found=count if one in short else "others in their place since",
                todo="nothing is published; run again",
            )
    return lost


def rewritten_load_seqs(segments: Sequence[Segment], look: LookAgain) -> frozenset[int]:
    """The load_seq of those whose file was put in place of itself while it was read: it begins with the same record and
    holds other bytes before the end of the segment. Files that are as they were listed are not looked into again."""
    by_path = {one.looked.found.bytes_at: one for one in segments}
    with ThreadPoolExecutor(LISTED_AT_ONCE) as pool:
        now = [one for one in pool.map(listed_now, by_path) if one is not None]
    changed = [
        one
        for one in now
        if size_and_modified_at(one) != size_and_modified_at(by_path[one.path].looked.found)
    ]
    limits: dict[str, set[int]] = defaultdict(set)
    for one in changed:
        limits[str(by_path[one.path].looked.first_record_hash)].add(by_path[one.path].limit)
    offsets = {name: frozenset(some) for name, some in limits.items()}
    looked = look(changed, offsets) if changed else []
    pairs = [(one, by_path[one.found.path]) for one in looked]
    return frozenset(planned.load_seq for again, planned in pairs if is_rewritten(again, planned))


def is_rewritten(now: InspectedFile, planned: Segment) -> bool:
    """One that is shorter now was as long as planned when it was read."""
    before, there = planned.looked, now.hashes.get(planned.limit)
    is_same_name = now.refusal is None and now.first_record_hash == before.first_record_hash
    return is_same_name and there not in (None, before.hashes[planned.limit])


def size_and_modified_at(found: Listed) -> tuple[int, datetime]:
    return found.size_bytes, found.modified_at


def listed_now(path: str) -> Listed | None:
    try:
        again = next(iter(list_files(path)), None)
    except OSError:
        return None
    return None if again is None or again.problem is not None else again


def is_as_listed(found: Listed) -> bool:
    """The path still holds what was listed, and maybe more."""
    again = listed_now(found.bytes_at)
    return again is not None and (
        size_and_modified_at(again) == size_and_modified_at(found) or again.size_bytes > found.size_bytes
    )


def plan_without_lost(planned: Plan, lost: Sequence[Segment]) -> Plan:
    """The plan without them; the next run looks again at all paths of their contents."""
    paths = {one.looked.found.path for one in lost}
    file_ids = {one.file_id for one in lost}
    kept = tuple(one for one in planned.segments if one not in lost)
    return Plan(kept, tuple(mark_unreadable(one, paths, file_ids) for one in planned.sightings))


def mark_unreadable(one: FileSighting, paths: set[str], file_ids: set[str]) -> FileSighting:
    if one.file_id not in file_ids:
        return one
    said = LOST if one.found.path in paths else COPY_LOST
    return replace(one, state="unreadable", sentence=said)
