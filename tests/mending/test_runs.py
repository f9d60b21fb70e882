"""The row of the run that published last comes back, though a table is older than that run left it."""

import json
import shutil
from pathlib import Path

import pytest

from jobs.engine.mending.runs import put_back_last_run, typed_run_row
from pipeline.core.frames import empty_frame
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.runs.damage import inspect_published
from pipeline.store.runs.published import LAST_RUN, keep_last_run
from pipeline.store.tables.commit_files import commit_note, newest_committed_version
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import quality_result, run
from tests.store.damaging import one_run_older, removed_commit
from tests.store.stating import put


@pytest.fixture
def cluster(store: ClusterWarehouse) -> Path:
    """Its runs are in a table of this release, and beside the tables there is the copy of the newest row."""
    folder, files = Path(store.folder), LocalFiles()
    notes = [commit_note(files, str(folder / "ops/run"), one) or "" for one in range(1, newest(folder) + 1)]
    put(folder, run.SPEC, empty_frame(run.SPEC))
    for told in notes:
        store.append_run(typed_run_row(json.loads(told)))
    keep_last_run(files, str(folder), notes[-1])
    return folder


def newest(folder: Path) -> int:
    return newest_committed_version(LocalFiles(), str(folder / "ops/run")) or 0


def test_ops_of_an_older_backup_has_its_newest_row_again(store: ClusterWarehouse, cluster: Path) -> None:
    expected = store.published()
    assert put_back_last_run(store, cluster / "aside") is None
    removed_commit(cluster / "ops/run", newest(cluster))
    one_run_older(cluster / "ops/quality_result", expected.versions[quality_result.SPEC.name])
    assert put_back_last_run(store, cluster / "aside") == f"run {expected.run_id} is in ops.run again"
    assert store.published() == expected
    damages = inspect_published(str(cluster), store.published()).damages
    assert [(one.table, one.kind) for one in damages] == [(quality_result.SPEC.name, "version_gone")]


def test_rows_between_of_which_no_copy_is_kept_are_said(store: ClusterWarehouse, cluster: Path) -> None:
    row = json.loads((cluster / LAST_RUN).read_text())
    keep_last_run(
        LocalFiles(), str(cluster), json.dumps(row | {"run_seq": row["run_seq"] + 3, "run_id": "z"})
    )
    said = put_back_last_run(store, cluster / "aside")
    assert (
        said == "run z is in ops.run again; 2 runs before it, of which no copy is kept, 'runs' lists no more"
    )


def test_what_is_no_row_is_not_put_back(store: ClusterWarehouse, cluster: Path) -> None:
    shutil.copy(cluster / LAST_RUN, cluster / "kept")
    (cluster / LAST_RUN).write_text(json.dumps({"run_seq": 99}))
    assert put_back_last_run(store, cluster / "aside") is None
