"""The logs that an incident names: folders, files and globs as the nightly job lists them, archives, and stdin."""

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from jobs.engine.intake.discovery import listed_below
from jobs.incident.piped import split_by_container
from jobs.incident.progress import ProgressLine
from jobs.incident.size import require_size_limit
from jobs.settings.model import Settings
from pipeline.core.archives import Archive, Budget, Unpacking, archive_kind
from pipeline.core.files import NO_TIME, URI, Listed, file_time
from pipeline.kafka.layout.paths import locate_path
from pipeline.kafka.metadata_log.file_names import is_file_of_data

STDIN = "-"
SUFFIX = re.compile(r"(?:\.(?:tar|tgz|tzst|zip))?(?:\.(?:gz|zst))?$")
BLOCK = 1 << 20
LEAST_NAMES = 2
# What comes in, before anything has.
STREAM = Listed("stdin", "stdin.log", 0, NO_TIME)


class Logs:
    """folder: of this run alone; what is unpacked and what is piped in is put there."""

    def __init__(
        self, paths: Sequence[str], settings: Settings, folder: Path, progress: ProgressLine
    ) -> None:
        limits = settings.limits
        budget = Budget(limits.archive_bytes, limits.archive_members, limits.max_ratio)
        self.paths, self.settings, self.folder, self.progress = paths, settings, folder, progress
        self.unpacking = Unpacking(folder, budget)
        self.splits: dict[str, int] = {}

    def below(self, path: str) -> Iterator[Listed]:
        """The files of one path."""
        if path == STDIN:
            yield from self.piped(sys.stdin.buffer)
            return
        for one in listed_below(path, follow_links=self.settings.follow_links):
            is_alone = len(self.paths) == 1 and one.path == str(Path(path).absolute())
            yield from self.opened(one, is_alone=is_alone)

    def opened(self, one: Listed, *, is_alone: bool) -> Iterator[Listed]:
        """The members of an archive; another file as it is. is_alone: its name stands for no folder of a cluster, as
        that of a folder does not that is named."""
        is_here = one.problem is None and one.size_bytes and not URI.match(one.bytes_at)
        is_data = is_file_of_data(one.path)  # of topics: not opened
        kind = archive_kind(one.bytes_at) if is_here and not is_data else None
        if kind is None:
            yield from self.split(one) if is_here and not is_data else (one,)
            return
        self.progress.stage("unpacking", one.path)
        prefix = SUFFIX.sub("", one.relative)
        for member in self.unpacking.members(Archive(one, kind, prefix)):
            inner = member.relative.removeprefix(f"{prefix}/")
            is_told = is_alone and locate_path(inner, self.settings.patterns()).node is not None
            yield replace(member, relative=inner) if is_told else member

    def piped(self, stream: BinaryIO) -> Iterator[Listed]:
        """What comes in, by the node that its lines name before their time, or as one file."""
        self.progress.stage("reading", "stdin")
        file = self.folder / "stdin"
        size = 0
        with file.open("wb") as kept:
            while block := stream.read(BLOCK):
                size += len(block)
                require_size_limit(size, self.settings)
                kept.write(block)
        at = file_time(file.stat().st_mtime)
        whole = Listed("stdin", "stdin.log", size, at, stored_at=str(file))
        parts = split_by_container(file, self.folder)
        if not parts:
            yield from self.opened(whole, is_alone=True)
        for name, part in parts.items():
            yield listed_part(whole, name, part)

    def split(self, file: Listed) -> Iterator[Listed]:
        """The lines of each container or host that a file names in front of its lines, where it names several; else the
        file."""
        folder = self.folder / f"split-{self.splits.setdefault(file.path, len(self.splits))}"
        shutil.rmtree(folder, ignore_errors=True)
        parts: dict[str, Path] = {}
        with suppress(OSError):  # whoever reads the file says so
            parts = split_by_container(Path(file.bytes_at), folder)
        if len(parts) < LEAST_NAMES:
            shutil.rmtree(folder, ignore_errors=True)
            yield file
            return
        for name, part in parts.items():
            yield listed_part(file, name, part)


def listed_part(file: Listed, name: str, part: Path) -> Listed:
    """What a stream, or a file of one, holds of a container or host; name: empty: of none."""
    folder, slash, base = file.relative.rpartition("/")
    found = part.stat()
    return Listed(
        f"{file.path}!{name}" if name else file.path,
        f"{folder}{slash}{name}/{base}" if name else file.relative,
        found.st_size,
        file_time(found.st_mtime),
        stored_at=str(part),
    )
