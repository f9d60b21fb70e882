"""Archives, which others made: their members are unpacked into a private folder, and nothing in them decides where."""

import os
import struct
import tarfile
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from pipeline.core.files import NO_TIME, Listed, file_time, storable_path
from pipeline.core.opening import open_by_content, open_input
from pipeline.core.streams import HARMLESS_BYTES
from pipeline.core.unpacked_files import Content, copy_content

TAR, ZIP = "tar", "zip"
HEAD_BYTES = 512
TAR_MAGIC = slice(257, 262)
# Names of members that a header may hold, and what one entry of the directory of a zip takes at most, about.
LONGEST_HEADER = 1 << 20
ENTRY_BYTES = 512
BROKEN = (
    OSError,
    EOFError,
    zlib.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)
# An archive that ends too early: what stands before is as it was written.
CUT = (EOFError, tarfile.ReadError)
CLIMBS, LINK = "paths that lead out of the archive: {}", "links that lead out of it: {}"
DEVICE, LOCKED = "devices and pipes: {}", "encrypted: {}"
NESTED = "archives in an archive, which are not followed, unpack them: {}"
TOO_LONG = "too long, or a bomb (limits.archive_bytes, limits.max_ratio): {}"
TOO_MANY, BREAKS_OFF = (
    "it has more than {:,} members (limits.archive_members)",
    "it breaks off or is damaged ({})",
)


@dataclass
class Budget:
    """What all archives of a run may take: bytes and members. ratio: how many times as long as it is packed a member
    may be, counted from HARMLESS_BYTES on."""

    bytes: int
    members: int
    ratio: int


@dataclass(frozen=True)
class Archive:
    """found: as it was listed; its bytes are at `found.bytes_at`. relative: what the paths of members begin with."""

    found: Listed
    kind: str
    relative: str


@dataclass
class Unpacking:
    """into: a folder of this run alone. told: by sentence what was left out of an archive, by name of the member."""

    into: Path
    budget: Budget
    count: int = 0
    told: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    names: Counter[str] = field(default_factory=Counter)

    def members(self, archive: Archive) -> Iterator[Listed]:
        """The files in it, and of what is left out a file each kind, with the sentence that says so as its problem."""
        self.told.clear()
        self.names.clear()
        try:
            yield from self.of_tar(archive) if archive.kind == TAR else self.of_zip(archive)
        except BROKEN as problem:
            self.told[BREAKS_OFF.format(str(problem)[:120] or type(problem).__name__)].append("")
        for sentence, names in self.told.items():
            said = sentence.format(f"{len(names):,}")
            yield self.listed(archive, names[0], 0, NO_TIME, problem=said)

    def of_tar(self, archive: Archive) -> Iterator[Listed]:
        codec, stream = open_by_content(archive.found.bytes_at)
        most = max(archive.found.size_bytes * self.budget.ratio, HARMLESS_BYTES)
        # Also what is passed over has to be unpacked.
        unpacked = min(most, self.budget.bytes + HARMLESS_BYTES)
        counted = Counted(stream, None if codec == "plain" else unpacked)
        bounded = cast(BinaryIO, counted)
        with stream, tarfile.open(fileobj=bounded, mode="r|", tarinfo=ShortHeaders) as tar:
            for one in tar:
                tar.members = []  # type: ignore[attr-defined]  # they would stand in memory
                if not self.has_room():
                    return
                if one.isdir():
                    continue
                why = self.tar_refusal(one)
                if why:
                    self.told[why].append(one.name)
                elif one.isreg():
                    content = tar.extractfile(one)
                    at = file_time(one.mtime)
                    yield from self.kept(archive, one.name, cast(Content, content), most, at)
        if counted.broken is not None:
            raise counted.broken

    def tar_refusal(self, one: tarfile.TarInfo) -> str | None:
        """None: it is a file, or a link to what is in the archive under its own name."""
        if is_outside(one.name):
            return CLIMBS
        if one.issym() or one.islnk():
            base = PurePosixPath(one.name).parent if one.issym() else PurePosixPath()
            return LINK if is_outside(str(base / one.linkname)) else None
        return None if one.isreg() and not one.issparse() else DEVICE

    def of_zip(self, archive: Archive) -> Iterator[Listed]:
        require_short_directory(archive.found.bytes_at, self.budget.members)
        with zipfile.ZipFile(archive.found.bytes_at) as packed:
            for one in packed.infolist():
                if not self.has_room():
                    return
                if one.is_dir():
                    continue
                why = zip_refusal(one)
                if why:
                    self.told[why].append(one.filename)
                    continue
                most = max(one.compress_size * self.budget.ratio, HARMLESS_BYTES)
                with packed.open(one) as content:
                    yield from self.kept(archive, one.filename, cast(Content, content), most, time_of(one))

    def has_room(self) -> bool:
        self.budget.members -= 1
        if self.budget.members < 0:
            self.told[TOO_MANY.format(self.count)].append("")
        return self.budget.members >= 0

    def kept(
        self, archive: Archive, name: str, content: Content, most: int, modified_at: datetime
    ) -> Iterator[Listed]:
        """Writes a member under a number; its own name is only told. Of one that breaks off what is there is kept."""
        self.count += 1
        place = self.into / str(self.count)
        broken: Exception | None = None
        try:
            size = copy_content(content, place, min(most, self.budget.bytes))
        except CUT as problem:
            broken, size = problem, place.stat().st_size
        self.budget.bytes -= size or 0
        if size is None:
            place.unlink()
            self.told[TOO_LONG].append(name)
        elif archive_kind(str(place)) is not None:
            place.unlink()
            self.told[NESTED].append(name)
        elif size or broken is None:
            os.utime(place, (modified_at.timestamp(), modified_at.timestamp()))
            yield self.listed(archive, name, size, file_time(place.stat().st_mtime), str(place))
        if broken is not None:
            raise broken

    def listed(
        self,
        archive: Archive,
        name: str,
        size: int,
        modified_at: datetime,
        stored_at: str = "",
        problem: str | None = None,
    ) -> Listed:
        inner = storable_path(str(PurePosixPath(name.lstrip("/")))) if name else ""
        self.names[inner] += 1
        inner += f"#{self.names[inner]}" if inner and self.names[inner] > 1 else ""
        path = f"{archive.found.path}!{inner}" if inner else archive.found.path
        relative = f"{archive.relative}/{inner}".strip("/")
        return Listed(path, relative, size, modified_at, problem, stored_at=stored_at)


class ShortHeaders(tarfile.TarInfo):
    """A header that says that its own names and attributes are long is read into memory: no honest one is."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        is_file = self.isreg() or self.type in (tarfile.GNUTYPE_SPARSE, tarfile.CONTTYPE)
        if not is_file and self.size > LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes")
        found: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc]  # tarfile has it, its stubs have not
        return found


class Counted:
    """Reads a stream, up to where it breaks off (`broken`). OSError: it unpacks to more than `most` bytes."""

    def __init__(self, stream: BinaryIO, most: int | None) -> None:
        self.stream, self.left = stream, most
        self.broken: EOFError | None = None

    def read(self, size: int) -> bytes:
        try:
            block = self.stream.read(size)
        except EOFError as problem:
            self.broken = problem
            return b""
        if self.left is not None:
            self.left -= len(block)
            if self.left < 0:
                raise OSError(
                    "it unpacks to more than it may: a bomb, or raise limits.max_ratio and archive_bytes"
                )
        return block


def archive_kind(path: str) -> str | None:
    """By its first bytes, unpacked: tar or zip; None: it is none, or cannot be read."""
    try:
        codec, stream = open_by_content(path)
        with stream:
            head = stream.read(HEAD_BYTES)
    except BROKEN:
        return None
    if codec == "plain" and is_zip(head):
        return ZIP
    return TAR if is_tar(head) else None


def names_in_zip(path: str, members: int) -> list[str]:
    """Names of its members; none where its directory is longer than that of so many, or damaged."""
    try:
        require_short_directory(path, members)
        with open_input(path, "plain") as stream, zipfile.ZipFile(stream) as packed:
            return packed.namelist()
    except BROKEN:
        return []


def is_tar(head: bytes) -> bool:
    return head[TAR_MAGIC] == b"ustar"


def is_zip(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04")


def is_outside(name: str) -> bool:
    """Whether a path leads out of the folder that it starts from."""
    depth = 0
    for part in PurePosixPath(name.replace("\\", "/")).parts:
        depth += -1 if part == ".." else 1
        if depth < 0 or part == "/":
            return True
    return False


def zip_refusal(one: zipfile.ZipInfo) -> str | None:
    if is_outside(one.filename):
        return CLIMBS
    kind = one.external_attr >> 16 & 0o170000
    if kind not in (0, 0o100000):
        return LINK if kind == 0o120000 else DEVICE
    return LOCKED if one.flag_bits & 1 else None


def time_of(one: zipfile.ZipInfo) -> datetime:
    """Local time of whoever packed it, taken for UTC; the begin of its calendar stands for none."""
    try:
        found = datetime(*one.date_time, tzinfo=UTC)
    except ValueError:
        return NO_TIME
    return found if found.year > 1980 else NO_TIME


def require_short_directory(path: str, members: int) -> None:
    """BadZipFile: the directory of a zip, which is read into memory, is longer than that of so many members."""
    with open_input(path, "plain") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - (1 << 16) - 22 - 76))
        tail = stream.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) < place + 22:
        raise zipfile.BadZipFile("no directory at its end")
    count, length = struct.unpack_from("<HL", tail, place + 10)
    wide = tail.rfind(b"PK\x06\x06", 0, place)
    if wide >= 0 and len(tail) >= wide + 48:
        count, length = struct.unpack_from("<QQ", tail, wide + 32)
    if count > members or length > members * ENTRY_BYTES:
        raise zipfile.BadZipFile(TOO_MANY.format(members))
