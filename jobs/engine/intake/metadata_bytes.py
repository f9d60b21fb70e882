"""Copies of the metadata log as files: whose they are, and their bytes. Nothing else of a data directory is opened."""

import re
from pathlib import Path, PurePosixPath

import numpy as np

from jobs.engine.intake.discovery import Candidate
from jobs.settings.model import Settings
from pipeline.core.files import URI
from pipeline.core.opening import open_by_content
from pipeline.core.streams import bounded_stream
from pipeline.kafka.metadata_log.checksums import Bytes
from pipeline.kafka.metadata_log.file_names import is_metadata_file

NODE_ID = re.compile(rb"^(?:node|broker)\.id=(\d{1,9})\s*$", re.MULTILINE)
CLUSTER_ID = re.compile(rb"^cluster\.id=([A-Za-z0-9_-]{1,64})\s*$", re.MULTILINE)
NO_METADATA = "no metadata log: its first record is none of the controllers"
PROPERTIES_BYTES = 64 << 10
BLOCK = 1 << 20


def is_copy(one: Candidate) -> bool:
    """True of a segment or checkpoint of the metadata log that can be read where it lies."""
    listed = one.listed
    if (
        listed.problem is not None
        or listed.is_elsewhere
        or URI.match(listed.bytes_at)
        or not listed.size_bytes
    ):
        return False
    return is_metadata_file(listed.path) or is_metadata_file(listed.relative)


def node_of_copy(one: Candidate) -> tuple[int | None, str | None, str]:
    """Node and cluster id by meta.properties beside the folder of the log, else the node by the path; the folder."""
    listed = one.listed
    folder = PurePosixPath(listed.path).parent
    if not listed.stored_at and is_metadata_file(listed.path):
        for home in (folder.parent, folder):
            text = _beginning_of(Path(home) / "meta.properties")
            cluster = CLUSTER_ID.search(text)
            if node := NODE_ID.search(text):
                return int(node[1]), cluster[1].decode() if cluster else None, str(folder)
    return one.located.node, None, str(folder)


def bytes_of_copy(one: Candidate, settings: Settings, start: int = 0, most: int = -1) -> Bytes:
    """Its bytes from one on, unpacked, so many at most (-1: all). A file that a node still writes is copied into
    memory: it may be cut while it is read. OSError, EOFError: they cannot be read."""
    listed, limits = one.listed, settings.limits
    codec, stream = open_by_content(listed.bytes_at)
    with stream:
        if codec == "plain" and not listed.stored_at:
            return np.fromfile(listed.bytes_at, np.uint8, most, offset=start)
        stored = bounded_stream(stream, codec, listed.size_bytes, limits.max_ratio, limits.max_file_bytes)
        data = np.frombuffer(b"".join(iter(lambda: stored.read(BLOCK), b"")), np.uint8)
    return data[start:] if most < 0 else data[start : start + most]


def _beginning_of(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(PROPERTIES_BYTES)
    except OSError:
        return b""
