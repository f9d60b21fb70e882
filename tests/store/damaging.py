"""Damages one thing of a Delta table on a local disk, as power cuts, torn copies, and people do."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from deltalake import DeltaTable

from pipeline.store.files.local_files import LocalFiles
from pipeline.store.tables.contents import data_files

Act = Callable[[Path, int], bool]


def commit(table: Path, version: int) -> Path:
    return table / "_delta_log" / f"{version:020d}.json"


def empty_commit(table: Path, version: int) -> bool:
    write(commit(table, version), b"")
    return True


def half_commit(table: Path, version: int) -> bool:
    whole = commit(table, version).read_bytes()
    write(commit(table, version), whole[: len(whole) // 2])
    return True


def removed_commit(table: Path, version: int) -> bool:
    LocalFiles().delete(str(commit(table, version)))
    return True


def added_file_left_out(table: Path, version: int) -> bool:
    """A commit of whole lines that does not name the files that it added."""
    lines = commit(table, version).read_text().splitlines()
    kept = [line for line in lines if "add" not in json.loads(line)]
    write(commit(table, version), "".join(f"{line}\n" for line in kept).encode())
    return kept != lines


def removed_file(table: Path, version: int) -> bool:
    for path in files(table, version)[:1]:
        LocalFiles().delete(str(path))
    return bool(files(table, version))


def truncated_file(table: Path, version: int) -> bool:
    for path in files(table, version)[:1]:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    return bool(files(table, version))


def flipped_byte(table: Path, version: int) -> bool:
    found = files(table, version)[:1]
    for path in found:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    return bool(found)


def column_left_out(table: Path, version: int) -> bool:
    """Of the schema that the table's log has, where its rows have it."""
    changed = False
    for path in sorted((table / "_delta_log").glob("*.json")):
        actions = [json.loads(line) for line in path.read_text().splitlines()]
        told = [one["metaData"] for one in actions if "metaData" in one]
        for one in told:
            schema = json.loads(one["schemaString"])
            schema["fields"].pop()
            one["schemaString"] = json.dumps(schema)
        if told:
            write(path, "".join(f"{json.dumps(one)}\n" for one in actions).encode())
            changed = True
    for pointer in (table / "_delta_log").glob("*.crc"):
        pointer.unlink()
    return changed and bool(data_files_named(table, version))


def data_files_named(table: Path, version: int) -> list[str]:
    return DeltaTable(str(table), version=version).file_uris()


def removed_table(table: Path, version: int) -> bool:
    shutil.rmtree(table)
    return version >= 0


def one_run_older(table: Path, version: int) -> bool:
    """Nothing of the newest version is there, as in a copy that was made while a run went on."""
    if not version:
        return False
    before = {one.path for one in data_files(str(table), version - 1)}
    for one in data_files(str(table), version):
        if one.path not in before:
            LocalFiles().delete(str(table / one.path))
    for path in (table / "_delta_log").glob(f"*{version:020d}*"):
        path.unlink()
    return True


def files(table: Path, version: int) -> list[Path]:
    return [table / one.path for one in data_files(str(table), version)]


def write(path: Path, content: bytes) -> None:
    """As a torn copy leaves it: the sums of what was whole are gone, so that the content alone can tell."""
    LocalFiles().delete(str(path))
    path.write_bytes(content)


ACTS: dict[str, Act] = {
    "newest commit empty": empty_commit,
    "newest commit half": half_commit,
    "newest commit removed": removed_commit,
    "newest commit names no file": added_file_left_out,
    "data file removed": removed_file,
    "data file truncated": truncated_file,
    "one byte flipped": flipped_byte,
    "column left out of the log": column_left_out,
    "table removed": removed_table,
    "table one run older": one_run_older,
}
