"""What identifies the content of a growing text file: its first record, and hashes of its beginnings."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

HEAD_BYTES = 65536
LOOK_AHEAD = 4096


@dataclass
class Fingerprint:
    """Facts of one pass over a file. Offsets in bytes of the uncompressed content.

    first_record_hash: SHA-256 of the first record (its first 64 KiB); None until a second one has begun.
    only_record_hash: the same for a file that holds a single record so far.
    tail_start: where the last record starts. hashes: SHA-256 of the first n bytes, by n.
    first_head, tail_head: up to 4,096 bytes of these two records.
    starts: of the asked offsets those at which a record starts (or the file ends).
    """

    size: int = 0
    first_start: int | None = None
    second_start: int | None = None
    tail_start: int | None = None
    first_head: bytes = b""
    tail_head: bytes = b""
    ends_with_newline: bool = False
    first_record_hash: str | None = None
    only_record_hash: str | None = None
    hashes: dict[int, str] = field(default_factory=dict)
    starts: set[int] = field(default_factory=set)


def fingerprint(
    stream: BinaryIO,
    start_pattern: re.Pattern[bytes],
    offsets: Iterable[int] = (),
    block_bytes: int = 1 << 20,
) -> Fingerprint:
    """One sequential pass in bounded memory.

    start_pattern: what the first line of a record begins with (within 4,096 bytes).
    offsets: beginnings whose hash is wanted, besides the whole file and everything before the last record.
    """
    seen = Fingerprint()
    wanted = sorted(set(offsets))
    whole, before_tail = hashlib.sha256(), hashlib.sha256()
    head = bytearray()
    buffer, base, at_line_start, is_end = b"", 0, True, False
    while not is_end:
        block = stream.read(block_bytes)
        is_end = not block
        buffer += block
        ready = len(buffer) if is_end else max(len(buffer) - LOOK_AHEAD, 0)
        starts = record_starts(
            buffer,
            ready,
            start_pattern,
            at_line_start=at_line_start,
            limit=2 if seen.second_start is None else 0,
        )
        cuts = [base + start for start in starts]
        note_starts(seen, cuts, buffer, base)
        if seen.first_start is not None and len(head) < HEAD_BYTES:
            head += buffer[
                max(seen.first_start + len(head) - base, 0) : min(ready, seen.first_start + HEAD_BYTES - base)
            ]
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
    finish(seen, head, whole, before_tail)
    seen.starts.update(offset for offset in wanted if offset == seen.size)
    return seen


def note_starts(seen: Fingerprint, cuts: list[int], buffer: bytes, base: int) -> None:
    """The first two records and the last one seen so far, with the beginnings of the first and the last."""
    for cut in cuts[:2]:
        if seen.first_start is None:
            seen.first_start = cut
            seen.first_head = buffer[cut - base : cut - base + LOOK_AHEAD]
        elif seen.second_start is None and cut > seen.first_start:
            seen.second_start = cut
    if cuts:
        seen.tail_start = cuts[-1]
        seen.tail_head = buffer[cuts[-1] - base : cuts[-1] - base + LOOK_AHEAD]


def record_starts(
    buffer: bytes, ready: int, pattern: re.Pattern[bytes], *, at_line_start: bool, limit: int
) -> list[int]:
    """Starts before `ready`: the first `limit` ones, and always the last one."""
    found: list[int] = []
    position = 0 if at_line_start else next_line(buffer, 0)
    while limit and position < ready and len(found) < limit:
        if pattern.match(buffer, position):
            found.append(position)
        position = next_line(buffer, position)
    end = ready
    while end > 0:
        newline = buffer.rfind(b"\n", 0, end)
        line = newline + 1
        if line < ready and (line > 0 or at_line_start) and pattern.match(buffer, line):
            found.append(line)
            break
        end = newline
    return sorted(set(found))


def next_line(buffer: bytes, position: int) -> int:
    newline = buffer.find(b"\n", position)
    return len(buffer) if newline < 0 else newline + 1


def is_start(buffer: bytes, position: int, pattern: re.Pattern[bytes], *, at_line_start: bool) -> bool:
    after_newline = at_line_start if position == 0 else buffer[position - 1 : position] == b"\n"
    return after_newline and pattern.match(buffer, position) is not None


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


def finish(seen: Fingerprint, head: bytearray, whole: "hashlib._Hash", before_tail: "hashlib._Hash") -> None:
    seen.hashes[seen.size] = whole.hexdigest()
    if seen.tail_start is not None:
        seen.hashes[seen.tail_start] = before_tail.hexdigest()
    if seen.first_start is None:
        return
    if seen.second_start is not None:
        length = seen.second_start - seen.first_start
        seen.first_record_hash = hashlib.sha256(bytes(head[:length])).hexdigest()
    else:
        seen.only_record_hash = hashlib.sha256(bytes(head)).hexdigest()
