"""The same job in the ways people start it: plain Python, spark-submit, spark-submit on a standalone cluster."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.incremental.nights import BUILT, differences
from tests.jobs.conftest import SAMPLE
from tests.published import published_tables

pytestmark = pytest.mark.soak
SCREEN = "AT END  offline 0 | not preferred 12/44 | deleting 0 | controller 2 (epoch 8)"
SUBMIT = str(Path(sys.executable).parent / "spark-submit")
SPARK_CLASS = str(Path(sys.executable).parent / "spark-class")
DEADLINE = 600


def environment(**more: str) -> dict[str, str]:
    kept = {
        name: text for name, text in os.environ.items() if not name.startswith(("SPARK", "PYSPARK", "PYTHON"))
    }
    return kept | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"} | more


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


@pytest.fixture
def zipped(tmp_path: Path) -> Path:
    """The built wheel as .zip: --py-files takes no .whl on executors."""
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path),
        str(REPOSITORY),
    ]
    subprocess.run(build, check=True, timeout=DEADLINE)
    wheel = next(tmp_path.glob("*.whl"))
    return wheel.rename(wheel.with_suffix(".zip"))


@dataclass(frozen=True)
class Standalone:
    """A standalone master and its daemons: the master first."""

    url: str
    daemons: list[subprocess.Popen[bytes]]

    def kill_worker(self) -> None:
        """With its executor, as a machine that is gone."""
        os.killpg(self.daemons[-1].pid, signal.SIGKILL)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Standalone]:
    """A standalone master with two workers on loopback, one core each."""
    port = free_port()
    started: list[subprocess.Popen[bytes]] = []
    url = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    for number in (1, 2):
        work = str(tmp_path / f"worker-{number}")
        worker = f"{deploy}.worker.Worker --host 127.0.0.1 --webui-port 0 -c 1 -m 1g -d {work} {url}"
        commands.append(worker.split())
    try:
        for number, command in enumerate(commands):
            log = (tmp_path / f"daemon-{number}.log").open("w")
            started.append(
                subprocess.Popen(
                    [SPARK_CLASS, *command],
                    env=environment(), stdout=log, stderr=log, start_new_session=True,
                )
            )  # fmt: skip
        wait_for(tmp_path / "daemon-0.log", "Registering worker", 2)
        yield Standalone(url, started)
    finally:
        for daemon in started:
            daemon.terminate()
            daemon.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(log: Path, words: str, count: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if log.exists() and len(re.findall(words, log.read_text())) >= count:
            return
        time.sleep(0.5)
    raise AssertionError(f"no {words!r} in {log}: {log.read_text()[-2000:]}")


def submit(url: str, zipped: Path, folder: Path) -> list[str]:
    """The nightly of the zip, with its kernels of single records on the executors."""
    job = folder / "nightly.py"
    job.write_text((REPOSITORY / "jobs" / "nightly.py").read_text())
    return [
        SUBMIT, "--master", url, "--conf", "spark.driver.host=127.0.0.1", "--executor-memory", "700m",
        "--properties-file", str(REPOSITORY / "conf" / "spark-defaults.conf"), "--load-spark-defaults",
        "--py-files", str(zipped), str(job), "--placement", "executors",
    ]  # fmt: skip


def test_spark_submit_of_the_zip_on_a_standalone_cluster(
    tmp_path: Path, zipped: Path, cluster: Standalone
) -> None:
    """A worker that is killed while tasks read the logs changes no row."""
    plain = tmp_path / "plain"
    plain.mkdir()
    finished([sys.executable, str(REPOSITORY / "jobs" / "nightly.py")], plain, PYTHONPATH=str(REPOSITORY))
    killed = threading.Thread(target=kill_at_first_task, args=(cluster, tmp_path))
    killed.start()
    assert SCREEN in finished(submit(cluster.url, zipped, tmp_path), tmp_path)
    killed.join(DEADLINE)
    assert cluster.daemons[-1].wait(30) == -signal.SIGKILL
    found, expected = (
        {one.spec.name: rows_of(one.spec.name) for one in BUILT}
        for rows_of in (published_tables(at / "warehouse", "lab-2.2.2") for at in (tmp_path, plain))
    )
    assert differences(found, expected) == []


def kill_at_first_task(cluster: Standalone, folder: Path) -> None:
    """The last worker, once its executor has written to its log."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        if any(one.stat().st_size for one in folder.glob("worker-2/app-*/*/stderr")):
            cluster.kill_worker()
            return
        time.sleep(0.2)
