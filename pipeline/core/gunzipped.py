"""The content of a gzip file, up to where it breaks off: what stands before that is handed out first."""

import zlib
from typing import Any, BinaryIO

from pipeline.core.forward_only import BLOCK, ForwardOnly

GZIP = 16 + zlib.MAX_WBITS
MAGIC = b"\x1f\x8b"
ENDS_EARLY = "it ends before its compressed content does"
RUBBISH = "behind its compressed content stands what is none"
BAD_MEMBER = "a part of it is damaged ({})"


class BrokenOff(EOFError):
    """good: so many bytes, unpacked, stand before it as they were written."""

    def __init__(self, said: str, good: int) -> None:
        super().__init__(said)
        self.good = good


class Gunzipped(ForwardOnly):
    """Reads forward only, and hands out fewer bytes than asked for at its end alone.

    BrokenOff: it ends too early, or what stands behind a member is none. Of a member whose bytes are damaged nothing
    is good, as the sum at its end alone says whether they are.
    """

    def __init__(self, stored: BinaryIO) -> None:
        self.stored = stored
        self.member = zlib.decompressobj(GZIP)
        self.begin = 0  # of the member, unpacked
        self.is_done = False
        self.waiting = b""
        self.problem: BrokenOff | None = None

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self.read(BLOCK), b""))

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            return self.readall()
        pieces: list[bytes] = []
        left = size
        while left and (piece := self.some(left) if self.problem is None else b""):
            pieces.append(piece)
            left -= len(piece)
        if left == size and size and self.problem is not None:
            raise self.problem
        return b"".join(pieces)

    def read1(self, size: int) -> bytes:
        return self.read(size)

    def readinto(self, buffer: Any) -> int:
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def some(self, most: int) -> bytes:
        """Up to so many bytes that come next; none: the end, or `problem`."""
        while not self.is_done and self.problem is None:
            if self.member.eof and not self.is_next():
                break
            stored = self.waiting or self.stored.read(BLOCK)
            try:
                found = self.member.decompress(stored, most)
            except zlib.error as problem:
                self.broken(BAD_MEMBER.format(problem), self.begin)
                break
            self.waiting = self.member.unused_data if self.member.eof else self.member.unconsumed_tail
            self.position += len(found)
            if found:
                return found
            if not stored and not self.member.eof:
                self.broken(ENDS_EARLY, self.position)
        return b""

    def is_next(self) -> bool:
        """Whether another member follows, which is then begun; zeros behind one are none of it."""
        while True:
            self.waiting = self.waiting.lstrip(b"\0")
            if len(self.waiting) >= len(MAGIC):
                break
            more = self.stored.read(BLOCK)
            self.waiting += more
            if not more:
                break
        if self.waiting.startswith(MAGIC):
            self.member, self.begin = zlib.decompressobj(GZIP), self.position
            return True
        self.is_done = not self.waiting
        if self.waiting:
            self.broken(RUBBISH, self.position)
        return False

    def broken(self, said: str, good: int) -> None:
        self.problem = BrokenOff(said, good)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self.stored.close()
