"""A small file system in memory, that fills as a disk does."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class SmallDisk:
    folder: Path

    def resize(self, size: str) -> None:
        run("mount", "-o", f"remount,size={size}", str(self.folder))


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[SmallDisk]:
    """Mounted in the folder, and taken away at the end; the test is skipped where this user may mount none."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    except (OSError, subprocess.CalledProcessError) as problem:
        pytest.skip(f"no small file system may be mounted here: {problem}")
    try:
        yield SmallDisk(folder)
    finally:
        run("umount", "--lazy", str(folder))


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def used(disk: SmallDisk) -> int:
    system = os.statvfs(disk.folder)
    return (system.f_blocks - system.f_bfree) * system.f_frsize


def leave(disk: SmallDisk, room: int) -> None:
    """An empty one keeps a page: a size of 0 is none, and cannot be taken back."""
    disk.resize(str(max(used(disk) + room, 4096)))
