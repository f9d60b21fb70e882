"""Which bytes of which files a run reads: decided from what was found and what was read before."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from pipeline.core.contents import InspectedFile, KnownFile, copies_of, newest_first, of_node
from pipeline.core.files import Listed
from schemas.bronze.file_sighting import BREAKS_OFF


@dataclass(frozen=True)
class Segment:
    """Bytes that this run reads; reopens: the segments whose rows it replaces."""

    looked: InspectedFile
    file_id: str
    load_seq: int
    start_offset: int
    limit: int
    reopens: tuple[int, ...] = ()

    @property
    def is_last_held_back(self) -> bool:
        return self.limit < self.looked.size


@dataclass(frozen=True)
class FileSighting:
    """A row of bronze.file_sighting. stored_path: as tables name the path, where the path itself is not known."""

    found: Listed
    state: str
    sentence: str | None
    file_id: str | None
    stored_path: str | None = None


@dataclass(frozen=True)
class Plan:
    segments: tuple[Segment, ...]
    sightings: tuple[FileSighting, ...]


NO_NAME = "its first line has not ended yet: the file is read once it has"
ONE_RECORD = "no second record has begun yet: the file is read once it has, or has been quiet"
A_COPY = "a copy, or the beginning, of another file"


def plan_segments(
    looked: Collection[InspectedFile],
    known: Iterable[KnownFile],
    next_load_seq: int,
    now: datetime,
    quiet: timedelta,
    used: Collection[str] = (),
) -> Plan:
    """Segments to read, in the order of load_seq, and sightings to note, in the order of path.

    A file whose beginning has the hash of what was consumed is the same file, whatever its name:
    unchanged, grown, renamed, gzipped or copied. Any other hash is another file. Of several paths
    with the same content the longest is read. The last record of a file that may still grow is held back.
    used: file_ids that sightings name, be it of files that are known no more: none is given again.
    """
    of_name: dict[str | None, list[KnownFile]] = defaultdict(list)
    for one in known:
        of_name[one.first_record_hash].append(one)
    segments: list[Segment] = []
    sightings = [note for file in looked if (note := refused_file_sighting(file)) is not None]
    taken: set[str] = set()
    for copies in copies_of(file for file in looked if refused_file_sighting(file) is None):
        if all(one.file_id is not None for one in copies):
            continue  # witnesses of a content of which nothing is new
        file = most_readable(copies, now, quiet)
        limit = readable_until(file, now, quiet)
        read = of_name[file.first_record_hash]
        matching = newest_first(copies, (one for one in read if one.file_id not in taken))
        not_free = {one.file_id for one in read}.union(taken, used)
        segment = next_segment(file, matching, not_free, limit, next_load_seq)
        file_id = segment.file_id if segment else matching[0].file_id if matching else None
        if segment is not None:
            next_load_seq += 1
            segments.append(segment)
            taken |= {one.file_id for one in matching}
        taken |= {file_id} if file_id else set()
        sightings += [
            copy_sighting(one, file, limit, file_id, segment) for one in copies if one.file_id is None
        ]
    return Plan(tuple(segments), tuple(sorted(sightings, key=lambda one: one.found.path)))


def refused_file_sighting(file: InspectedFile) -> FileSighting | None:
    """Why there is nothing to read in it, whatever else was found."""
    if file.refusal is not None:
        return FileSighting(file.found, *file.refusal, file.begins_as)
    return FileSighting(file.found, "waiting", NO_NAME, None) if file.first_record_hash is None else None


def most_readable(copies: Collection[InspectedFile], now: datetime, quiet: timedelta) -> InspectedFile:
    """Of the longest copies one that is complete, if there is any, with the node that any copy tells."""
    longest = max(one.size for one in copies)
    best = min(
        (one for one in copies if one.size == longest),
        key=lambda one: (-readable_until(one, now, quiet), one.codec != "plain", one.found.path),
    )
    return of_node(best, next((one for one in shared_copies_first(copies) if has_known_writer(one)), best))


def shared_copies_first(copies: Iterable[InspectedFile]) -> list[InspectedFile]:
    """A copy that shows several nodes before those that show one of them."""
    return sorted(copies, key=lambda one: not one.is_shared)


def has_known_writer(file: InspectedFile) -> bool:
    """Whether its lines or its path tell who wrote it."""
    return file.is_shared or file.node_id is not None


def readable_until(file: InspectedFile, now: datetime, quiet: timedelta) -> int:
    """Where reading stops: the end of a complete file, else the start of its last record."""
    is_quiet = now - file.found.modified_at >= quiet
    is_written = (
        file.ends_with_newline and file.tail_logged_at is not None and now - file.tail_logged_at >= quiet
    )
    if file.codec != "plain" or is_quiet or is_written:
        return file.size
    return file.tail_start or 0


def next_segment(
    file: InspectedFile, matching: list[KnownFile], taken: Collection[str], limit: int, load_seq: int
) -> Segment | None:
    """What has come since. The last segment anew, if what was its last record goes on; the whole file anew, if
    it is now known to be another node's or in another envelope than it was read as. What had been read twice,
    because the longer content was not at hand, goes."""
    newest = matching[0] if matching else None
    if newest is None:
        return Segment(file, unique_file_id(file, limit, taken), load_seq, 0, limit) if limit else None
    others = tuple(one for known in matching[1:] for one in known.load_seqs)
    file = of_node(file, newest) if newest.is_shared or not has_known_writer(file) else file
    is_grown = limit > newest.consumed_bytes
    is_other = (file.log, file.envelope) != (newest.log, newest.envelope)
    is_other_node = (file.node_id, file.is_shared) != (newest.node_id, bool(newest.is_shared))
    if limit >= newest.consumed_bytes and (is_other_node or (is_grown and is_other)):
        file_id = newest.file_id if file.node_id == newest.node_id else unique_file_id(file, limit, taken)
        return Segment(file, file_id, load_seq, 0, limit, (*newest.load_seqs, *others))
    if not is_grown:
        return None
    if newest.consumed_bytes in file.starts:
        return Segment(file, newest.file_id, load_seq, newest.consumed_bytes, limit, others)
    return Segment(file, newest.file_id, load_seq, newest.start_offset, limit, (newest.load_seq, *others))


def unique_file_id(file: InspectedFile, limit: int, taken: Collection[str]) -> str:
    """Name of a content within its cluster: by node and beginning. Of several that begin alike those that come
    later are told apart by what is read of them first."""
    text = f"{file.cluster_id}|{file.node_id}|{file.first_record_hash}"
    for number in count():
        told_apart = f"|{file.hashes[limit]}|{number}" if number else ""
        file_id = hashlib.sha256((text + told_apart).encode()).hexdigest()[:16]
        if file_id not in taken:
            break
    return file_id


def copy_sighting(
    one: InspectedFile, file: InspectedFile, limit: int, file_id: str | None, segment: Segment | None
) -> FileSighting:
    """What became of one of the copies, of which `file` stands for all. held_back: looked at again although
    nothing changes, until its last record has been quiet."""
    is_file = one.found == file.found
    broken = BREAKS_OFF.format(one.size, one.breaks_off) if is_file and one.breaks_off else None
    if file_id is None:
        return FileSighting(one.found, "waiting", ONE_RECORD, None)
    if one.size > limit:
        return FileSighting(one.found, "held_back", None, file_id)
    if is_file and segment is not None:
        return FileSighting(one.found, "read", broken, file_id)
    return FileSighting(one.found, "known", broken if is_file else A_COPY, file_id)
