"""What a run publishes is waited for until the disk has it: each file, and each name on the way to it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from jobs import nightly
from pipeline.core.errors import EnvironmentProblem
from pipeline.store.files.durable import make_durable, sync_path
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.runs.published import read_published_run
from schemas.silver import term
from tests.conftest import REPOSITORY
from tests.jobs.small_logs import lines_of, run, write
from tests.mending.plain import plain_nightly
from tests.mending.stores import plain_store

SYNCED = re.compile(r"fsync\(\d+<([^>]+)>")
CALL = """
from pathlib import Path
from pipeline.store.files.durable import make_durable
warehouse = Path({!r})
make_durable(warehouse, {{warehouse / "c/silver/term": range(1, 3)}})
"""


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """Of one table, in three versions."""
    found = tmp_path / "w"
    for number in range(3):
        rows = pa.table({"a": [number]})
        write_deltalake(str(found / "c/silver/term"), rows, mode="append", partition_by=None)
    return found


def expected_of(table: Path, versions: range) -> set[Path]:
    """The commits of these versions and the files that came with them, by delta-rs."""
    found = {Path(one) for one in DeltaTable(str(table), version=versions[-1]).file_uris()}
    before = DeltaTable(str(table), version=versions[0] - 1).file_uris() if versions[0] else []
    return found - set(map(Path, before)) | {table / f"_delta_log/{one:020d}.json" for one in versions}


def test_the_files_of_commits_and_their_names(warehouse: Path) -> None:
    table = warehouse / "c/silver/term"
    found = make_durable(warehouse, {table: range(1, 3)})
    folders = {table / "_delta_log", table, table.parent, warehouse / "c", warehouse, warehouse.parent}
    assert set(found) == expected_of(table, range(1, 3)) | folders
    assert found[-len(folders) :] == sorted(folders), "names come after what they name"
    assert make_durable(warehouse, {table: range(3, 3)}) == []


def test_what_a_dead_run_wrote_and_who_took_it_back_are_waited_for(tmp_path: Path) -> None:
    """A table is read by all of its log: a torn commit in it would be the end of what is published behind it."""
    store = plain_store(tmp_path)
    seen, spec = store.published(), term.SPEC
    store.write_locally(9)
    store.writer.append(spec, spec.arrow.empty_table(), "dead")
    store.run_id = "next"
    heads = store.restore((spec,), seen)
    wanted = seen.versions[spec.name]
    assert heads == {spec.name: wanted + 2}
    assert store.written_since(seen.versions, heads) == {spec.name: range(wanted + 1, wanted + 3)}
    store.bases[spec.name] = wanted - 1  # of a table that repair rolled back
    assert store.written_since(seen.versions, heads) == {spec.name: range(wanted, wanted + 3)}


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
def test_the_system_is_asked_for_each(warehouse: Path, tmp_path: Path) -> None:
    said = tmp_path / "strace"
    traced = ["strace", "-f", "-y", "-e", "trace=fsync", "-o", str(said)]
    call = [sys.executable, "-c", CALL.format(str(warehouse))]
    done = subprocess.run([*traced, *call], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    table = warehouse / "c/silver/term"
    assert set(map(Path, SYNCED.findall(said.read_text()))) == set(
        make_durable(warehouse, {table: range(1, 3)})
    )


def test_what_the_disk_does_not_take_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="nothing was published"):
        sync_path(tmp_path / "gone.parquet")


@pytest.mark.parametrize(
    "job", [plain_nightly, pytest.param(nightly.main, marks=[pytest.mark.soak, pytest.mark.spark])]
)
def test_a_run_waits_for_all_that_it_publishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: Callable[[list[str]], int]
) -> None:
    """The row that publishes comes last."""
    synced: list[Path] = []
    real = os.fsync

    def recorded(handle: int) -> None:
        real(handle)
        synced.append(Path(f"/proc/self/fd/{handle}").readlink())

    monkeypatch.setattr(os, "fsync", recorded)
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    lines = lines_of(1, "controller")
    write(logs, "broker-1/controller.log", lines[:9])
    assert run(logs, warehouse, job) == 0
    first = read_published_run(LocalFiles(), str(warehouse / "c"), lambda _: []).versions
    write(logs, "broker-1/controller.log", lines)
    synced.clear()
    assert run(logs, warehouse, job) == 0
    versions = read_published_run(LocalFiles(), str(warehouse / "c"), lambda _: []).versions
    for name, head in versions.items():
        new = range(first.get(name, -1) + 1, head + 1)
        assert not new or expected_of(warehouse / "c" / name.replace(".", "/"), new) <= set(synced), name
    of_runs = [place for place, one in enumerate(synced) if one.is_relative_to(warehouse / "c/ops/run")]
    data = [place for place, one in enumerate(synced) if one.suffix == ".parquet" and place not in of_runs]
    assert data
    assert max(data) < min(of_runs)
