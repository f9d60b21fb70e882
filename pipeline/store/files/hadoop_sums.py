"""The sums that Hadoop keeps of a file on a local disk, in a hidden file beside it: they tell a byte that has turned.

Source: org.apache.hadoop.fs.ChecksumFileSystem, 3.x: `.<name>.crc` is `crc` and a zero byte, the bytes that each sum is
of, and the CRC32 of each such stretch, big-endian.
"""

import uuid
import zlib
from pathlib import Path

MAGIC = b"crc\0"
HEADER_BYTES, SUM_BYTES = 8, 4
STRETCH_BYTES = 512  # Hadoop's default, file.bytes-per-checksum
MOST_STRETCH_BYTES = 1 << 20


def is_as_summed(path: Path) -> bool | None:
    """Whether a file is byte for byte what was summed when it was written; None: no sums are there that can tell.

    OSError: one of the two cannot be read.
    """
    kept = path.with_name(f".{path.name}.crc")
    if not kept.is_file():
        return None
    sums = kept.read_bytes()
    stretch = int.from_bytes(sums[len(MAGIC) : HEADER_BYTES], "big")
    if not sums.startswith(MAGIC) or not 0 < stretch <= MOST_STRETCH_BYTES:
        return None
    return sums_of(path.read_bytes(), stretch) == sums[HEADER_BYTES:]


def keep_sums(path: Path) -> None:
    """Writes the sums of a file beside it, as Hadoop would have. Readers see all of them or none."""
    header = MAGIC + STRETCH_BYTES.to_bytes(SUM_BYTES, "big")
    written = path.with_name(f".{path.name}.{uuid.uuid4().hex}.crc")
    written.write_bytes(header + sums_of(path.read_bytes(), STRETCH_BYTES))
    written.replace(path.with_name(f".{path.name}.crc"))


def sums_of(content: bytes, stretch: int) -> bytes:
    whole = memoryview(content)
    return b"".join(
        zlib.crc32(whole[start : start + stretch]).to_bytes(SUM_BYTES, "big")
        for start in range(0, len(whole), stretch)
    )
