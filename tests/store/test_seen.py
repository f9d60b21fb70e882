"""Readers answer from the run that published last, whatever became of its row, and say nothing of fewer runs."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs.questions import status
from jobs.questions.asking import ask_by_command
from pipeline.core.errors import WarehouseDamaged
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from pipeline.store.runs.published import LAST_RUN, keep_last_run
from pipeline.store.tables.commit_files import commit_note, newest_committed_version
from schemas.ops import run
from tests.golden import CLUSTER, unpacked
from tests.store.damaging import commit, empty_commit, half_commit, removed_commit

RUNS = "ops/run"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the copy of the newest row beside it, as releases keep it by now."""
    cluster = unpacked(tmp_path_factory.mktemp("whole")) / CLUSTER
    copied(cluster, newest(cluster))
    return cluster


@pytest.fixture
def cluster(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / CLUSTER))


def newest(cluster: Path) -> int:
    return newest_committed_version(LocalFiles(), str(cluster / RUNS)) or 0


def copied(cluster: Path, version: int) -> None:
    """Beside the tables stands the row that this commit of ops.run wrote."""
    keep_last_run(LocalFiles(), str(cluster), commit_note(LocalFiles(), str(cluster / RUNS), version) or "")


def at(cluster: Path) -> DirectWarehouse:
    return DirectWarehouse(str(cluster.parent), LocalFiles())


def older(table: Path, version: int) -> None:
    for path in (table / "_delta_log").glob(f"*{version:020d}*"):
        path.unlink()


def gone(table: Path, _: int) -> None:
    shutil.rmtree(table)


def all_torn(table: Path, version: int) -> None:
    for one in range(version + 1):
        empty_commit(table, one)


@pytest.mark.parametrize("act", [empty_commit, half_commit, removed_commit, older, gone, all_torn])
def test_a_run_that_ops_run_has_lost_is_answered_from_its_copy(
    act: Callable[[Path, int], object], cluster: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = at(whole).published(CLUSTER)
    assert expected.lost is None
    act(cluster / RUNS, newest(whole))
    seen = at(cluster).published(CLUSTER)
    assert (seen.run_id, seen.versions) == (expected.run_id, expected.versions)
    assert seen.lost is not None and f"run {expected.run_id} published after it" in seen.lost
    assert at(cluster).published(CLUSTER, expected.run_id) == seen
    given = ["--warehouse", str(cluster.parent)]
    assert status.main(given) == 0
    found = capsys.readouterr()
    assert f"cluster {CLUSTER}: {seen.lost}, as {LAST_RUN} tells" in found.err
    assert status.main(["--warehouse", str(whole.parent)]) == 0
    assert capsys.readouterr().out == found.out
    assert ask_by_command("runs", given) == WarehouseDamaged.exit_code
    assert seen.lost in capsys.readouterr().err
    with pytest.raises(WarehouseDamaged, match=r"every run in ops\.run"):
        at(cluster).tables(CLUSTER, seen).read(run.SPEC, None, ("job",))


@pytest.mark.parametrize(
    "copy", [None, "", "7", "{}", "[" * 100_000, json.dumps({"run_seq": 99, "run_id": 1, "counts": []})]
)
def test_a_copy_that_is_none_hides_no_run(copy: str | None, cluster: Path, whole: Path) -> None:
    (cluster / LAST_RUN).unlink()
    if copy is not None:
        (cluster / LAST_RUN).write_text(copy)
    assert at(cluster).published(CLUSTER) == at(whole).published(CLUSTER)


def test_an_older_copy_hides_no_run(cluster: Path, whole: Path) -> None:
    copied(cluster, newest(cluster) - 1)
    assert at(cluster).published(CLUSTER) == at(whole).published(CLUSTER)


def test_a_table_that_is_older_than_its_run_is_not_answered_from(cluster: Path) -> None:
    table = cluster / "gold" / "finding"
    older(table, at(cluster).published(CLUSTER).versions["gold.finding"])
    assert not commit(table, 2).exists()
    assert status.main(["--warehouse", str(cluster.parent)]) == WarehouseDamaged.exit_code
