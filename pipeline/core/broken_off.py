"""What is uncompressed of a file that may break off: what stands before that is handed out first."""

from abc import abstractmethod
from typing import Any

from pipeline.core.forward_only import BLOCK, ForwardOnly

ENDS_EARLY = "it ends before its compressed content does"


class BrokenOff(EOFError):
    """good: so many bytes, unpacked, stand before it as they were written."""

    def __init__(self, said: str, good: int) -> None:
        super().__init__(said)
        self.good = good


class UpToBreak(ForwardOnly):
    """Reads forward only, and hands out fewer bytes than asked for at its end alone. problem: raised once all that
    stands before it was handed out."""

    problem: BrokenOff | None = None

    @abstractmethod
    def some(self, most: int) -> bytes:
        """Up to so many bytes that come next, which `position` counts; none: the end, or `problem`."""

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
