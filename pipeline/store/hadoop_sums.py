"""The sums that Hadoop keeps of a file on a local disk, in a hidden file beside it: they tell a byte that has turned.

Source: org.apache.hadoop.fs.ChecksumFileSystem, 3.x: `.<name>.crc` is `crc` and a zero byte, the bytes that each sum is
of, and the CRC32 of each such stretch, big-endian.
"""

import zlib
from pathlib import Path

MAGIC = b"crc\0"
HEADER_BYTES, SUM_BYTES = 8, 4
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
    content, expected = memoryview(path.read_bytes()), sums[HEADER_BYTES:]
    found = b"".join(
        zlib.crc32(content[start : start + stretch]).to_bytes(SUM_BYTES, "big")
        for start in range(0, len(content), stretch)
    )
    return found == expected
