"""Standard input that goes on: what has come is in files, one of each container or host, as a log that rolls."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import BinaryIO

from jobs.incident.logs import STDIN, STREAM, Logs, listed_part
from jobs.incident.piped import FIRST_LINES, LINE_BYTES, StreamFiles, stream_form, stream_name
from pipeline.core.files import Listed

BLOCK = 1 << 20


class FollowedStream:
    """descriptor: of what is read; folder: for the files. roll_bytes: a file that is longer is rolled, and that of the
    roll before goes. has_ended: nothing will come; problem: why it could not be read or kept on."""

    def __init__(self, descriptor: int, folder: Path, roll_bytes: int) -> None:
        self.descriptor, self.roll_bytes = descriptor, roll_bytes
        self.files = StreamFiles(folder)
        self.first: list[bytes] = []
        self.has_ended = False
        self.problem: OSError | None = None
        self.lock = Lock()
        self.thread = Thread(target=self.read_on, daemon=True)
        self.thread.start()

    def read_on(self) -> None:
        """Until the stream ends."""
        try:
            self.keep_lines()
        except OSError as problem:
            self.problem = problem
        finally:
            self.has_ended = True

    def keep_lines(self) -> None:
        """A line is there once it is whole, one that is longer than LINE_BYTES in parts."""
        rest = b""
        while block := os.read(self.descriptor, BLOCK):
            whole, end, rest = (rest + block).rpartition(b"\n")
            if whole or end:
                self.keep(whole + end)
            if len(rest) >= LINE_BYTES:
                self.keep(rest)
                rest = b""
        if rest:
            self.keep(rest)

    def keep(self, text: bytes) -> None:
        lines = text.splitlines(keepends=True)
        with self.lock:
            if self.files.form is None and len(self.first) < FIRST_LINES:
                self.first += lines[: FIRST_LINES - len(self.first)]
                self.files.form = stream_form(self.first)
            self.files.write(lines)

    def listed(self) -> Iterator[Listed]:
        """The files as they are now. Whoever asks reads them before it asks again: what was rolled is kept so long.
        OSError: the stream could not be read, or kept."""
        if self.problem is not None:
            raise self.problem
        with self.lock:
            for name, path in self.files.files.items():
                rolled = path.with_name(f"{path.name}.1")
                if path.exists() and path.stat().st_size > self.roll_bytes:
                    path.replace(rolled)
                for number, one in (("", path), (".1", rolled)):
                    if one.exists():
                        listed = listed_part(STREAM, stream_name(name), one)
                        yield replace(
                            listed, path=f"{listed.path}{number}", relative=f"{listed.relative}{number}"
                        )


class FollowedLogs(Logs):
    """Archives are unpacked once; stdin goes on."""

    stream: FollowedStream | None = None
    roll_bytes = 64_000_000

    @cached_property
    def members(self) -> dict[tuple[object, ...], list[Listed]]:
        """By archive, as it was listed."""
        return {}

    def opened(self, one: Listed, *, is_alone: bool) -> Iterator[Listed]:
        key = (one.path, one.size_bytes, one.modified_at)
        found = self.members.get(key) or [*super().opened(one, is_alone=is_alone)]
        if found != [one]:
            self.members[key] = found
        yield from found

    def piped(self, stream: BinaryIO) -> Iterator[Listed]:
        if self.stream is None:
            self.stream = FollowedStream(stream.fileno(), self.folder, self.roll_bytes)
        yield from self.stream.listed()

    def has_ended(self) -> bool:
        return set(self.paths) == {STDIN} and self.stream is not None and self.stream.has_ended
