"""Which node or nodes wrote a file, as a job finds it out by the beginning and the end."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.kafka.reading.sniff import HEAD_BYTES, Sniff, has_named_writers, with_writers

FIRST_BYTES = 100


@dataclass(frozen=True)
class Writers:
    """node_id: the one node. is_shared: there are several. is_refused: and the lines do not tell which is whose."""

    node_id: int | None
    is_shared: bool = False
    is_refused: bool = False


def writers_of(found: Sniff, data: bytes, by_path: int | None) -> Writers:
    """found: of the first HEAD_BYTES of data. by_path: the node that the path names."""
    tail = data[-HEAD_BYTES:].partition(b"\n")[2] if len(data) > HEAD_BYTES else b""
    nodes = sorted(with_writers(found, tail).node_ids)
    if len(nodes) < 2:
        return Writers(nodes[0] if nodes else by_path)
    return Writers(None, True, not has_named_writers(found, data[:HEAD_BYTES], tail))


def without_beginnings(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files by path without those of which a longer one begins alike: copies made halfway."""
    longest: dict[bytes, list[bytes]] = {}
    for data in files.values():
        longest.setdefault(data[:FIRST_BYTES], []).append(data)
    return {
        path: data
        for path, data in files.items()
        if not any(
            len(other) > len(data) and other.startswith(data) for other in longest.get(data[:FIRST_BYTES], ())
        )
    }


def contents(folder: Path) -> dict[str, bytes]:
    """By path within the folder what its files hold, unpacked; what stands under truth is no log."""
    paths = sorted(one for one in folder.rglob("*") if one.is_file() and "truth" not in one.parts)
    return {
        path.relative_to(folder).as_posix(): gzip.decompress(path.read_bytes())
        if path.suffix == ".gz"
        else path.read_bytes()
        for path in paths
    }
