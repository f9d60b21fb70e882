"""A small warehouse of two runs, damaged one thing at a time: what a run says of it, and what repair makes of it."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jobs import nightly, repair
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.runs.published import Published, read_published_run
from tests.golden import Lines, write_logs
from tests.life.harness import said, tables_of
from tests.published import published_tables, texts
from tests.store.damaging import ACTS, commit

CLUSTER = "c"
FIRST: Lines = {"broker-1/controller.log": 6, "broker-1/state-change.log": 4}
ALL: Lines = {
    "broker-1/controller.log": None,
    "broker-1/state-change.log": None,
    "broker-3/controller.log": None,
}


@dataclass(frozen=True)
class Outcome:
    """Exit codes of a run on the damaged warehouse, of repair, and of the run after it; the tables whose rows are not
    those of a warehouse that was never damaged."""

    said: int
    mended: int
    after: int
    differing: tuple[str, ...] = ()


def given(folder: Path) -> list[str]:
    return ["--logs", str(folder / "logs"), "--warehouse", str(folder / "warehouse"), "--cluster", CLUSTER]


def made(folder: Path, night: Callable[[list[str]], int] = nightly.main) -> Path:
    """The folder of logs and the warehouse that two runs made of them; `before`: as the first one left it."""
    for lines in (FIRST, ALL):
        if (folder / "warehouse").is_dir():
            shutil.copytree(folder / "warehouse", folder / "before")
        write_logs(folder / "logs", lines)
        for path in (folder / "logs").rglob("*.log"):
            os.utime(path, (1e9, 1e9 + sum(one or 0 for one in lines.values())))
        assert night(given(folder)) == 0
    return folder


def seen(folder: Path) -> Published:
    return read_published_run(LocalFiles(), str(folder / "warehouse" / CLUSTER), lambda _: [])


def files_of(folder: Path, table: str) -> bool:
    """Whether the newest version of a table added a data file."""
    cluster = folder / "warehouse" / CLUSTER
    path, version = cluster / table.replace(".", "/"), seen(folder).versions[table]
    text = commit(path, version).read_text()
    return any("add" in json.loads(line) for line in text.splitlines())


def rows(folder: Path) -> dict[str, list[str]]:
    """By table what it says, by whatever run."""
    stored = published_tables(folder / "warehouse", CLUSTER)
    # A finding that was new to one run is ongoing to the next.
    return {name: texts(said(name, stored(name), ("status",))) for name in tables_of("nightly")}


def outcome(whole: Path, folder: Path, *acts: tuple[str, str], with_logs: bool = True) -> Outcome | None:
    """Of damages (table, act) on a copy of the whole warehouse; None: there is nothing of the kind to damage."""
    shutil.copytree(whole, folder)
    for table, act in acts:
        version = seen(folder).versions.get(table, seen(folder).run_seq)
        if not ACTS[act](folder / "warehouse" / CLUSTER / table.replace(".", "/"), version):
            return None
    code = nightly.main(given(folder))
    mended = repair.main(given(folder) if with_logs else given(folder)[2:])
    after = nightly.main(given(folder))
    found, expected = rows(folder), rows(whole)
    return Outcome(code, mended, after, tuple(one for one in found if found[one] != expected[one]))
