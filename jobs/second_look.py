"""Looks into changed files, and a second time where copies of different length meet."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from jobs.discovery import Candidate
from pipeline.bronze.planning import Known, Looked

Offsets = Mapping[str, frozenset[int]]
Look = Callable[[Sequence[Candidate], Offsets], list[Looked]]


def look_twice(
    look: Look,
    changed: Sequence[Candidate],
    unchanged: Sequence[Candidate],
    known: Collection[Known],
    seen: Mapping[str, Any],
) -> list[Looked]:
    """Each changed file as looked into, with the hashes that tell whether it is known or the beginning of another.

    A file shorter than what was read under its name may be a copy made halfway: where a file that held more is
    listed still, it is looked into, too. seen: by path the newest sighting, with its file_id.
    """
    first = look(changed, offsets_by_name((), known))
    longer = longer_known(first, known)
    held = {one.listed.path: seen[one.listed.path]["file_id"] for one in unchanged if one.listed.path in seen}
    originals = [one for one in unchanged if held.get(one.listed.path) in longer]
    names = names_of_several(first) | {longer[held[one.listed.path]] for one in originals}
    if not names:
        return first
    copies = {one.found.path: one for one in first if one.first_record_hash in names}
    wanted = offsets_by_name(copies.values(), [one for one in known if one.first_record_hash in names])
    again = [one for one in changed if one.listed.path in copies]
    second = {one.found.path: one for one in look([*again, *originals], wanted)}
    return [*(second.pop(one.found.path, one) for one in first), *second.values()]


def offsets_by_name(looked: Iterable[Looked], known: Iterable[Known]) -> dict[str, frozenset[int]]:
    """Where what was read before ends, and where files of that name end."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for one in known:
        wanted[one.first_record_hash].add(one.consumed_bytes)
    for file in looked:
        wanted[str(file.first_record_hash)].add(file.size)
    return {name: frozenset(offsets) for name, offsets in wanted.items()}


def names_of_several(looked: Iterable[Looked]) -> set[str]:
    """Names under which files of different length were found."""
    sizes: dict[str, set[int]] = defaultdict(set)
    for file in looked:
        if file.first_record_hash is not None:
            sizes[file.first_record_hash].add(file.size)
    return {name for name, found in sizes.items() if len(found) > 1}


def longer_known(looked: Iterable[Looked], known: Iterable[Known]) -> dict[str, str]:
    """Name by file_id of what was read before and is longer than a file of that name that was found now."""
    least: dict[str, int] = {}
    for file in looked:
        if file.first_record_hash is not None:
            least[file.first_record_hash] = min(file.size, least.get(file.first_record_hash, file.size))
    return {
        one.file_id: one.first_record_hash
        for one in known
        if one.consumed_bytes > least.get(one.first_record_hash, one.consumed_bytes)
    }
