"""What identifies the content of a growing text file: the name of its beginning, and hashes of its beginnings."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from pipeline.core.starts import START_BYTES

LOOK_AHEAD = START_BYTES
ENDING_BYTES = 256 << 10


@dataclass
class Fingerprint:
    """Facts of one pass over a file. Offsets in bytes of the uncompressed content.

    tail_start: where the last record starts. hashes: SHA-256 of the first n bytes, by n.
    first_head, tail_head: up to 4,096 bytes of the first and of the last record.
    starts: of the asked offsets those at which a record starts (or the file ends). ending: its last
    ENDING_BYTES, from the first line on that begins in them.
    """

    size: int = 0
    first_start: int | None = None
    tail_start: int | None = None
    first_head: bytes = b""
    tail_head: bytes = b""
    ends_with_newline: bool = False
    hashes: dict[int, str] = field(default_factory=dict)
    starts: set[int] = field(default_factory=set)
    ending: bytes = b""


def first_line_hash(head: bytes, start_pattern: re.Pattern[bytes], most: int) -> str | None:
    """SHA-256 of a content up to the end of its first record's first line; None until that line has ended.

    No growth changes it, and no look that came earlier or later. head: the beginning of the content; what is
    `most` bytes long and holds no such end is named by all of it.
    """
    starts = record_starts(head, len(head), start_pattern, at_line_start=True, limit=1)
    end = next_line(head, starts[0]) if starts else len(head)
    if (not starts or head[end - 1 : end] != b"\n") and len(head) < most:
        return None
    return hashlib.sha256(head[:end]).hexdigest()


def take_fingerprint(
    stream: BinaryIO,
    start_pattern: re.Pattern[bytes],
    offsets: Iterable[int] = (),
    until: int | None = None,
    block_bytes: int = 1 << 20,
) -> Fingerprint:
    """One sequential pass in bounded memory.

    start_pattern: what the first line of a record begins with (within 4,096 bytes).
    offsets: beginnings whose hash is wanted, besides the whole file and everything before the last record.
    until: as many bytes of a file are looked at that may have grown since it was listed.
    """
    seen = Fingerprint()
    wanted = sorted(set(offsets))
    whole, before_tail = hashlib.sha256(), hashlib.sha256()
    buffer, base, at_line_start, is_end = b"", 0, True, False
    while not is_end:
        position = base + len(buffer)
        block = stream.read(block_bytes if until is None else min(block_bytes, until - position))
        is_end = not block
        buffer += block
        seen.ending = (seen.ending + block)[-ENDING_BYTES:]
        ready = len(buffer) if is_end else max(len(buffer) - LOOK_AHEAD, 0)
        limit = 1 if seen.first_start is None else 0
        starts = record_starts(buffer, ready, start_pattern, at_line_start=at_line_start, limit=limit)
        cuts = [base + start for start in starts]
        note_starts(seen, cuts, buffer, base)
        here = [offset for offset in wanted if base <= offset <= base + ready]
        seen.starts.update(
            offset
            for offset in here
            if is_start(buffer, offset - base, start_pattern, at_line_start=at_line_start)
        )
        before_tail = (
            hash_up_to(whole, buffer[:ready], base, here, cuts[-1] if cuts else None, seen) or before_tail
        )
        at_line_start = buffer[ready - 1 : ready] == b"\n" if ready else at_line_start
        seen.ends_with_newline = at_line_start and base + ready > 0
        base, buffer = base + ready, buffer[ready:]
    seen.size = base
    seen.ending = seen.ending if len(seen.ending) == base else seen.ending[next_line(seen.ending, 0) :]
    seen.hashes[seen.size] = whole.hexdigest()
    if seen.tail_start is not None:
        seen.hashes[seen.tail_start] = before_tail.hexdigest()
    seen.starts.update(offset for offset in wanted if offset == seen.size)
    return seen


def note_starts(seen: Fingerprint, cuts: list[int], buffer: bytes, base: int) -> None:
    """The first record and the last one seen so far, with their beginnings."""
    if not cuts:
        return
    if seen.first_start is None:
        seen.first_start = cuts[0]
        seen.first_head = buffer[cuts[0] - base : cuts[0] - base + LOOK_AHEAD]
    seen.tail_start = cuts[-1]
    seen.tail_head = buffer[cuts[-1] - base : cuts[-1] - base + LOOK_AHEAD]


def record_starts(
    buffer: bytes, ready: int, pattern: re.Pattern[bytes], *, at_line_start: bool, limit: int
) -> list[int]:
    """Starts before `ready`: the first `limit` ones, and always the last one."""
    found: list[int] = []
    position = 0 if at_line_start else next_line(buffer, 0)
    while limit and position < ready and len(found) < limit:
        if pattern.match(buffer, position, position + START_BYTES):
            found.append(position)
        position = next_line(buffer, position)
    end = ready
    while end > 0:
        newline = buffer.rfind(b"\n", 0, end)
        line = newline + 1
        if line < ready and (line > 0 or at_line_start) and pattern.match(buffer, line, line + START_BYTES):
            found.append(line)
            break
        end = newline
    return sorted(set(found))


def next_line(buffer: bytes, position: int) -> int:
    newline = buffer.find(b"\n", position)
    return len(buffer) if newline < 0 else newline + 1


def is_start(buffer: bytes, position: int, pattern: re.Pattern[bytes], *, at_line_start: bool) -> bool:
    after_newline = at_line_start if position == 0 else buffer[position - 1 : position] == b"\n"
    return after_newline and pattern.match(buffer, position, position + START_BYTES) is not None


def hash_up_to(
    whole: "hashlib._Hash", ready: bytes, base: int, offsets: list[int], tail: int | None, seen: Fingerprint
) -> "hashlib._Hash | None":
    """Feeds the hash and notes it at the asked offsets. The state before the tail, if the tail starts here."""
    done, before_tail = base, None
    for cut in sorted({*offsets, *([tail] if tail is not None else [])}):
        whole.update(ready[done - base : cut - base])
        done = cut
        if cut in offsets:
            seen.hashes[cut] = whole.hexdigest()
        if cut == tail:
            before_tail = whole.copy()
    whole.update(ready[done - base :])
    return before_tail
