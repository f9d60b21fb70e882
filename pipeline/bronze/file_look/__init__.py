"""A look into a file: what it is, and what identifies its content."""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from io import BufferedReader, BytesIO
from typing import Any, cast

import numpy as np
import pyarrow as pa

from pipeline.core.archives import is_tar, is_zip, names_in_zip
from pipeline.core.broken_off import BrokenOff
from pipeline.core.fingerprint import Fingerprint, take_fingerprint
from pipeline.core.masking import select_records
from pipeline.core.opening import open_by_content, open_input
from pipeline.core.scan import ScannedRecords, concat_records, scan_records
from pipeline.core.streams import bounded_stream
from pipeline.kafka.layout.envelope import Envelope, built_in_envelopes
from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.other_layout import text_by_other_layout
from pipeline.kafka.reading.prefixes import is_behind_prefix, is_excerpt
from pipeline.kafka.reading.sniff import (
    HEAD_BYTES,
    Sniff,
    content_name,
    has_named_writers,
    kind_of,
    sniff_head,
    sniff_stream,
    with_writers,
)
from pipeline.kafka.reading.unread import unread_file_sentence

ARCHIVE = "an archive of several files: unpack it (incident reads it as it is)"
NAME_OF_LOG = re.compile(r"\.log(?:[.-][^/]*)?$")
MOST_NAMES = 20_000
FIRST = np.zeros(1, np.int64)
# The time that a record prints, in the zone of its broker, and in UTC where the record tells it.
RecordTimes = tuple[datetime | None, datetime | None]
NO_TIMES: RecordTimes = (None, None)
UNREADABLE = (OSError, EOFError, zlib.error, pa.ArrowException)


@dataclass(frozen=True)
class Wanted:
    """By name of a content the beginnings whose hash is asked for. masking: as content_name takes it."""

    offsets: Mapping[str, frozenset[int]] = field(default_factory=dict)
    masking: Masking | None = None


def inspect_file(
    path: str,
    log: str | None,
    envelope: str | None,
    wanted: Wanted,
    *,
    is_server_read: bool,
    stored_bytes: int,
    max_file_bytes: int,
    max_ratio: int,
    max_record_bytes: int,
    good: int | None = None,
) -> dict[str, Any]:
    """log: as the path says it; envelope: as conf gives it; stored_bytes: the size that was listed, what came later
    to a plain file is not seen. What cannot be read whole has the nodes and the name that its beginning tells.
    is_told_apart: whether its lines name which of these nodes wrote them. looks_like: of what looks like Kafka's and is
    not to be read how it begins. breaks_off: why of a compressed file no more was seen than its beginning, which is as
    it was written: `good` bytes of it, unpacked, which a first look finds."""
    codec = None
    try:
        codec, stream = open_by_content(path)
        until = stored_bytes if codec == "plain" else good
        with stream:
            found, head = sniff_stream(stream, envelope, log, most=max_record_bytes, until=until)
            if codec != "plain" and good is None and len(head) < HEAD_BYTES:
                stream.read(1)  # whether it ends here, or breaks off
        if said := is_archive(path, codec, head):
            return readable_file_row(path, codec, Sniff(None, None, frozenset()), None, Fingerprint()) | {
                "problem": said
            }
        kind, passed = kind_to_read(found, head, log, envelope, wanted, is_server_read=is_server_read)
        if passed is not None or found.envelope is None:
            return readable_file_row(path, codec, found, kind, Fingerprint()) | (passed or {})
        start = built_in_envelopes()[found.envelope].any_start_pattern
        name = content_name(head, found.envelope, wanted.masking)
        with open_input(path, codec) as stream:
            whole = bounded_stream(stream, codec, stored_bytes, max_ratio, max_file_bytes)
            seen = take_fingerprint(whole, start, wanted.offsets.get(name or "", ()), until)
        both = found if seen.ending == head else with_writers(found, seen.ending)
        is_apart = len(both.node_ids) < 2 or has_named_writers(found, head, seen.ending)
        return readable_file_row(path, codec, both, kind, seen, name) | {"is_told_apart": is_apart}
    except UNREADABLE as error:
        if isinstance(error, BrokenOff) and error.good and good is None:
            limits = {"stored_bytes": stored_bytes, "max_file_bytes": max_file_bytes, "max_ratio": max_ratio}
            limits |= {"max_record_bytes": max_record_bytes, "good": error.good}
            seen_good = inspect_file(path, log, envelope, wanted, is_server_read=is_server_read, **limits)
            if seen_good["first_record_hash"] is not None:
                return seen_good | {"breaks_off": str(error)}
        return unreadable_file_row(path, codec, envelope, wanted, error)


def kind_to_read(
    found: Sniff, head: bytes, log: str | None, envelope: str | None, wanted: Wanted, *, is_server_read: bool
) -> tuple[str | None, dict[str, Any] | None]:
    """The kind of log; of what is not to be read the columns that say so, else None."""
    kind = kind_of(found, log)
    detected = found.envelope if envelope is None and found.envelope is not None else ""
    is_masked, is_other = wanted.masking is not None, is_excerpt(detected)
    if is_masked and is_behind_prefix(detected) and not is_other:
        kind = None
    if found.envelope is None or kind is None or is_other:
        return kind, {"looks_like": unread_file_sentence(head, found.envelope, is_masked=is_masked)}
    return kind, {} if kind == "server" and not is_server_read else None


def unreadable_file_row(
    path: str, codec: str | None, envelope: str | None, wanted: Wanted, error: Exception
) -> dict[str, Any]:
    """What a look says of what cannot be read: whose it is, and its name, as far as its beginning tells."""
    head = read_beginning(path, codec)
    begun = sniff_head(head, envelope)
    name = content_name(head, begun.envelope, wanted.masking) if begun.envelope else None
    nothing = readable_file_row(path, codec, Sniff(None, None, begun.node_ids), None, Fingerprint(), name)
    is_missing = isinstance(error, FileNotFoundError)
    return nothing | {"problem": f"{error}"[:300] or type(error).__name__, "is_missing": is_missing}


def is_archive(path: str, codec: str, head: bytes) -> str | None:
    """Why a tar is not read, however packed, nor a zip that has logs: a jar has none."""
    names = names_in_zip(path, MOST_NAMES) if codec == "plain" and is_zip(head) else []
    return ARCHIVE if is_tar(head) or any(map(NAME_OF_LOG.search, names)) else None


def read_beginning(path: str, codec: str | None) -> bytes:
    """Of the first HEAD_BYTES of a file that breaks off what can be unpacked."""
    head = b""
    if codec is None:
        return head
    try:
        with open_input(path, codec) as stream:
            read = stream.read if codec == "plain" else cast(BufferedReader, stream).read1
            while len(head) < HEAD_BYTES and (block := read(HEAD_BYTES - len(head))):
                head += block
    except UNREADABLE:
        return head
    return head


def readable_file_row(
    path: str,
    codec: str | None,
    found: Sniff,
    log: str | None,
    seen: Fingerprint,
    name: str | None = None,
) -> dict[str, Any]:
    first, tail = times_of((seen.first_head, seen.tail_head), found.envelope)
    return {
        "path": path,
        "problem": None,
        "is_missing": False,
        "codec": codec,
        "envelope": found.envelope,
        "log": log,
        "is_kraft": found.is_kraft,
        "node_ids": sorted(found.node_ids),
        "is_told_apart": True,
        "size": seen.size,
        "first_record_hash": name,
        "tail_start": 0 if seen.tail_start == seen.first_start else seen.tail_start,
        "ends_with_newline": seen.ends_with_newline,
        "first_logged_local": first[0],
        "tail_logged_local": tail[0],
        "first_logged_at": first[1],
        "tail_logged_at": tail[1],
        "hashes": list(seen.hashes.items()),
        "starts": sorted(seen.starts),
        "looks_like": None,
        "breaks_off": None,
    }


def times_of(heads: Sequence[bytes], envelope: str | None) -> list[RecordTimes]:
    """By head the times of the record that it begins with, read together: what a call costs is most of it."""
    if envelope is None or not any(heads):
        return [NO_TIMES] * len(heads)
    own = built_in_envelopes()[envelope]
    begun = [next(_records_of(head, own)) for head in heads if head]
    text = text_by_other_layout(concat_records([select_records(one, FIRST) for one in begun]), own)
    local = text.logged_local.to_pylist()
    instants = [None] * len(local) if text.instant is None else text.instant.to_pylist()
    times = iter(zip(local, instants, strict=True))
    return [next(times) if head else NO_TIMES for head in heads]


def _records_of(head: bytes, own: Envelope) -> Iterator[ScannedRecords]:
    return scan_records(
        BytesIO(head), 0, len(head), len(head), own.start, other=own.other_start, owns_preamble=True
    )
