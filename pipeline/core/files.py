"""Files on local disks, HDFS, S3, GCS and ABFS: listed on the driver, opened on the executors, through pyarrow.fs."""

import fnmatch
import gzip
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
from pyarrow import fs

WILDCARD = re.compile(r"[*?\[]")
URI = re.compile(r"^[a-z][a-z0-9+.-]*://")


@dataclass(frozen=True)
class Listed:
    """One file below a root. relative: its path below it, with '/'; problem: why it cannot be read."""

    path: str
    relative: str
    size_bytes: int
    modified_at: datetime
    problem: str | None = None


def list_files(root: str) -> list[Listed]:
    """All regular files of a folder, a file or a glob, in order of path; links, pipes and devices are left out.

    FileNotFoundError: there is no such path. PermissionError: it may not be listed.
    """
    wild = WILDCARD.search(root)
    base = root if wild is None else root[: root.rfind("/", 0, wild.start()) + 1] or "."
    files = list_uri(base) if URI.match(base) else list_local(Path(base))
    if wild is not None:
        files = [one for one in files if matches(one.path, root)]
    return sorted(files, key=lambda one: one.path)


def matches(path: str, pattern: str) -> bool:
    """A glob that names folders takes in all below them."""
    absolute = pattern if URI.match(pattern) else str(Path(pattern).absolute())
    return fnmatch.fnmatchcase(path, absolute) or fnmatch.fnmatchcase(path, f"{absolute}/*")


def list_local(base: Path) -> list[Listed]:
    base = base.absolute()
    if not base.exists():
        raise FileNotFoundError(str(base))
    if base.is_file():
        return [local_file(base, base.parent)]
    if not os.access(base, os.R_OK | os.X_OK):
        raise PermissionError(str(base))
    return list(walk(base))


def walk(base: Path) -> Iterator[Listed]:
    for folder, _, names in os.walk(base, followlinks=False):
        for name in sorted(names):
            path = Path(folder) / name
            if stat.S_ISREG(path.lstat().st_mode):
                yield local_file(path, base)


def local_file(path: Path, base: Path) -> Listed:
    found = path.stat()
    problem = None if os.access(path, os.R_OK) else "no permission to read it"
    modified_at = datetime.fromtimestamp(found.st_mtime, UTC)
    return Listed(str(path), path.relative_to(base).as_posix(), found.st_size, modified_at, problem)


def list_uri(base: str) -> list[Listed]:
    system, inner = fs.FileSystem.from_uri(base.rstrip("/"))
    scheme = base[: base.index("://") + 3]
    info = system.get_file_info(inner)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(base)
    if info.type == fs.FileType.File:
        return [uri_file(info, scheme, inner.rsplit("/", 1)[0])]
    found = system.get_file_info(fs.FileSelector(inner, recursive=True))
    return [uri_file(one, scheme, inner) for one in found if one.type == fs.FileType.File]


def uri_file(info: fs.FileInfo, scheme: str, inner: str) -> Listed:
    modified_at = info.mtime or datetime.fromtimestamp(0, UTC)
    return Listed(
        scheme + info.path, info.path[len(inner) :].lstrip("/"), info.size, modified_at.astimezone(UTC)
    )


def open_input(path: str, codec: str) -> BinaryIO:
    """The uncompressed bytes of a file. codec: plain, gzip or zstd; plain files can seek."""
    if URI.match(path):
        system, inner = fs.FileSystem.from_uri(path)
    else:
        system, inner = fs.LocalFileSystem(), path
    if codec == "plain":
        return cast(BinaryIO, system.open_input_file(inner))
    stored = system.open_input_stream(inner, compression=None)  # by default pyarrow undoes .gz itself
    if codec == "gzip":
        return cast(BinaryIO, gzip.GzipFile(fileobj=cast(BinaryIO, stored), mode="rb"))
    return cast(BinaryIO, pa.CompressedInputStream(stored, "zstd"))
