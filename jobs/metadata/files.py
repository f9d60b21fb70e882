"""Finds the copies of the metadata log among files, and reads them; of a data directory nothing else is opened."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.metadata_bytes import NO_METADATA, node_of_copy
from jobs.settings.model import Settings
from jobs.text import human_bytes, printable_line
from pipeline.core.files import URI
from pipeline.core.opening import open_by_content
from pipeline.core.streams import Bounded, bounded_stream
from pipeline.kafka.metadata_log.batches import LARGEST_BATCH
from pipeline.kafka.metadata_log.dump import is_metadata_dump, read_metadata_dump
from pipeline.kafka.metadata_log.file_names import is_file_of_data, is_metadata_file
from pipeline.kafka.metadata_log.segment import MetadataPart, is_metadata_log, read_metadata_file
from pipeline.kafka.reading.masking import Masking
from pipeline.model.metadata.joining import NodeParts
from pipeline.model.metadata.same_log import SameLog

HEAD_BYTES = 16 << 10
BEGINS_A_DUMP = re.compile(rb"\s*(?:Dumping |baseOffset: |\| offset: |\| payload: |Log starting offset: )")
BEYOND_LIMIT = (
    "with it the copies hold more than {} (limits.incident_bytes): name fewer files or raise the limit"
)
BLOCK = 1 << 20


@dataclass
class MetadataCopies:
    """The copies of one cluster's log. `files`: path and part of each file, in the order of their paths; `refused`:
    path and why it is not read; `problems`: sentences about files that are not read to their end."""

    nodes: list[NodeParts] = field(default_factory=list)
    files: list[tuple[str, int | None, MetadataPart]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        return [
            f"{path}: {part.end.sentence} at byte {part.end.at:,}; what is behind is not read"
            for path, _, part in self.files
            if part.end is not None and part.end.kind == "damaged"
        ]


@dataclass(frozen=True)
class SplitCandidates:
    """`logs`: what may be a log of lines; `metadata`: copies of the metadata log and dumps of it. `unread`:
    files that are named and cannot be looked into, which stand among the logs, and why."""

    logs: list[Candidate]
    metadata: list[Candidate]
    unread: list[tuple[str, str]] = field(default_factory=list)


def split_candidates(candidates: Iterable[Candidate], named: Sequence[str] = ()) -> SplitCandidates:
    """By name; a dump, and a file that is `named` by its path, by how it begins."""
    asked = {str(Path(one).absolute()) for one in named}
    split = SplitCandidates([], [])
    for one in candidates:
        listed = one.listed
        is_metadata = False
        if listed.problem is None and not URI.match(listed.bytes_at):
            is_metadata = is_metadata_file(listed.path) or is_metadata_file(listed.relative)
            is_metadata = is_metadata or _begins_a_dump(one)
            if not is_metadata and listed.path in asked:
                try:
                    is_metadata = _begins_a_log(one)
                except (OSError, EOFError) as problem:
                    split.unread.append((listed.path, _reason_of(problem)))
        (split.metadata if is_metadata else split.logs).append(one)
    return split


def read_metadata_copies(candidates: Sequence[Candidate], settings: Settings) -> MetadataCopies:
    """All records of the copies, without secrets, masked as the settings say."""
    found, masking = MetadataCopies(), settings.masking.rules()
    by_node: dict[tuple[int | None, str], list[MetadataPart]] = {}
    same, left = SameLog(), settings.limits.incident_bytes
    for one in sorted(candidates, key=lambda each: each.listed.path):
        node_id, cluster_id, folder = node_of_copy(one)
        try:
            parts, left = _parts_of(one, settings, masking, left)
        except (OSError, EOFError) as problem:
            found.refused.append((one.listed.path, _reason_of(problem)))
            continue
        if parts is None:
            found.refused.append((one.listed.path, NO_METADATA))
            continue
        shown = one.listed.path if masking is None else masking.path(one.listed.path)
        if len(candidates) > 1 and (other := same.take_file(shown, cluster_id, parts)) is not None:
            found.refused.append((shown, other))
            continue
        found.files += [(printable_line(shown), node_id, part) for part in parts]
        by_node.setdefault((node_id, folder if node_id is None else ""), []).extend(parts)
    found.nodes = [NodeParts(node_id, parts) for (node_id, _), parts in by_node.items()]
    return found


def _reason_of(problem: OSError | EOFError) -> str:
    return str(problem)[:200] or type(problem).__name__


def _begins_a_dump(candidate: Candidate) -> bool:
    """Looks into a file alone that is no log by its name and not of a data directory."""
    if candidate.located.log is not None or is_file_of_data(candidate.listed.path):
        return False
    try:
        _, stream = open_by_content(candidate.listed.bytes_at)
        with stream:
            head = stream.read(HEAD_BYTES)
    except (OSError, EOFError):
        return False
    return _is_dump(head)


def _begins_a_log(candidate: Candidate) -> bool:
    """Of a file that somebody names: whether it is one of batches of records, of whatever topic. OSError, EOFError: it
    cannot be read so far."""
    with open_by_content(candidate.listed.bytes_at)[1] as stream:
        return is_metadata_log(np.frombuffer(stream.read(LARGEST_BATCH + HEAD_BYTES), np.uint8))


def _is_dump(head: bytes) -> bool:
    return bool(BEGINS_A_DUMP.match(head)) and is_metadata_dump(head.decode("utf-8", "replace"))


def _parts_of(
    one: Candidate, settings: Settings, masking: Masking | None, left: int
) -> tuple[list[MetadataPart] | None, int]:
    """None: it holds no metadata log, and nothing of it is told. left: so many bytes may be read of all copies; those
    that the next ones have are given back. OSError: it has more."""
    listed, limits = one.listed, settings.limits
    codec, stream = open_by_content(listed.bytes_at)
    with stream:
        stored = bounded_stream(stream, codec, listed.size_bytes, limits.max_ratio, limits.max_file_bytes)
        bounded = Bounded(stored, left, BEYOND_LIMIT.format(human_bytes(limits.incident_bytes)))
        if _begins_a_dump(one):
            return read_metadata_dump(_lines_of(bounded), masking), bounded.left
        if codec == "plain" and not listed.stored_at:
            data = np.memmap(listed.bytes_at, np.uint8, "r") if listed.size_bytes else np.empty(0, np.uint8)
            bounded.take(len(data))
        else:
            data = np.frombuffer(b"".join(iter(lambda: bounded.read(BLOCK), b"")), np.uint8)
    if not len(data):
        return [], left
    if not is_metadata_log(data):
        return None, left
    return [read_metadata_file(data, PurePosixPath(listed.path).name, masking)], bounded.left


def _lines_of(stream: Bounded) -> Iterable[bytes]:
    rest = b""
    while block := stream.read(BLOCK):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest
