"""Segments that could not be read to their end: taken out again, told, and left to the next run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pipeline.bronze.planning import Plan, Segment, Sighting
from pipeline.core.errors import InputProblem
from pipeline.core.files import Listed, list_files
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import log_record

LOST = "gone or another when it was to be read; what is there then is read by the next run"
COPY_LOST = "a longer copy of it was gone when it was to be read; looked at again by the next run"


def without_lost(
    store: ClusterWarehouse, planned: Plan, counted: Mapping[int, Mapping[str, Any]], versions: dict[str, int]
) -> tuple[Plan, dict[str, tuple[str, str | None]]]:
    """The plan without them, and by path what is said instead; their rows are deleted.

    counted: by load_seq what was read; versions: of the tables, brought up to date.
    """
    lost = lost_segments(planned.segments, {seq: one["record_bytes"] for seq, one in counted.items()})
    if not lost:
        return planned, {}
    store.delta.delete_segments(log_record.SPEC, [one.load_seq for one in lost])
    versions[log_record.SPEC.name] = int(store.delta.head(log_record.SPEC) or 0)
    kept = without(planned, lost)
    return kept, {one.found.path: (one.state, one.sentence) for one in kept.sightings}


def lost_segments(segments: Sequence[Segment], bytes_read: Mapping[int, int]) -> list[Segment]:
    """Those of which fewer bytes were read than planned, by load_seq, as their file has changed since.

    InputProblem: the file is as it was, or the segment replaces one that was published before.
    """
    short = [one for one in segments if bytes_read.get(one.load_seq, 0) < one.limit - one.start_offset]
    for one in short:
        if one.reopens or is_as_listed(one.looked.found):
            raise InputProblem(
                expected=f"{one.limit - one.start_offset:,} bytes of {one.looked.found.path}",
                found=f"{bytes_read.get(one.load_seq, 0):,} when it was read",
                todo="nothing is published; run again",
            )
    return short


def is_as_listed(found: Listed) -> bool:
    """The path still holds what was listed, and maybe more."""
    try:
        again = next(iter(list_files(found.path)), None)
    except OSError:
        return False
    if again is None or again.problem is not None:
        return False
    is_same = (again.size_bytes, again.modified_at) == (found.size_bytes, found.modified_at)
    return is_same or again.size_bytes > found.size_bytes


def without(planned: Plan, lost: Sequence[Segment]) -> Plan:
    """The plan without them; the next run looks again at all paths of their contents."""
    paths = {one.looked.found.path for one in lost}
    file_ids = {one.file_id for one in lost}
    kept = tuple(one for one in planned.segments if one not in lost)
    return Plan(kept, tuple(told(one, paths, file_ids) for one in planned.sightings))


def told(one: Sighting, paths: set[str], file_ids: set[str]) -> Sighting:
    if one.file_id not in file_ids:
        return one
    said = LOST if one.found.path in paths else COPY_LOST
    return replace(one, state="unreadable", sentence=said, file_id=None)
