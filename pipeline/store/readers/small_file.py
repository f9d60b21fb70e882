"""A small file that one process at a time changes, beside the tables of a cluster or where it is told to be."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyarrow as pa

from pipeline.core.errors import EnvironmentProblem, Locked
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.files.object_files import ObjectFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse

PAUSE_SECONDS = 0.1
PROBLEMS = (OSError, pa.ArrowException)


@dataclass(frozen=True)
class SmallFile:
    """A path or URI, and what reads and writes it."""

    uri: str
    files: LocalFiles | ObjectFiles

    @classmethod
    def at(cls, path: str) -> Self:
        """Of this machine."""
        return cls(str(Path(path).absolute()), LocalFiles())

    @classmethod
    def beside(cls, warehouse: DirectWarehouse, cluster: str, name: str) -> Self:
        files = warehouse.files
        writing = files if isinstance(files, LocalFiles) else ObjectFiles()
        return cls(f"{warehouse.root}/{cluster}/{name}", writing)

    def text(self) -> str | None:
        """None: there is none yet. EnvironmentProblem: it may not be read."""
        try:
            return self.files.text(self.uri)
        except PROBLEMS as problem:
            raise self.not_possible("read", problem) from problem

    def write(self, text: str) -> None:
        """Whole or not at all. EnvironmentProblem: it may not be written."""
        try:
            self.files.replace(self.uri, text)
        except PROBLEMS as problem:
            raise self.not_possible("written", problem) from problem

    def not_possible(self, what: str, problem: Exception) -> EnvironmentProblem:
        said = problem.strerror if isinstance(problem, OSError) else None
        return EnvironmentProblem(
            expected=f"{self.uri} to be {what}",
            found=said or str(problem).partition("\n")[0],
            todo="give the right to it, or another file with --state",
        )

    @contextmanager
    def held(self, wait_seconds: float) -> Iterator[None]:
        """By no other process of this machine meanwhile; where the folder cannot be locked, as in object stores, by
        nobody. Locked: another one holds it, and does still after that time."""
        handle = self.opened_folder()
        if handle is None:
            yield
            return
        try:
            self.wait_for(handle, wait_seconds)
            yield
        finally:
            os.close(handle)

    def opened_folder(self) -> int | None:
        if isinstance(self.files, LocalFiles):
            with suppress(OSError):
                return os.open(self.files.path(self.uri).parent, os.O_RDONLY | os.O_DIRECTORY)
        return None

    def wait_for(self, handle: int, wait_seconds: float) -> None:
        until = time.monotonic() + wait_seconds
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise Locked(
                        expected=f"nobody else at work on {self.uri}",
                        found="another process",
                        todo="run again once it has ended",
                    ) from None
                time.sleep(PAUSE_SECONDS)
            except OSError:  # a file system without such locks
                return
            else:
                return
