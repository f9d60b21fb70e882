"""The loading of a cluster night by night, in memory: planner, looks and bookkeeping as in the jobs, no Spark."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from io import BytesIO
from typing import Any

from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.probe_plan import plan_files
from jobs.engine.intake.segments import is_file_changed
from jobs.engine.run.request import new_sightings
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from pipeline.bronze.planning import Plan
from pipeline.core.broken_off import ENDS_EARLY
from pipeline.core.contents import InspectedFile, KnownFile
from pipeline.core.files import Listed
from pipeline.core.fingerprint import Fingerprint, first_line_hash, take_fingerprint
from pipeline.kafka.layout.envelope import built_in_envelopes
from pipeline.kafka.layout.paths import locate_path
from pipeline.kafka.reading.sniff import HEAD_BYTES
from tests.life.disk import Stored, node_of_path
from tests.life.writers import node_in

QUIET = timedelta(seconds=60)
PATTERN = built_in_envelopes()["stock"].start_pattern


@dataclass(frozen=True)
class Read:
    """A segment with the bytes that were read."""

    known: KnownFile
    data: bytes


@dataclass
class Nights:
    """What a cluster's tables hold: segments by load_seq, and the newest sighting of each path."""

    segments: dict[int, Read] = field(default_factory=dict)
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)
    last_seq: int = 0

    def run(self, files: Mapping[str, Stored], now: datetime) -> Plan:
        candidates = [candidate(path, files[path]) for path in sorted(files)]
        changed = [
            one
            for one in candidates
            if is_file_changed(one, self.seen.get(one.listed.path), no_other, is_server_read=False)
        ]

        def look(some: Sequence[Candidate], offsets: Mapping[str, frozenset[int]]) -> list[InspectedFile]:
            return [looked(one, files[one.listed.path], offsets) for one in some]

        contents = {name: data for name, (_, data) in self.contents().items()}

        def is_read(file: InspectedFile, one: KnownFile) -> bool:
            return contents[one.file_id].startswith(files[file.found.path].good)

        known = self.known()
        used = {one["file_id"] for one in self.seen.values() if one["file_id"]}
        planned = plan_files(look, candidates, changed, known, self.seen, now, QUIET, used, is_read)
        planned = Plan(planned.segments, tuple(new_sightings(planned, self.seen)))
        self.load(planned, files)
        for one in planned.sightings:
            self.seen[one.found.path] = {
                "size_bytes": one.found.size_bytes,
                "modified_at": one.found.modified_at,
                "state": one.state,
                "sentence": one.sentence,
                "file_id": one.file_id,
            }
        return planned

    def load(self, planned: Plan, files: Mapping[str, Stored]) -> None:
        for one in planned.segments:
            for load_seq in one.reopens:
                del self.segments[load_seq]
        for one in planned.segments:
            file = one.looked
            known = KnownFile(
                one.file_id, file.node_id, file.log, file.envelope, file.zone, file.found.path, str(file.first_record_hash),
                one.start_offset, one.limit, file.hashes[one.limit], one.load_seq, (),
            )  # fmt: skip
            assert one.load_seq > self.last_seq
            self.last_seq = one.load_seq
            self.segments[one.load_seq] = Read(
                known, files[file.found.path].good[one.start_offset : one.limit]
            )

    def by_file(self) -> dict[str, list[Read]]:
        found: dict[str, list[Read]] = defaultdict(list)
        for _, read in sorted(self.segments.items()):
            found[read.known.file_id].append(read)
        return found

    def known(self) -> list[KnownFile]:
        return [
            KnownFile(**vars(reads[-1].known) | {"load_seqs": tuple(one.known.load_seq for one in reads)})
            for reads in self.by_file().values()
        ]

    def contents(self) -> dict[str, tuple[int | None, bytes]]:
        """By file_id the node and all bytes read. AssertionError: they overlap, or some between are missing."""
        found = {}
        for file_id, reads in self.by_file().items():
            data = b""
            for one in sorted(reads, key=lambda one: one.known.start_offset):
                assert one.known.start_offset == len(data), "segments tile the file"
                data += one.data
                assert one.known.consumed_bytes == len(data), "a segment is read whole"
                assert one.known.consumed_hash == hashlib.sha256(data).hexdigest(), (
                    "of the content it was planned for"
                )
            assert len({one.known.node_id for one in reads}) == 1, "a file is of one node"
            found[file_id] = (reads[-1].known.node_id, data)
        return found


def no_other(_: Candidate) -> str:
    return ""


@cache
def settings() -> Settings:
    return load_settings(None, {"cluster": "c"}, {}, None)


def candidate(path: str, stored: Stored) -> Candidate:
    return Candidate(Listed(path, path, len(stored.bytes), stored.modified_at), located(path))


located = lru_cache(100_000)(locate_path)


def looked(one: Candidate, stored: Stored, offsets: Mapping[str, frozenset[int]]) -> InspectedFile:
    """As jobs.engine.intake.file_probe says it of the content, in the stock envelope."""
    content, name = stored.good, named(stored.good)
    if stored.is_half and name is None:
        return InspectedFile(one.listed, "c", refusal=("unreadable", "end of archive"))
    if not content:
        return InspectedFile(one.listed, "c", refusal=("waiting", "the file is empty"))
    wanted = frozenset(offset for offset in offsets.get(name or "", ()) if offset <= len(content))
    seen = printed(content, wanted)
    in_content = node_in(content)
    return InspectedFile(
        one.listed, "c", node_of_path(one.listed.path) if in_content is None else in_content, "controller",
        stored.codec, "stock", "UTC", seen.size, name, 0 if seen.tail_start == seen.first_start else seen.tail_start, seen.ends_with_newline,
        time_of(seen.tail_head), seen.hashes, frozenset(seen.starts), first_logged_at=time_of(seen.first_head),
        breaks_off=ENDS_EARLY if stored.is_half else None,
    )  # fmt: skip


@lru_cache(100_000)
def named(content: bytes) -> str | None:
    return first_line_hash(content[:HEAD_BYTES], PATTERN, HEAD_BYTES)


@lru_cache(100_000)
def printed(content: bytes, offsets: frozenset[int]) -> Fingerprint:
    return take_fingerprint(BytesIO(content), PATTERN, offsets)


def time_of(head: bytes) -> datetime | None:
    return datetime.fromisoformat(head[1:24].decode().replace(",", ".")).replace(tzinfo=UTC) if head else None
