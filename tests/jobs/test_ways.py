"""The same job in the ways people start it: plain Python, spark-submit, spark-submit on a standalone cluster."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.incremental.nights import BUILT, differences
from tests.jobs.conftest import SAMPLE
from tests.published import published_tables
from tests.standalone import DEADLINE, SUBMIT, environment, standalone, submitted, zipped_wheel

pytestmark = pytest.mark.soak
SCREEN = "AT END  offline 0 | not preferred 12/44 | deleting 0 | controller 2 (epoch 8)"


def finished(command: list[str], folder: Path, **more: str) -> str:
    return ended(command, folder, **more).stdout


def ended(command: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    arguments = ["--logs", str(SAMPLE), "--warehouse", str(folder / "warehouse")]
    done = subprocess.run(
        [*command, *arguments],
        cwd=folder, env=environment(**more), capture_output=True, text=True, timeout=DEADLINE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return done


def test_plain_python(tmp_path: Path) -> None:
    """Nothing but the warehouse is left, whatever stands in the path; Java has nothing to say of its start."""
    folder = tmp_path / "my logs ü"
    folder.mkdir()
    command = [sys.executable, str(REPOSITORY / "jobs" / "nightly.py")]
    done = ended(command, folder, PYTHONPATH=str(REPOSITORY))
    assert SCREEN in done.stdout
    assert [line for line in done.stderr.splitlines() if " INFO " not in line] == []
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    assert [path.name for path in folder.iterdir()] == ["warehouse"]
    kept = subprocess.run(
        [sys.executable, str(REPOSITORY / "jobs" / "maintain.py"), "--warehouse", "warehouse"],
        cwd=folder, env=environment(PYTHONPATH=str(REPOSITORY)), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert kept.returncode == 0 and kept.stdout.startswith("lab-2.2.2  MAINTAINED  "), kept.stderr
    assert [line for line in kept.stderr.splitlines() if " INFO " not in line] == []
    assert [path.name for path in folder.iterdir()] == ["warehouse"]


def test_spark_submit_with_our_configuration(tmp_path: Path) -> None:
    command = [SUBMIT, "--master", "local[2]", str(REPOSITORY / "jobs" / "nightly.py")]
    assert SCREEN in finished(command, tmp_path, SPARK_CONF_DIR=str(REPOSITORY / "conf"))


def test_spark_submit_of_the_zip_on_a_standalone_cluster(tmp_path: Path) -> None:
    """A worker that is killed while tasks read the logs changes no row."""
    plain = tmp_path / "plain"
    plain.mkdir()
    finished([sys.executable, str(REPOSITORY / "jobs" / "nightly.py")], plain, PYTHONPATH=str(REPOSITORY))
    with standalone(tmp_path) as cluster:
        command = submitted(cluster.url, zipped_wheel(tmp_path), tmp_path)
        killed = threading.Thread(target=cluster.kill_worker_once, args=(".",))
        killed.start()
        assert SCREEN in finished([*command, "--placement", "executors"], tmp_path)
        killed.join(DEADLINE)
        assert cluster.daemons[-1].wait(30) == -signal.SIGKILL
    found, expected = (
        {one.spec.name: rows_of(one.spec.name) for one in BUILT}
        for rows_of in (published_tables(at / "warehouse", "lab-2.2.2") for at in (tmp_path, plain))
    )
    assert differences(found, expected) == []
