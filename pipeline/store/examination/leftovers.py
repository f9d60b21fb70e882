"""What runs left in a cluster's folder that is published by none: files, commits, a lock, a torn row."""

import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq

from pipeline.store.examination.answer import Note
from pipeline.store.examination.data_columns import UNREADABLE
from pipeline.store.files.files import ReadableFiles
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.locks.lock_files import LOCK_FILE, Holder, holder_in, is_holder_gone, is_silent
from pipeline.store.runs.damage import uri_of
from pipeline.store.runs.published import ASIDE, LAST_RUN, last_row
from pipeline.store.tables.commit_files import COMMIT_FILE, actions_of, newest_committed_version, newest_whole
from schemas.ops import run

LOG = "_delta_log"
DEAD = "left by a run that died: the next one takes it over"


def lock_notes(files: ReadableFiles, folder: str) -> Iterator[Note]:
    """Of a lock that nobody gave back."""
    numbered = [
        (int(found[1] or 0), name) for name in files.names(folder) if (found := LOCK_FILE.match(name))
    ]
    if not numbered:
        return
    uri = f"{folder}/{max(numbered)[1]}"
    said = holder_in(files.text(uri) or "") or {}
    if said.get("is_released"):
        return
    since = f" since {said['since']}" if said.get("since") else ""
    who = f"{said.get('host', 'another host')} (process {said.get('pid', 'unknown')}){since}"
    is_dead = is_lock_over(files, uri, said)
    yield Note("locked", f"the lock of {who}, {DEAD}" if is_dead else f"a run is at work on {who}")


def is_lock_over(files: ReadableFiles, uri: str, said: Holder) -> bool:
    """As runs take it, where the file tells when it was written last."""
    if is_holder_gone(said):
        return True
    beat = files.modified_ms(uri) if isinstance(files, LocalFiles) else None
    return beat is not None and is_silent(time.time() * 1000, beat)


def run_notes(files: ReadableFiles, folder: str) -> Iterator[Note]:
    """Of the row that publishes: a torn newest one, and no copy of it beside the tables."""
    uri = uri_of(folder, run.SPEC.name)
    newest, whole = newest_committed_version(files, uri), newest_whole(files, uri)
    if newest is not None and newest != whole:
        count = newest - (-1 if whole is None else whole)
        told = (
            f"{count} torn commits of {run.SPEC.name}, as a power cut leaves them: the next run removes them"
        )
        yield Note("torn_run", told, count)
    if last_row(files, folder) is None:
        yield Note("no_last_run", f"no {LAST_RUN}, or a torn one: the next run that publishes writes it")


def aside_notes(folder: Path) -> Iterator[Note]:
    """Of what repair took out of tables, on this machine."""
    size = LocalFiles().size_bytes(str(folder / ASIDE))
    if size:
        told = f"{size:,} bytes that repair took out of tables, in {ASIDE}: nobody needs them but who looks into it"
        yield Note("put_aside", told, size_bytes=size)


def dead_commits(newest: Mapping[str, int], published: Mapping[str, int]) -> Iterator[Note]:
    """newest: by table the version that was committed last."""
    above = {name: version - published.get(name, -1) for name, version in newest.items()}
    count = sum(one for one in above.values() if one > 0)
    if count:
        tables = sum(one > 0 for one in above.values())
        told = f"{count} commits of {tables} tables above what is published: the next run undoes them"
        yield Note("dead_commits", told, count)


def orphan_notes(tables: Collection[Path]) -> Iterator[Note]:
    """Data files, of tables on this machine, that no version names which their logs have."""
    found = [path for table in tables for path in orphan_data_files(table)]
    if found:
        size = sum(path.stat().st_size for path in found)
        told = f"{len(found):,} data files, {size:,} bytes, that no version of a table names"
        yield Note("orphans", f"{told}: of a whole warehouse maintain removes them", len(found), size)


def orphan_data_files(table: Path) -> list[Path]:
    """None where the log cannot be read: nobody knows then."""
    known = named_files(table / LOG)
    if known is None:
        return []
    data = (path for path in table.rglob("*.parquet") if not is_hidden(path.relative_to(table)))
    return sorted(path for path in data if path.relative_to(table).as_posix() not in known)


def is_hidden(relative: Path) -> bool:
    """Of Delta's own, or of a write that is not through."""
    return relative.parts[0] == LOG or any(part.startswith((".", "_")) for part in relative.parts)


def named_files(log: Path) -> set[str] | None:
    """All that commits and checkpoints of a table's log name, added or removed; None: one of them cannot be read."""
    found: set[str] = set()
    try:
        for path in log.iterdir():
            if numbered := COMMIT_FILE.match(path.name):
                actions = actions_of(LocalFiles(), str(log.parent), int(numbered[1]))
                if actions is None:
                    return None
                found |= {one[kind]["path"] for one in actions for kind in ("add", "remove") if kind in one}
            elif path.name.endswith(".parquet"):
                rows = pq.read_table(path, columns=["add.path", "remove.path"]).to_pylist()
                said = (one.get(kind) or {} for one in rows for kind in ("add", "remove"))
                found |= {one["path"] for one in said if one.get("path")}
    except (*UNREADABLE, KeyError, TypeError):
        return None
    return {unquote(one) for one in found}
