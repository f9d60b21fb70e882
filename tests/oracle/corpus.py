"""The real logs that the tests and tools of this folder read."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.kafka.reading.sniff import HEAD_BYTES, sniff_head

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
BLOCK_LINES = 100


@dataclass(frozen=True)
class LogFile:
    """`release`: the folder of one cluster. `log`: what the reader's own look says that it is."""

    path: Path
    release: str
    log: str
    envelope: str
    data: bytes


def logs(*folders: Path) -> Iterator[LogFile]:
    """Every Kafka log below the folders; the truth beside lab logs is none."""
    for folder in folders:
        for path in sorted(one for one in folder.rglob("*") if one.is_file() and "truth" not in one.parts):
            stored = path.read_bytes()
            data = gzip.decompress(stored) if path.suffix == ".gz" else stored
            found = sniff_head(data[:HEAD_BYTES])
            if found.log is not None and found.envelope is not None:
                yield LogFile(path, release_of(path, folder), found.log, found.envelope, data)


def release_of(path: Path, folder: Path) -> str:
    """The folder that holds the nodes of one cluster, as the corpus and a user's folders are laid out."""
    inner = path.relative_to(folder).parts[:-1]
    named = [part for part in inner if part[:1].isdigit() or part.startswith("lab-")]
    return named[0] if named else (inner[0] if inner else folder.name)


def share(data: bytes, lines: int) -> bytes:
    """About so many lines of a file in blocks that are spread over it."""
    found = data.splitlines(keepends=True)
    blocks = [found[at : at + BLOCK_LINES] for at in range(0, len(found), BLOCK_LINES)]
    step = max(1, len(found) // max(lines, 1))
    return b"".join(line for block in blocks[::step] for line in block)
