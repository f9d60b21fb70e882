"""The content of a gzip file, up to where it breaks off: what stands before that is handed out first."""

import zlib
from typing import BinaryIO

from pipeline.core.broken_off import ENDS_EARLY, BrokenOff, UpToBreak
from pipeline.core.forward_only import BLOCK

GZIP = 16 + zlib.MAX_WBITS
MAGIC = b"\x1f\x8b"
RUBBISH = "behind its compressed content stands what is none"
BAD_MEMBER = "a part of it is damaged ({})"


class Gunzipped(UpToBreak):
    """BrokenOff: it ends too early, or what stands behind a member is none. Of a member whose bytes are damaged nothing
    is good, as the sum at its end alone says whether they are.
    """

    def __init__(self, stored: BinaryIO) -> None:
        self.stored = stored
        self.member = zlib.decompressobj(GZIP)
        self.begin = 0  # of the member, unpacked
        self.is_done = False
        self.waiting = b""

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
