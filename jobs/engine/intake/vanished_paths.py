"""Paths that could not be read and are not there any more: is what they held missing?"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs.engine.intake.discovery import Candidate, Listing
from pipeline.bronze.planning import FileSighting, Plan
from pipeline.core.files import NO_TIME, URI, WILDCARD, Listed, local_path, matches_glob, storable_path
from schemas.bronze.file_sighting import PROBLEMS

Seen = Mapping[str, Any]
SHOWED_NOTHING = "refused no more: it is gone, or what is below it is listed by itself"
READ_ELSEWHERE = "not there any more; a file that begins alike is read under another name"
OF_ANOTHER = "read, or told, as a file of another cluster"


def without_gone(listing: Listing, changed: Sequence[Candidate], planned: Plan) -> Listing:
    """Without what was listed and was not there when it was looked into, which has no sighting: the next run sees what
    there is then."""
    gone = {one.listed.path for one in changed}.difference(one.found.path for one in planned.sightings)
    return replace(listing, candidates=[one for one in listing.candidates if one.listed.path not in gone])


def vanished_sightings(
    listing: Listing, stored: Mapping[str, Seen], held: Collection[str], stored_path: Callable[[str], str]
) -> Iterator[FileSighting]:
    """Sightings that end what was said of paths which are not there. A file that had bytes, of which no other is known
    to begin alike, stays: it was seen, and was never read.

    stored: by path, as tables name it (stored_path), its newest sighting; held: the file_ids of what is read.
    """
    there = {stored_path(one.listed.path) for one in listing.candidates}
    gone = {path: one for path, one in stored.items() if one["state"] in PROBLEMS and path not in there}
    if not gone:
        return
    others = {stored_path(path) for path in listing.others}
    roots = [folder_as_stored(root_path(one), stored_path) for one in listing.roots]
    closed = {
        folder_as_stored(one.listed.path, stored_path) for one in listing.candidates if one.listed.problem
    }
    for path, one in sorted(gone.items()):
        is_seen = any(is_below(path, root) for root in roots) and closed.isdisjoint(folders_above(path))
        sentence = why_over(one, held) if path not in others else OF_ANOTHER
        if is_seen and sentence is not None:
            found = Listed(path, path, one["size_bytes"], one["modified_at"] or NO_TIME)
            file_id = one["file_id"] if sentence == READ_ELSEWHERE else None
            yield FileSighting(found, "known", sentence, file_id, stored_path=path)


def why_over(one: Seen, held: Collection[str]) -> str | None:
    if not one["size_bytes"]:
        return SHOWED_NOTHING
    return READ_ELSEWHERE if one["file_id"] in held else None


def held_by(candidates: Sequence[Candidate], planned: Plan, seen: Mapping[str, Seen]) -> set[str]:
    """The file_ids of what is there and is read: as this run finds it, else as an earlier one did."""
    paths = {one.listed.path for one in candidates}
    found = {path: (one["state"], one["file_id"]) for path, one in seen.items() if path in paths}
    found |= {one.found.path: (one.state, one.file_id) for one in planned.sightings}
    return {file_id for state, file_id in found.values() if file_id and state not in PROBLEMS}


def root_path(root: str) -> str:
    """A root as the paths below it begin; a glob stays one."""
    root = local_path(root)
    return root.rstrip("/") if URI.match(root) else storable_path(str(Path(root).absolute()))


def is_below(path: str, root: str) -> bool:
    """Whether a listing of the root (root_path) tells of that path, where it is there."""
    if WILDCARD.search(root) and (URI.match(root) or not os.path.lexists(root)):
        return matches_glob(path, root)
    return path == root or path.startswith(f"{root.rstrip('/')}/")


def folder_as_stored(path: str, stored_path: Callable[[str], str]) -> str:
    """The path of a folder as paths below it are stored."""
    return stored_path(f"{path.rstrip('/')}/-").removesuffix("/-") or "/"


def folders_above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
