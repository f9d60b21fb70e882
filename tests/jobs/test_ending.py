"""Whatever a command meets ends in one sentence and an exit code, and its traces in a file of their own."""

import re
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from jobs import cli, nightly
from jobs.engine.run.outcome import Ending
from pipeline.core.errors import Locked
from tests.golden import CLUSTER
from tests.jobs.small_logs import lines_of, write
from tests.store.damaging import ACTS

NAMED = re.compile(r"The traces are in (\S+)\.\n$")
# Of tables whose contents no run stated, and of bytes that no sum is kept of, a reader cannot tell.
TOLD_BY_READERS = set(ACTS) - {"newest commit names no file", "one byte flipped"}


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


def test_a_fault_of_the_program_is_told_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with Ending("nightly", "w", "c", lambda: "nothing of c is published") as end:
        raise KeyError("silver.term")
    said = capsys.readouterr().err
    assert (end.code, said.count("\n")) == (1, 1)
    assert "found KeyError: 'silver.term'; nothing of c is published; report it" in said
    traces = Path(NAMED.search(said)[1])  # type: ignore[index]
    assert 'raise KeyError("silver.term")' in traces.read_text()
    assert stat.S_IMODE(traces.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR


def test_where_no_file_can_be_kept_the_traces_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with Ending("nightly") as end:
        raise KeyError("x")
    said = capsys.readouterr().err
    assert end.code == 1 and "Traceback" in said and said.endswith("The traces are above, on stderr.\n")


def test_what_people_can_mend_needs_no_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Ending("nightly") as end:
        raise Locked(expected="a", found="b", todo="c")
    assert (end.code, capsys.readouterr().err) == (6, "nightly: Expected a, found b; c.\n")
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("passed", [KeyboardInterrupt, BrokenPipeError, SystemExit])
def test_what_is_no_failure_goes_on(passed: type[BaseException]) -> None:
    with pytest.raises(passed), Ending("nightly"):
        raise passed


def test_a_file_where_the_warehouse_should_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "logs", "controller.log", lines_of(1, "controller"))
    (tmp_path / "file").write_text("")
    given = ["--logs", str(tmp_path / "logs"), "--cluster", "c", "--warehouse", str(tmp_path / "file" / "w")]
    assert nightly.main(given) == 3
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(
        "nightly: Expected files and folders where the warehouse has its own, found Not a directory"
    )
    assert "nothing of c is published" in said


@pytest.mark.parametrize("act", sorted(TOLD_BY_READERS))
def test_a_damaged_table_is_told_by_readers(
    golden: Path, act: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ACTS[act](golden / CLUSTER / "gold" / "controller_term", 2)
    assert cli.main(["terms", "--warehouse", str(golden)]) == 10
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert (
        "of gold.controller_term in" in said.err
        and f"doctor --warehouse {golden} --cluster {CLUSTER}" in said.err
    )


def test_a_damaged_cluster_holds_back_no_other(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(golden / CLUSTER, golden / "other")
    assert ACTS["data file removed"](golden / CLUSTER / "gold" / "controller_term", 2)
    assert cli.main(["terms", "--warehouse", str(golden)]) == 0
    said = capsys.readouterr().out
    assert "session expired" in said and f"NO ANSWER  {CLUSTER}: expected version 2" in said
