"""Members of archives as files of this run: what cannot be written says so, and is no fault of the archive."""

import io
from pathlib import Path
from typing import Protocol

from pipeline.core.errors import EnvironmentProblem

BLOCK = 1 << 20


class Content(Protocol):
    """read1: as io.BufferedReader has it, which loses nothing that was read before it fails."""

    def read1(self, size: int, /) -> bytes: ...


def copy_content(content: Content, place: Path, most: int) -> int | None:
    """How many bytes were written; None: there are more than `most`. EnvironmentProblem: there is no room for them."""
    try:
        file = place.open("wb", buffering=0)
    except OSError as problem:
        raise no_room(problem, place) from problem
    size = 0
    with file:
        while block := content.read1(BLOCK):
            size += len(block)
            if size > most:
                return None
            try:
                write_block(file, block)
            except OSError as problem:
                raise no_room(problem, place) from problem
    return size


def write_block(file: io.FileIO, block: bytes) -> None:
    """All of it, as the system may take less at once."""
    left = memoryview(block)
    while left:
        left = left[file.write(left) :]


def no_room(problem: OSError, place: Path | None = None) -> EnvironmentProblem:
    return EnvironmentProblem(
        expected="room for what is unpacked, in the folder for temporary files (TMPDIR), and for what is printed",
        found=f"{problem.strerror or problem} ({problem.filename or place or 'no file'})",
        todo="name another folder, or one with more room",
    )
