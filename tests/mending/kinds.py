"""Kinds of damage: of one table, and of a cluster as a whole."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pipeline.store.files.local_files import LocalFiles
from pipeline.store.runs.published import LAST_RUN
from pipeline.store.tables.commit_files import newest_committed_version
from tests.store.damaging import ACTS, Act, commit, write

# Of a cluster's folder, and the same as the night before left it. False: there is nothing of the kind to damage.
ClusterAct = Callable[[Path, Path], bool]
LOG = "_delta_log"


def log_emptied(table: Path, version: int) -> bool:
    """A folder without a commit, as a kill leaves it that comes while tables are made."""
    shutil.rmtree(table / LOG)
    (table / LOG).mkdir()
    return version >= 0


def turned_bit(path: Path) -> bool:
    """Beside it lie the sums of what it was. A digit: what it is in stays JSON."""
    content = bytearray(path.read_bytes())
    digits = [place for place, one in enumerate(content) if chr(one).isdigit()]
    content[digits[len(digits) // 2]] ^= 1
    path.write_bytes(content)
    return True


def turned_commit(table: Path, version: int) -> bool:
    return turned_bit(commit(table, version))


def turned_summary(table: Path, _: int) -> bool:
    """Of Delta's own summary of its newest version that has one."""
    found = sorted((table / LOG).glob("[0-9]*.crc"))
    return bool(found) and turned_bit(found[-1])


def column_left_out(table: Path, _: int) -> bool:
    """Of the schema that the log states, with its sums gone; Delta's summaries, which state it too, as well."""
    for path in list((table / LOG).glob("*.crc")):
        path.unlink()
    for path in sorted((table / LOG).glob("*.json")):
        actions = [json.loads(line) for line in path.read_text().splitlines()]
        for one in (one["metaData"] for one in actions if "metaData" in one):
            schema = json.loads(one["schemaString"])
            schema["fields"] = schema["fields"][:-1]
            one["schemaString"] = json.dumps(schema)
        write(path, "".join(f"{json.dumps(one)}\n" for one in actions).encode())
    return True


def replaced_by_before(cluster: Path, before: Path, *names: str) -> bool:
    for name in names:
        shutil.rmtree(cluster / name, ignore_errors=True)
        if (before / name).is_dir():
            shutil.copytree(before / name, cluster / name)
    return True


def removed(cluster: Path, _: Path, *names: str) -> bool:
    for name in names:
        path = cluster / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return True


def files_gone(cluster: Path, _: Path) -> bool:
    for path in (one for one in cluster.rglob("*") if one.is_file()):
        path.unlink()
    return True


def turned_last_run(cluster: Path, _: Path) -> bool:
    return turned_bit(cluster / LAST_RUN)


def of_runs(act: Act, cluster: Path, _: Path) -> bool:
    table = cluster / "ops" / "run"
    return act(table, newest_committed_version(LocalFiles(), str(table)) or 0)


READ_AND_BUILT = ("bronze", "silver", "state", "gold")
OF_TABLES: dict[str, Act] = ACTS | {
    "log emptied": log_emptied,
    "bit of newest commit turned": turned_commit,
    "bit of Delta's summary turned": turned_summary,
    "column left out of the schema": column_left_out,
}
OF_CLUSTERS: dict[str, ClusterAct] = {
    **{f"ops.run: {name}": partial(of_runs, act) for name, act in OF_TABLES.items()},
    "ops removed": lambda cluster, before: removed(cluster, before, "ops"),
    "ops one night older": lambda cluster, before: replaced_by_before(cluster, before, "ops"),
    "all but ops one night older": lambda cluster, before: replaced_by_before(
        cluster, before, *READ_AND_BUILT
    ),
    "all but ops removed": lambda cluster, before: removed(cluster, before, *READ_AND_BUILT),
    "row beside the tables removed": lambda cluster, before: removed(cluster, before, LAST_RUN),
    "row beside the tables and ops removed": lambda cluster, before: removed(
        cluster, before, LAST_RUN, "ops"
    ),
    "bit of the row beside the tables turned": turned_last_run,
    "all files gone, folders left": files_gone,
}
