"""Files on local disks, HDFS, S3, GCS and ABFS: listed on the driver, opened on the executors, through pyarrow.fs."""

import contextlib
import fnmatch
import gzip
import io
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

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
    closed: list[OSError] = []
    for folder, _, names in os.walk(base, followlinks=False, onerror=closed.append):
        for name in sorted(names):
            path = Path(folder) / name
            with contextlib.suppress(FileNotFoundError):  # rolled away since the folder was listed
                if stat.S_ISREG(path.lstat().st_mode):
                    yield local_file(path, base)
    for problem in closed:
        path = Path(str(problem.filename))
        relative = path.relative_to(base).as_posix()
        yield Listed(str(path), relative, 0, datetime.fromtimestamp(0, UTC), f"folder: {problem.strerror}")


def local_file(path: Path, base: Path) -> Listed:
    found = path.stat()
    problem = None if os.access(path, os.R_OK) else "no permission to read it"
    modified_at = datetime.fromtimestamp(found.st_mtime, UTC)
    return Listed(str(path), path.relative_to(base).as_posix(), found.st_size, modified_at, problem)


def list_uri(base: str) -> list[Listed]:
    root = base.rstrip("/")
    system, inner = at_uri(root)
    info = system.get_file_info(inner)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(base)
    if info.type == fs.FileType.File:
        return [uri_file(info, root, root.rsplit("/", 1)[-1])]
    found = system.get_file_info(fs.FileSelector(inner, recursive=True))
    files = [(one, one.path[len(inner) :].lstrip("/")) for one in found if one.type == fs.FileType.File]
    return [uri_file(one, f"{root}/{relative}", relative) for one, relative in files]


def at_uri(uri: str) -> tuple[fs.FileSystem, str]:
    """The file system of a URI and the path in it; Hadoop's names s3a and s3n are S3 to pyarrow.

    FileNotFoundError: no file system of pyarrow takes that URI.
    """
    known = re.sub(r"^s3[an]://", "s3://", uri).replace(" ", "%20")
    try:
        system, inner = fs.FileSystem.from_uri(known)
    except (pa.ArrowInvalid, ValueError) as problem:
        raise FileNotFoundError(f"{uri} ({problem})") from problem
    return system, str(inner)


def uri_file(info: fs.FileInfo, uri: str, relative: str) -> Listed:
    modified_at = info.mtime or datetime.fromtimestamp(0, UTC)
    return Listed(uri, relative, info.size, modified_at.astimezone(UTC))


class ForwardOnly(io.RawIOBase):
    """A stream that seeks forward by reading: what pyarrow uncompresses cannot seek by itself."""

    def __init__(self, stream: pa.NativeFile) -> None:
        self.stream, self.position = stream, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: Any) -> int:
        read = self.stream.read(len(buffer))
        buffer[: len(read)] = read
        self.position += len(read)
        return len(read)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        target = offset if whence == io.SEEK_SET else self.position + offset
        if whence == io.SEEK_END or target < self.position:
            raise io.UnsupportedOperation("a compressed stream is read forward only")
        while self.position < target:
            skipped = len(self.stream.read(min(target - self.position, 1 << 20)))
            if not skipped:
                break
            self.position += skipped
        return self.position

    def close(self) -> None:
        self.stream.close()
        super().close()


def open_input(path: str, codec: str) -> BinaryIO:
    """The uncompressed bytes of a file. codec: plain, gzip or zstd; plain files can seek."""
    if URI.match(path):
        system, inner = at_uri(path)
    else:
        system, inner = fs.LocalFileSystem(), path
    if codec == "plain":
        return cast(BinaryIO, system.open_input_file(inner))
    stored = system.open_input_stream(inner, compression=None)  # by default pyarrow undoes .gz itself
    if codec == "gzip":
        return cast(BinaryIO, gzip.GzipFile(fileobj=cast(BinaryIO, stored), mode="rb"))
    return cast(BinaryIO, io.BufferedReader(ForwardOnly(pa.CompressedInputStream(stored, "zstd"))))


MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def codec_of(head: bytes) -> str:
    """How a file is compressed, by its first bytes and not by its name."""
    return next((codec for magic, codec in MAGIC.items() if head.startswith(magic)), "plain")


def open_by_content(path: str) -> tuple[str, BinaryIO]:
    """The codec of a file, and its uncompressed bytes from the beginning."""
    stream = open_input(path, "plain")
    codec = codec_of(stream.read(max(map(len, MAGIC))))
    if codec == "plain":
        stream.seek(0)
        return codec, stream
    stream.close()
    return codec, open_input(path, codec)
