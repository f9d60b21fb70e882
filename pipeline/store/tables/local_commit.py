"""Commits to Delta tables of a local warehouse by delta-rs, and what follows them: no JVM is started for it."""

import contextlib
import errno
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, Transaction, WriterProperties
from deltalake import write_deltalake as write
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction

from pipeline.core.errors import EnvironmentProblem
from pipeline.store.files.durable import LOG, files_added
from pipeline.store.files.hadoop_sums import keep_sums
from pipeline.store.tables.data_files import WrittenFile
from schemas.spec import TableSpec

# As Spark does: of every tenth version a checkpoint, so that readers need not go through all commits.
CHECKPOINT_EACH = 10
# Where Hadoop keeps the sum of Delta's pointer to the last checkpoint; delta-rs writes the pointer without it.
STALE_SUM = "._last_checkpoint.crc"
ROOM_BYTES = 1 << 20
NO_HOOKS = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)


def add_row(
    folder: Path, spec: TableSpec, row: Mapping[str, Any], note: str, writer: str, number: int
) -> bool:
    """Whether the row was added: False where the writer's transaction number is used up, or another commit came first.

    The name of a commit is linked to its written file, so of several that see the same version one passes.
    """
    require_room(folder)
    table = DeltaTable(str(folder))
    if (table.transaction_version(writer) or 0) >= number:
        return False
    committed = CommitProperties({"userMetadata": note}, 0, [Transaction(writer, number)])
    try:
        write(
            table,
            pa.Table.from_pylist([dict(row)], schema=spec.arrow),
            mode="append",
            commit_properties=committed,
            post_commithook_properties=NO_HOOKS,
            writer_properties=WriterProperties(compression="ZSTD"),
        )
    except CommitFailedError:
        return False
    finish_commit(folder, table)
    return True


def add_files(folder: Path, table: DeltaTable, files: Sequence[WrittenFile], mode: Any, **noted: Any) -> None:
    """One commit that adds data files of the table's folder; mode "overwrite": in place of all others.

    EnvironmentProblem: tasks wrote them, and they are not here.
    """
    require_seen(folder, files)
    now = time.time_ns() // 1_000_000
    actions: list[AddAction | RemoveAction] = [
        AddAction(one.path, one.size, {}, now, True, one.statistics) for one in files
    ]
    table.create_write_transaction(actions, mode, table.schema(), **noted)


def require_seen(folder: Path, files: Sequence[WrittenFile]) -> None:
    """EnvironmentProblem: a file is not in the folder, or not as it was written."""
    for one in files:
        path = folder / one.path
        found = path.stat().st_size if path.is_file() else None
        if found != one.size:
            raise EnvironmentProblem(
                expected=f"{path}, which an executor wrote, with {one.size:,} bytes",
                found="no such file" if found is None else f"{found:,} bytes",
                todo="give executors and driver one folder for --warehouse, which all of them see, or a URI",
            )


def finish_commit(folder: Path, table: DeltaTable) -> None:
    """What Spark would leave beside a commit: the sums of what it wrote, and of every tenth version a checkpoint."""
    keep_missing_sums(folder, table.version())
    if table.version() % CHECKPOINT_EACH == 0:
        # Readers do without it, and the rows are committed.
        with contextlib.suppress(DeltaError, OSError):
            (folder / LOG / STALE_SUM).unlink(missing_ok=True)
            table.create_checkpoint()
            for path in (folder / LOG).glob(f"{table.version():020d}.checkpoint*.parquet"):
                keep_sums(path)


def keep_missing_sums(folder: Path, version: int) -> None:
    """Of a commit that delta-rs wrote, which writes none, and of the data files that it adds: readers check them."""
    commit = folder / LOG / f"{version:020d}.json"
    for path in (commit, *(folder / one for one in files_added(commit))):
        if path.exists() and not path.with_name(f".{path.name}.crc").exists():
            keep_sums(path)


def require_room(folder: Path) -> None:
    """OSError: less than a row, its commit and what follows them may take, which delta-rs says by failed assertions."""
    system = os.statvfs(folder)
    if system.f_bavail * system.f_frsize < ROOM_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
