"""Files on local disks, HDFS, S3, GCS and ABFS, listed on the driver; what is not local through pyarrow.fs."""

import fnmatch
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

WILDCARD = re.compile(r"[*?\[]")
URI = re.compile(r"^[a-z][a-z0-9+.-]*://")
NO_TIME = datetime.fromtimestamp(0, UTC)
DEVICE = "a device"
KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: DEVICE, stat.S_IFBLK: DEVICE}


@dataclass(frozen=True, slots=True)
class Listed:
    """One file below a root. relative: its path below it, with '/'; problem: why it is not read.

    is_elsewhere: only because what it links to is listed under another name. stored_at: where its bytes are, if not at
    the path: a member of an archive.
    """

    path: str
    relative: str
    size_bytes: int
    modified_at: datetime
    problem: str | None = None
    is_elsewhere: bool = False
    stored_at: str = ""

    @property
    def bytes_at(self) -> str:
        return self.stored_at or self.path


def list_files(root: str, *, follow_links: bool = False) -> Iterator[Listed]:
    """All files of a folder, a file or a glob, as they are found; what cannot be read has a problem.

    Links to what is not below the root are followed only if told to, each folder is entered once.
    FileNotFoundError: there is no such path. OSError: it may not be listed.
    """
    root = local_path(root)
    is_uri = URI.match(root) is not None
    wild = WILDCARD.search(root) if is_uri or not os.path.lexists(root) else None
    base = root if wild is None else root[: root.rfind("/", 0, wild.start()) + 1] or "."
    pattern = None if wild is None else root if is_uri else str(Path(root).absolute())
    files = list_uri(base) if is_uri else list_local(base, pattern, follow_links=follow_links)
    return (one for one in files if pattern is None or matches_glob(one.path, pattern))


def local_path(path: str) -> str:
    """A file:// URI as the path that it names; others as they are."""
    if not path.startswith("file://"):
        return path
    parts = urlsplit(path.replace("?", "%3F").replace("#", "%23"))
    return unquote(parts.path) if parts.netloc in ("", "localhost") else path


def matches_glob(path: str, pattern: str) -> bool:
    """A glob that names folders takes in all below them."""
    absolute = pattern if URI.match(pattern) else str(Path(pattern).absolute())
    return fnmatch.fnmatchcase(path, absolute) or fnmatch.fnmatchcase(path, f"{absolute}/*")


def list_local(base: str, pattern: str | None, *, follow_links: bool) -> Iterator[Listed]:
    root = Path(base).absolute()
    found = root.stat()
    if not stat.S_ISDIR(found.st_mode):
        return iter([listed_file(str(root), str(root.parent), found)])
    os.scandir(root).close()
    return Walk(str(root), pattern, follow_links=follow_links).files()


class Walk:
    """One walk through the folders below a base; of a folder no more than one entry is held at a time.

    pattern: what the walk is made for; None: all below the base.
    """

    def __init__(self, base: str, pattern: str | None, *, follow_links: bool) -> None:
        self.base, self.pattern, self.follow_links = base, pattern, follow_links
        self.inside = os.path.realpath(base)
        self.entered: set[tuple[int, int, bool]] = set()
        self.waiting = [base]

    def files(self) -> Iterator[Listed]:
        while self.waiting:
            folder = self.waiting.pop()
            try:
                yield from self.of_folder(folder)
            except FileNotFoundError:
                continue  # renamed or deleted since it was listed
            except OSError as problem:
                yield refused_file(folder, self.base, f"folder: {problem.strerror}")

    def of_folder(self, folder: str) -> Iterator[Listed]:
        found = Path(folder).stat()
        entered = found.st_dev, found.st_ino, self.is_asked(folder)
        if entered in self.entered:
            yield refused_file(
                folder, self.base, "a folder that is read under another name", is_elsewhere=True
            )
            return
        self.entered.add(entered)
        with os.scandir(folder) as entries:
            for entry in entries:
                one = self.of_entry(entry)
                if one is not None:
                    yield one

    def of_entry(self, entry: os.DirEntry[str]) -> Listed | None:
        """None: a folder, which waits, or a file that has been renamed since."""
        try:
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                return self.of_link(entry.path)
        except FileNotFoundError:
            return None
        except OSError as problem:
            return refused_file(entry.path, self.base, str(problem.strerror))
        return self.of_status(entry.path, found)

    def of_status(self, path: str, found: os.stat_result) -> Listed | None:
        if stat.S_ISDIR(found.st_mode):
            self.waiting.append(path)
            return None
        return listed_file(path, self.base, found)

    def of_link(self, path: str) -> Listed | None:
        target = os.path.realpath(path)
        try:
            found = Path(path).stat()
        except OSError as problem:
            return refused_file(path, self.base, f"a link that leads to no file ({problem.strerror})")
        inside = self.inside.rstrip("/")
        is_inside = target == self.inside or target.startswith(f"{inside}/")
        if is_inside and self.is_asked(self.base.rstrip("/") + target[len(inside) :]):
            said = "a link to what is read under its own name"
            return refused_file(path, self.base, said, is_elsewhere=True)
        if not self.follow_links:
            return refused_file(path, self.base, "a link that leaves the log folder: --follow-links reads it")
        return self.of_status(path, found)

    def is_asked(self, path: str) -> bool:
        """Whether the pattern takes in what has this name, or may take in what is below it."""
        if self.pattern is None or matches_glob(path, self.pattern):
            return True
        above = "/".join(self.pattern.split("/")[: path.rstrip("/").count("/") + 1])
        return above != self.pattern and fnmatch.fnmatchcase(path.rstrip("/"), above)


def listed_file(path: str, base: str, found: os.stat_result) -> Listed:
    """A file as its status says; `base` is the folder that its relative path starts from."""
    if not stat.S_ISREG(found.st_mode):
        return refused_file(
            path, base, f"{KINDS.get(stat.S_IFMT(found.st_mode), 'not a file')}, not a log file"
        )
    may_read = os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)
    problem = None if may_read else "no permission to read it"
    if not path.isascii() and os.fsencode(path) != path.encode("utf-8", "replace"):
        problem = "its name is not UTF-8: rename it"
    place = storable_path(path), relative_to(path, base)
    return Listed(*place, found.st_size, file_time(found.st_mtime), problem)


def file_time(seconds: float) -> datetime:
    """A time of a file system, which may be one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return NO_TIME


def refused_file(path: str, base: str, problem: str, *, is_elsewhere: bool = False) -> Listed:
    return Listed(storable_path(path), relative_to(path, base), 0, NO_TIME, problem, is_elsewhere)


def storable_path(path: str) -> str:
    """The path as text: bytes that are not UTF-8 as \\xNN."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")


def relative_to(path: str, base: str) -> str:
    return storable_path(path[len(base.rstrip("/")) + 1 :])


def list_uri(base: str) -> Iterable[Listed]:
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
    modified_at = info.mtime or NO_TIME
    return Listed(uri, relative, info.size, modified_at.astimezone(UTC))
