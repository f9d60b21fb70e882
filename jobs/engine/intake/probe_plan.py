"""From the files listed and what was read before to a plan: looks, a second look where copies meet, the plan."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from jobs.engine.intake.discovery import Candidate
from pipeline.bronze.planning import A_COPY, FileSighting, Plan, plan_segments, refused_file_sighting
from pipeline.core.contents import InspectedFile, KnownFile, copies_of, is_same_node

Offsets = Mapping[str, frozenset[int]]
# Two are enough, unless a file shrinks meanwhile or copies of a known file differ in length.
MOST_LOOKS = 4
Look = Callable[[Sequence[Candidate], Offsets], list[InspectedFile]]
# Whether a file holds the beginning of what was read before and is longer.
IsRead = Callable[[InspectedFile, KnownFile], bool]


def plan_files(
    look: Look,
    candidates: Sequence[Candidate],
    changed: Sequence[Candidate],
    known: Collection[KnownFile],
    seen: Mapping[str, Any],
    now: datetime,
    quiet: timedelta,
    used: Collection[str],
    is_read: IsRead,
) -> Plan:
    """What to read of the changed files among all candidates. seen: by path the newest sighting; used: the file_ids
    that the newest sightings of all paths name."""
    paths = {one.listed.path for one in changed}
    unchanged = [one for one in candidates if one.listed.path not in paths]
    looked = with_beginning_of(look_twice(look, changed, unchanged, known, seen), known, is_read)
    planned = plan_segments(
        looked, known, max((one.load_seq for one in known), default=0) + 1, now, quiet, used
    )
    return Plan(planned.segments, (*planned.sightings, *renamed_sightings(planned, known, unchanged, seen)))


def with_beginning_of(
    looked: Sequence[InspectedFile], known: Iterable[KnownFile], is_read: IsRead
) -> list[InspectedFile]:
    """The same files. Of copies that are shorter than what was read under their name, and of which none that is as long
    is at hand (an older copy of the logs, or a file that was cut off), the longest is told as its beginning."""
    of_name: dict[str | None, list[KnownFile]] = defaultdict(list)
    for one in sorted(known, key=lambda one: (-one.consumed_bytes, one.file_id)):
        of_name[one.first_record_hash].append(one)
    begun: dict[str, str | None] = {}
    for copies in copies_of(file for file in looked if refused_file_sighting(file) is None):
        file = copies[0]
        longer = (
            one
            for one in of_name[file.first_record_hash]
            if one.consumed_bytes > file.size and is_same_node(one.node_id, one.place, copies)
        )
        if any(one.file_id is None for one in copies):
            begun[file.found.path] = next((one.file_id for one in longer if is_read(file, one)), None)
    return [replace(one, beginning_of=begun.get(one.found.path)) for one in looked]


def renamed_sightings(
    planned: Plan, known: Iterable[KnownFile], unchanged: Iterable[Candidate], seen: Mapping[str, Any]
) -> Iterator[FileSighting]:
    """Unchanged paths of files that have become part of another, or are known to be of another node now."""
    became = {load_seq: one.file_id for one in planned.segments for load_seq in one.reopens}
    now_called = {one.file_id: became[one.load_seq] for one in known if one.load_seq in became}
    for one in unchanged:
        held = file_id_at(one, seen)
        if now_called.get(held, held) != held:
            yield FileSighting(one.listed, "known", A_COPY, now_called[held])


def look_twice(
    look: Look,
    changed: Sequence[Candidate],
    unchanged: Sequence[Candidate],
    known: Collection[KnownFile],
    seen: Mapping[str, Any],
) -> list[InspectedFile]:
    """Each changed file as looked into, with the hashes that tell whether it is known or the beginning of another.

    A file shorter than what was read under its name may be a copy made halfway: unchanged files that were found to
    be of that content are looked into as witnesses.
    """
    found = {one.found.path: one for one in look(changed, offsets_by_name((), known))}
    longer = longer_known(found.values(), known)
    held = {one.listed.path: file_id_at(one, seen) for one in unchanged}
    witnesses = [one for one in unchanged if held[one.listed.path] in longer]
    for _ in range(MOST_LOOKS):
        names = not_compared(found.values())
        again = [one for one in (*changed, *unchanged) if name_at(one, found) in names]
        if not again and not witnesses:
            break
        looked = look([*again, *witnesses], offsets_by_name(found.values(), known))
        there = {one.found.path for one in looked}
        found = {
            path: one for path, one in found.items() if path in there or one.first_record_hash not in names
        }
        told = (replace(one, file_id=held.get(one.found.path)) for one in looked)
        found |= {one.found.path: one for one in told if one.refusal is None or one.file_id is None}
        witnesses = []
    return list(found.values())


def file_id_at(one: Candidate, seen: Mapping[str, Any]) -> str:
    """What the file was found to be; nothing where it was not made out."""
    return str(seen[one.listed.path]["file_id"] or "") if one.listed.path in seen else ""


def name_at(one: Candidate, found: Mapping[str, InspectedFile]) -> str | None:
    return found[one.listed.path].first_record_hash if one.listed.path in found else None


def offsets_by_name(looked: Iterable[InspectedFile], known: Iterable[KnownFile]) -> dict[str, frozenset[int]]:
    """Where what was read before ends, and where files of that name end."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for one in known:
        wanted[one.first_record_hash].add(one.consumed_bytes)
    for file in looked:
        if file.first_record_hash is not None:
            wanted[file.first_record_hash].add(file.size)
    return {name: frozenset(offsets) for name, offsets in wanted.items()}


def not_compared(looked: Iterable[InspectedFile]) -> set[str]:
    """Names under which files of different length were found, and of which a longer one was not hashed so far."""
    by_name: dict[str, list[InspectedFile]] = defaultdict(list)
    for file in looked:
        if file.first_record_hash is not None:
            by_name[file.first_record_hash].append(file)
    return {
        name
        for name, files in by_name.items()
        for size in {one.size for one in files}
        if any(size < one.size and size not in one.hashes for one in files)
    }


def longer_known(looked: Iterable[InspectedFile], known: Iterable[KnownFile]) -> set[str]:
    """The file_ids of what was read before and is longer than a file of its name that was found now."""
    least: dict[str, int] = {}
    for file in looked:
        if file.first_record_hash is not None:
            least[file.first_record_hash] = min(file.size, least.get(file.first_record_hash, file.size))
    return {
        one.file_id
        for one in known
        if one.consumed_bytes > least.get(one.first_record_hash, one.consumed_bytes)
    }
