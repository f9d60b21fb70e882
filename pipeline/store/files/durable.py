"""What a run wrote on a local disk reaches the disk before the row that publishes it.

Neither Hadoop's local file system nor delta-rs asks for that: a file is closed, or renamed, while its bytes stand in
the memory of the machine, and a power cut within the next half minute may leave a commit that is empty.
"""

import errno
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

from pipeline.core.errors import EnvironmentProblem

# Waiting is all they do, and a file system writes its journal once for those that wait together.
AT_ONCE = 16
LOG = "_delta_log"
OF_VERSION = re.compile(r"\.?(\d{20})\.")
POINTERS = ("_last_checkpoint", "._last_checkpoint.crc")
# What a file system says that has no such call for folders.
NOT_FOR_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES)


def make_durable(warehouse: Path, commits: Mapping[Path, range]) -> list[Path]:
    """Waits until the files of these commits are on the disk, and the names of all of them down from the warehouse.
    What was waited for. commits: by folder of a table its versions.

    EnvironmentProblem: the disk has not taken them.
    """
    files = sorted({one for table, versions in commits.items() for one in files_of_commits(table, versions)})
    folders = sorted({above for one in files for above in folders_of(one, warehouse)})
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(sync_path, files):
            pass
        for _ in pool.map(sync_path, folders):
            pass
    return [*files, *folders]


def files_of_commits(table: Path, versions: range) -> Iterator[Path]:
    """The commits of these versions with what is written beside them, and the data files that they add."""
    log = table / LOG
    for one in log.iterdir() if versions else ():
        found = OF_VERSION.match(one.name)
        if one.name in POINTERS or (found and int(found[1]) in versions):
            yield one
    for version in versions:
        for path in files_added(log / f"{version:020d}.json"):
            data = table / path
            sums = data.with_name(f".{data.name}.crc")
            yield from (one for one in (data, sums) if one.is_file())


def files_added(commit: Path) -> Iterator[str]:
    """The files that a commit adds, as paths below the folder of its table."""
    if not commit.is_file():
        return
    for line in commit.read_text(encoding="utf-8").splitlines():
        told = json.loads(line).get("add")
        if told is not None:
            yield unquote(told["path"])


def folders_of(path: Path, warehouse: Path) -> Iterable[Path]:
    """Those that a file lies in, up to the one in which the warehouse was made."""
    return (one for one in path.parents if one == warehouse.parent or one.is_relative_to(warehouse))


def sync_path(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as problem:
        if path.is_dir() and problem.errno in NOT_FOR_FOLDERS:
            return
        raise EnvironmentProblem(
            expected=f"the disk to take {path}",
            found=problem.strerror or str(problem),
            todo="look after the disk; nothing was published by this run; run again",
        ) from problem
