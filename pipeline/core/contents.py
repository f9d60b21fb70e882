"""Which paths hold the same content of a growing file, and which content was read before."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pipeline.core.files import Listed


@dataclass(frozen=True)
class InspectedFile:
    """One path as looked into; offsets and hashes as in core.fingerprint, in uncompressed bytes.

    tail_start: where the last record starts; 0 as long as it is the first: what stands before may be part of it.
    refusal: a state of bronze.file_sighting with its sentence, where the file is not to be read.
    file_id: of an unchanged file, looked into as a witness only, what it was found to be a beginning of.
    begins_as: of a file that cannot be read, the file_id that its first record gives.
    first_logged_at: the time of the first record, null where nothing tells. stored_path: as tables name it, where that
    is not the path itself (masking). is_shared: several nodes wrote it, so node_id is none. breaks_off: why what is
    compressed has no more than `size` bytes.
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
    tail_start: int | None = None
    ends_with_newline: bool = False
    tail_logged_at: datetime | None = None
    hashes: dict[int, str] = field(default_factory=dict)
    starts: frozenset[int] = frozenset()
    refusal: tuple[str, str] | None = None
    begins_as: str | None = None
    file_id: str | None = None
    first_logged_at: datetime | None = None
    stored_path: str | None = None
    is_shared: bool = False
    beginning_of: str | None = None
    breaks_off: str | None = None

    @property
    def place(self) -> str:
        return rotation_base_path(self.stored_path or self.found.path)


@dataclass(frozen=True)
class KnownFile:
    """A file that was read before: its newest segment, and the load_seq of each of its segments."""

    file_id: str
    node_id: int | None
    log: str
    envelope: str
    zone: str
    path: str
    first_record_hash: str
    start_offset: int
    consumed_bytes: int
    consumed_hash: str
    load_seq: int
    load_seqs: tuple[int, ...]
    is_shared: bool | None = False

    @property
    def place(self) -> str:
        return rotation_base_path(self.path)


def copies_of(files: Iterable[InspectedFile]) -> list[list[InspectedFile]]:
    """Files by content, the longest of each first: the others are its beginnings. Those that begin earlier come first,
    as they do where each night reads its own: of a record that two files hold the earlier file's counts."""
    found: dict[str | None, list[list[InspectedFile]]] = defaultdict(list)
    for file in sorted(files, key=copy_order):
        same = (one for one in found[file.first_record_hash] if is_beginning_of_copies(file, one))
        group = next(same, None)
        if group is None:
            found[file.first_record_hash].append([file])
        else:
            group.append(file)
    return sorted((one for groups in found.values() for one in groups), key=lambda one: in_time(one[0]))


def in_time(file: InspectedFile) -> tuple[datetime, tuple[int, str, bool, int, str]]:
    return file.first_logged_at or datetime.max.replace(tzinfo=UTC), copy_order(file)


def copy_order(file: InspectedFile) -> tuple[int, str, bool, int, str]:
    node_id = file.node_id
    return -file.size, file.hashes[file.size], node_id is None, node_id or 0, file.found.path


def is_beginning_of_copies(file: InspectedFile, group: Collection[InspectedFile]) -> bool:
    longest = next(iter(group))
    return longest.hashes.get(file.size) == file.hashes[file.size] and is_same_node(
        file.node_id, file.place, group
    )


def is_same_node(node_id: int | None, place: str, files: Collection[InspectedFile]) -> bool:
    """One of the two is not known, as a short file may not name its writer yet, or they are equal; or both were
    written at one place, of which the path named another node before the content did."""
    other = node_of(files)
    return node_id is None or other in (None, node_id) or any(one.place == place for one in files)


def rotation_base_path(path: str) -> str:
    """Where a log is written: its path without what rotation and compression add."""
    folder, slash, name = path.rpartition("/")
    return folder + slash + name.partition(".log")[0]


def node_of(files: Iterable[InspectedFile | KnownFile]) -> int | None:
    """The node that one of the copies tells, by what stands in it or by its path."""
    return next((one.node_id for one in files if one.node_id is not None), None)


def of_node(file: InspectedFile, teller: "InspectedFile | KnownFile") -> InspectedFile:
    """The file with the node or nodes, and so the zone, that another look or run has told."""
    return replace(file, node_id=teller.node_id, is_shared=bool(teller.is_shared), zone=teller.zone)


def newest_first(copies: Collection[InspectedFile], known: Iterable[KnownFile]) -> list[KnownFile]:
    """What was read before and is a beginning of this content, the longest first.

    A witness is a beginning of what it was found to be; one that is longer was found to be something that is known no
    more.
    """
    longest, node_id = next(iter(copies)), node_of(copies)
    longest_ones = [one for one in copies if one.size == longest.size]
    held = {name for one in longest_ones for name in (one.file_id, one.beginning_of) if name is not None}
    matching = [
        one
        for one in known
        if (
            longest.hashes.get(one.consumed_bytes) == one.consumed_hash
            or (one.file_id in held and longest.size <= one.consumed_bytes)
        )
        and is_same_node(one.node_id, one.place, copies)
    ]
    ordered = sorted(matching, key=lambda one: (-one.consumed_bytes, one.node_id != node_id, one.file_id))
    is_of_one = node_id is None and not any(one.is_shared for one in copies)
    return without_other_nodes(ordered, copies) if is_of_one else ordered


def without_other_nodes(matching: Sequence[KnownFile], copies: Collection[InspectedFile]) -> list[KnownFile]:
    """Where no copy tells its node, what was read of several nodes is not one file: that of the first stays."""
    node_id, places = node_of(matching), {one.place for one in copies}
    return [one for one in matching if one.node_id in (None, node_id) or one.place in places]
