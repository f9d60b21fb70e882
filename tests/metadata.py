"""Copies of KRaft's metadata log: those in the repository, and those of the labs where they are."""

import json
import os
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

from pipeline.kafka.metadata_log.segment import MetadataPart, read_metadata_file
from pipeline.model.metadata.joining import NodeParts

REPOSITORY = Path(__file__).parents[1]
SHARED = Path(os.environ.get("KCA_SHARED", REPOSITORY.parent / "shared"))
LABS = (SHARED / "corpus" / "lab", SHARED / "lab-runs")
FOLDER = "__cluster_metadata-0"


@cache
def samples() -> Path:
    """The folder of the copies in the repository, unpacked once."""
    folder = Path(mkdtemp(prefix="metadata-"))
    with tarfile.open(REPOSITORY / "tests" / "data" / "metadata.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder


def file_bytes(path: Path) -> np.ndarray:
    return np.fromfile(path, np.uint8)


def part_of(path: Path) -> MetadataPart:
    return read_metadata_file(file_bytes(path), path.name)


def copies_of(folder: Path) -> list[NodeParts]:
    """Of each node in a folder its segments and checkpoints."""
    homes = sorted(folder.glob("node-*")) or [folder]
    return [
        NodeParts(
            int(home.name.rpartition("-")[2]) if home != folder else None,
            [
                part_of(one)
                for one in sorted((home / FOLDER).glob("*.*"))
                if one.suffix in (".log", ".checkpoint")
            ],
        )
        for home in homes
    ]


def dump_pairs(release: str) -> list[tuple[Path, Path]]:
    """Files of a sample and the dump of each."""
    folder = samples() / release
    found = []
    for dump in sorted((folder / "dump").glob("*.txt")):
        name = dump.name.removesuffix(".txt")
        own = folder / FOLDER / name
        found.append((own if own.exists() else folder / name, dump))
    return found


def dumped_lab(name: str) -> list[bytes]:
    """The decoded log of a lab in the form of a dump; records of one time are one batch. Skips where it is not."""
    path = next((one / name / "truth" / "metadata-log.jsonl" for one in LABS if (one / name).exists()), None)
    if path is None:
        pytest.skip(f"no lab {name}")
    return [line.encode() for line in _dump_lines(path)]


def _dump_lines(path: Path) -> Iterator[str]:
    batch = None
    for text in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(text)
        is_control = one["type"] == "CONTROL"
        at = f"CreateTime: {one['timestamp']}"
        if (one["timestamp"], is_control) != batch:
            batch = one["timestamp"], is_control
            yield f"baseOffset: {one['offset']} partitionLeaderEpoch: {one['epoch']} is position: 0 {at} size\n"
        if is_control:
            yield f"| {one['raw']}\n"
            continue
        payload = json.dumps({name: one[name] for name in ("type", "version", "data")})
        yield f"| offset: {one['offset']} {at} keySize: -1 valueSize: 1 payload: {payload}\n"
