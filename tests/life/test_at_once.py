"""Two commands on one cluster that start at once: one is locked out or waits, and the tables are those of one after the
other."""

import shutil
from pathlib import Path

import pytest

from pipeline.core.errors import Locked
from tests.jobs.small_logs import COMPARED, contents, lines_of, write
from tests.life.processes import PATIENCE_SECONDS, end_all_of, run_seq, started

pytestmark = [pytest.mark.spark, pytest.mark.soak]
DONE = (0, 7)
LOCKED = Locked.exit_code


def ended(*commands: list[str]) -> list[int]:
    """Exit codes of commands that run at once."""
    running = [started(*one) for one in commands]
    try:
        said = [one.communicate(timeout=PATIENCE_SECONDS)[0] for one in running]
    finally:
        for one in running:
            end_all_of(one.pid)
    codes = [one.returncode for one in running]
    assert all(code in (*DONE, LOCKED) for code in codes), said
    return codes


def night(folder: Path, warehouse: Path) -> list[str]:
    return ["nightly", "--logs", str(folder / "logs"), "--warehouse", str(warehouse), "--cluster", "c"]


@pytest.mark.parametrize("other", ["nightly", "maintain", "repair"])
@pytest.mark.parametrize("wait", [[], ["--wait"]], ids=["locked", "waits"])
def test_two_at_once_are_one_after_the_other(tmp_path: Path, other: str, wait: list[str]) -> None:
    warehouse, twin = tmp_path / "warehouse", tmp_path / "twin"
    controller = lines_of(1, "controller")
    write(tmp_path / "logs", "broker-1/controller.log", controller[:5])
    assert ended(night(tmp_path, warehouse)) == [0]
    shutil.copytree(warehouse, twin)
    write(tmp_path / "logs", "broker-1/controller.log", controller)
    assert ended(night(tmp_path, twin))[0] in DONE
    beside = {
        "nightly": night(tmp_path, warehouse),
        "maintain": ["maintain", "--warehouse", str(warehouse)],
        "repair": ["repair", "--warehouse", str(warehouse), "--logs", str(tmp_path / "logs")],
    }
    codes = ended([*night(tmp_path, warehouse), *wait], [*beside[other], *wait])
    assert any(code in DONE for code in codes)
    assert not wait or LOCKED not in codes
    assert ended(night(tmp_path, warehouse))[0] in DONE
    assert contents(warehouse, COMPARED) == contents(twin, COMPARED)


def test_a_cluster_that_is_forgotten_meanwhile_is_whole_or_gone(tmp_path: Path) -> None:
    """The night that follows begins anew, or goes on."""
    warehouse, twin = tmp_path / "warehouse", tmp_path / "twin"
    write(tmp_path / "logs", "broker-1/controller.log", lines_of(1, "controller"))
    assert ended(night(tmp_path, warehouse)) == [0]
    shutil.copytree(warehouse, twin)
    ended(night(tmp_path, warehouse), ["forget", "--warehouse", str(warehouse), "--cluster", "c", "--yes"])
    assert run_seq(warehouse) in (0, 1, 2)
    assert ended(night(tmp_path, warehouse))[0] in DONE
    assert contents(warehouse, COMPARED) == contents(twin, COMPARED)
