"""Two commands on one cluster that start at once: one is locked out or waits, and the tables are those of one after the
other."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.core.errors import Locked
from tests.jobs.small_logs import COMPARED, contents, lines_of, run, write
from tests.life.processes import PATIENCE_SECONDS, end_all_of, run_seq, started

pytestmark = [pytest.mark.spark, pytest.mark.soak]
DONE = (0, 7)
LOCKED = Locked.exit_code
LOG = "broker-1/controller.log"


@dataclass(frozen=True)
class Begun:
    """A warehouse as its first night left it, and what a second night makes of it with all of the log."""

    warehouse: Path
    logs: Path
    expected: dict[str, list[str]]


@pytest.fixture(scope="module")
def begun(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Begun:
    folder = tmp_path_factory.mktemp("begun")
    warehouse, twin, logs = (folder / name for name in ("warehouse", "twin", "logs"))
    controller = lines_of(1, "controller")
    write(logs, LOG, controller[:5])
    assert run(logs, warehouse) == 0
    shutil.copytree(warehouse, twin)
    write(logs, LOG, controller)
    assert run(logs, twin) in DONE
    return Begun(warehouse, logs, contents(twin, COMPARED))


def ended(*commands: list[str]) -> list[int]:
    """Exit codes of commands that run at once."""
    begun_at = time.monotonic()
    running = [started(*one) for one in commands]
    try:
        said = [one.communicate(timeout=PATIENCE_SECONDS)[0] for one in running]
    finally:
        for one in running:
            end_all_of(one.pid)
    codes = [one.returncode for one in running]
    print([one[0] for one in commands], codes, f"{time.monotonic() - begun_at:.0f} s")
    assert all(code in (*DONE, LOCKED) for code in codes), said
    return codes


def night(begun: Begun, warehouse: Path) -> list[str]:
    return ["nightly", "--logs", str(begun.logs), "--warehouse", str(warehouse), "--cluster", "c"]


@pytest.mark.parametrize("other", ["nightly", "maintain", "repair"])
@pytest.mark.parametrize("wait", [[], ["--wait"]], ids=["locked", "waits"])
def test_two_at_once_are_one_after_the_other(
    begun: Begun, tmp_path: Path, other: str, wait: list[str]
) -> None:
    warehouse = shutil.copytree(begun.warehouse, tmp_path / "warehouse")
    beside = {
        "nightly": night(begun, warehouse),
        "maintain": ["maintain", "--warehouse", str(warehouse)],
        "repair": ["repair", "--warehouse", str(warehouse), "--logs", str(begun.logs)],
    }
    codes = ended([*night(begun, warehouse), *wait], [*beside[other], *wait])
    assert any(code in DONE for code in codes)
    assert not wait or LOCKED not in codes
    assert run(begun.logs, warehouse) in DONE
    assert contents(warehouse, COMPARED) == begun.expected


def test_a_cluster_that_is_forgotten_meanwhile_is_whole_or_gone(begun: Begun, tmp_path: Path) -> None:
    """The night that follows begins anew, or goes on."""
    warehouse = shutil.copytree(begun.warehouse, tmp_path / "warehouse")
    ended(night(begun, warehouse), ["forget", "--warehouse", str(warehouse), "--cluster", "c", "--yes"])
    assert run_seq(warehouse) in (0, 1, 2)
    assert run(begun.logs, warehouse) in DONE
    assert contents(warehouse, COMPARED) == begun.expected
