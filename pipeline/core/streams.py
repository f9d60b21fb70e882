"""Streams of bytes: uncompressed by their codec, and ended where they grow too long."""

import re
from typing import BinaryIO, cast

import pyarrow as pa

from pipeline.core.broken_off import ENDS_EARLY, BrokenOff, UpToBreak
from pipeline.core.forward_only import BLOCK
from pipeline.core.gunzipped import Gunzipped

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
# In what pyarrow says of a stream that ends before its content.
TRUNCATED = "Truncated"
MAGIC_BYTES = max(map(len, MAGIC))
# A frame to be skipped, which pzstd writes first: of sixteen first bytes.
SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
# What unpacks to less than this harms nobody, whatever its ratio.
HARMLESS_BYTES = 64 << 20


def codec_of(head: bytes) -> str:
    """How a file is compressed, by its first bytes and not by its name."""
    if SKIPPED.match(head):
        return "zstd"
    return next((codec for magic, codec in MAGIC.items() if head.startswith(magic)), "plain")


def uncompressed_stream(stored: BinaryIO, codec: str) -> BinaryIO:
    if codec == "plain":
        return stored
    if codec == "gzip":
        return cast(BinaryIO, Gunzipped(stored))
    return cast(BinaryIO, Uncompressed(pa.CompressedInputStream(stored, "zstd")))


class Uncompressed(UpToBreak):
    """What pyarrow uncompresses, up to where it ends too early. OSError: its bytes are damaged."""

    def __init__(self, stream: pa.NativeFile) -> None:
        self.stream = stream

    def some(self, most: int) -> bytes:
        """What is left of a file that is cut, pyarrow has written by the time that it raises, and does not count: zeros
        are none of it."""
        if self.problem is not None:
            return b""
        buffer = bytearray(min(most, BLOCK))
        try:
            found = bytes(buffer[: self.stream.readinto(buffer)])
        except OSError as problem:
            if TRUNCATED not in str(problem):
                raise
            found = bytes(buffer).rstrip(b"\0")
            self.problem = BrokenOff(ENDS_EARLY, self.position + len(found))
        self.position += len(found)
        return found

    def close(self) -> None:
        self.stream.close()
        super().close()


class Bounded:
    """Reads a stream from its beginning. OSError: it has more than `most` bytes; `said` says so."""

    def __init__(self, stream: BinaryIO, most: int, said: str) -> None:
        self.stream, self.left, self.said = stream, most, said

    def read(self, size: int) -> bytes:
        block = self.stream.read(size)
        self.take(len(block))
        return block

    def take(self, count: int) -> None:
        """Counts bytes as read."""
        self.left -= count
        if self.left < 0:
            raise OSError(self.said)


def bounded_stream(
    stream: BinaryIO, codec: str, stored_bytes: int, max_ratio: int, max_file_bytes: int
) -> BinaryIO:
    """The uncompressed stream up to what a file of that stored size may hold."""
    by_ratio = max(stored_bytes * max_ratio, HARMLESS_BYTES)
    if codec != "plain" and by_ratio < max_file_bytes:
        said = f"it unpacks to more than {max_ratio} times its size: a bomb, or raise limits.max_ratio"
        return cast(BinaryIO, Bounded(stream, by_ratio, said))
    said = f"it holds more than {max_file_bytes:,} bytes: raise limits.max_file_bytes to read it"
    return cast(BinaryIO, Bounded(stream, max_file_bytes, said))
