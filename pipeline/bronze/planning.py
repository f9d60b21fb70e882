"""Which bytes of which files a run reads: decided from what was found and what was read before."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pipeline.core.files import Listed


@dataclass(frozen=True)
class Looked:
    """One path as looked into; offsets and hashes as in core.fingerprint, in uncompressed bytes.

    refusal: a state of bronze.file_sighting with its sentence, where the file is not to be read.
    """

    found: Listed
    cluster_id: str
    node_id: int | None = None
    log: str = "mixed"
    codec: str = "plain"
    envelope: str = ""
    zone: str = "UTC"
    size: int = 0
    first_record_hash: str | None = None
    only_record_hash: str | None = None
    tail_start: int | None = None
    ends_with_newline: bool = False
    tail_logged_at: datetime | None = None
    hashes: dict[int, str] = field(default_factory=dict)
    starts: frozenset[int] = frozenset()
    refusal: tuple[str, str] | None = None


@dataclass(frozen=True)
class Known:
    """The newest segment of a file that was read before."""

    file_id: str
    node_id: int | None
    log: str
    first_record_hash: str
    start_offset: int
    consumed_bytes: int
    consumed_hash: str
    load_seq: int


@dataclass(frozen=True)
class Segment:
    """Bytes that this run reads; reopens: the segment that they replace, because its last record was longer."""

    looked: Looked
    file_id: str
    load_seq: int
    start_offset: int
    limit: int
    is_last_held_back: bool
    first_record_hash: str
    reopens: int | None = None


@dataclass(frozen=True)
class Sighting:
    found: Listed
    state: str
    sentence: str | None
    file_id: str | None


@dataclass(frozen=True)
class Plan:
    segments: tuple[Segment, ...]
    sightings: tuple[Sighting, ...]


def plan(
    looked: Iterable[Looked], known: Iterable[Known], next_load_seq: int, now: datetime, quiet: timedelta
) -> Plan:
    """Segments to read and sightings to note, in order of path.

    A file whose beginning has the hash of what was consumed is the same file, whatever its name:
    unchanged, grown, renamed, gzipped or copied. Any other hash is another file. Of several paths
    with the same content the longest is read. The last record of a file that may still grow is held back.
    """
    by_name: dict[str, list[Known]] = defaultdict(list)
    for one in known:
        by_name[one.first_record_hash].append(one)
    read: dict[str, list[tuple[Looked, str]]] = defaultdict(list)
    segments: list[Segment] = []
    sightings: list[Sighting] = []
    for file in sorted(looked, key=lambda one: (-one.size, one.found.path)):
        if file.refusal is not None:
            sightings.append(Sighting(file.found, *file.refusal, None))
            continue
        limit = readable_until(file, now, quiet)
        name = name_of(file, limit)
        if name is None:
            sentence = "no second record has begun yet: the file is read once it has, or has been quiet"
            sightings.append(Sighting(file.found, "waiting", sentence, None))
            continue
        longer = next((file_id for one, file_id in read[name] if is_beginning(file, one)), None)
        if longer is not None:
            sightings.append(Sighting(file.found, "known", "the beginning of a longer copy", longer))
            continue
        same_name = [one for one in by_name[name] if is_same_node(one.node_id, file.node_id)]
        match = newest_match(file, same_name)
        if match is None:
            file_id = identity(file, name, len({one.file_id for one in same_name}))
            segment = new_segment(file, file_id, name, 0, limit, next_load_seq)
        else:
            file_id = match.file_id
            named = replace(file, node_id=match.node_id if file.node_id is None else file.node_id)
            segment = following(named, match, limit, next_load_seq)
        read[name].append((file, file_id))
        if segment is not None:
            next_load_seq += 1
            segments.append(segment)
            by_name[name].append(as_known(segment))
        sightings.append(Sighting(file.found, state_of(file, segment, limit), None, file_id))
    return Plan(
        tuple(sorted(segments, key=lambda one: one.load_seq)),
        tuple(sorted(sightings, key=lambda one: one.found.path)),
    )


def is_beginning(file: Looked, longer: Looked) -> bool:
    """The longer file of this run begins with all of this one: a copy made earlier."""
    return (
        is_same_node(file.node_id, longer.node_id) and longer.hashes.get(file.size) == file.hashes[file.size]
    )


def is_same_node(one: int | None, other: int | None) -> bool:
    """Equal, or one of them is not known: a short file may not name its writer yet."""
    return one is None or other is None or one == other


def state_of(file: Looked, segment: Segment | None, limit: int) -> str:
    """held_back: looked at again although nothing changes, until its last record has been quiet."""
    if limit < file.size:
        return "held_back"
    return "known" if segment is None else "read"


def readable_until(file: Looked, now: datetime, quiet: timedelta) -> int:
    """Where reading stops: the end of a complete file, else the start of its last record."""
    is_quiet = now - file.found.modified_at >= quiet
    is_written = (
        file.ends_with_newline and file.tail_logged_at is not None and now - file.tail_logged_at >= quiet
    )
    if file.codec != "plain" or is_quiet or is_written:
        return file.size
    return file.tail_start or 0


def name_of(file: Looked, limit: int) -> str | None:
    """Hash of the first record, fixed once a second one has begun or the file is complete."""
    if file.first_record_hash is not None:
        return file.first_record_hash
    return file.only_record_hash if limit == file.size else None


def identity(file: Looked, name: str, ordinal: int) -> str:
    """Name of a content within its cluster; ordinal tells apart files that begin alike and then differ."""
    text = f"{file.cluster_id}|{file.node_id}|{file.log}|{name}|{ordinal}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def newest_match(file: Looked, candidates: Sequence[Known]) -> Known | None:
    """Of what was read under that name the longest stretch that this file begins with."""
    matching = [one for one in candidates if file.hashes.get(one.consumed_bytes) == one.consumed_hash]
    return max(matching, key=lambda one: one.consumed_bytes, default=None)


def following(file: Looked, known: Known, limit: int, load_seq: int) -> Segment | None:
    """What has come since; the last segment anew, if what was its last record goes on."""
    if limit <= known.consumed_bytes:
        return None
    if known.consumed_bytes in file.starts:
        name = known.first_record_hash
        return new_segment(file, known.file_id, name, known.consumed_bytes, limit, load_seq)
    return new_segment(
        file, known.file_id, known.first_record_hash, known.start_offset, limit, load_seq, known.load_seq
    )


def new_segment(
    file: Looked, file_id: str, name: str, start: int, limit: int, load_seq: int, reopens: int | None = None
) -> Segment | None:
    if limit <= start:
        return None
    return Segment(file, file_id, load_seq, start, limit, limit < file.size, name, reopens)


def as_known(segment: Segment) -> Known:
    file = segment.looked
    return Known(
        segment.file_id,
        file.node_id,
        file.log,
        segment.first_record_hash,
        segment.start_offset,
        segment.limit,
        file.hashes[segment.limit],
        segment.load_seq,
    )


def offsets_to_hash(paths_by_name: dict[str, list[Looked]]) -> dict[str, frozenset[int]]:
    """By path the beginnings whose hash tells copies of different length from files that only begin alike."""
    wanted: dict[str, frozenset[int]] = {}
    for files in paths_by_name.values():
        sizes = {one.size for one in files} | {one.tail_start for one in files if one.tail_start}
        if len(files) > 1 and len({one.size for one in files}) > 1:
            wanted |= {one.found.path: frozenset(size for size in sizes if size <= one.size) for one in files}
    return wanted
