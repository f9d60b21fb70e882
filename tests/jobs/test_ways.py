"""The same job in the ways people start it: plain Python, spark-submit, spark-submit on a standalone cluster."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.jobs.conftest import SAMPLE

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


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """A standalone master with two workers on loopback, one core each."""
    port, started = free_port(), []
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
                subprocess.Popen([SPARK_CLASS, *command], env=environment(), stdout=log, stderr=log)
            )
        wait_for(tmp_path / "daemon-0.log", "Registering worker", 2)
        yield url
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


def test_spark_submit_of_the_zip_on_a_standalone_cluster(tmp_path: Path, zipped: Path, master: str) -> None:
    job = tmp_path / "nightly.py"
    job.write_text((REPOSITORY / "jobs" / "nightly.py").read_text())
    command = [
        SUBMIT, "--master", master, "--conf", "spark.driver.host=127.0.0.1", "--executor-memory", "700m",
        "--properties-file", str(REPOSITORY / "conf" / "spark-defaults.conf"), "--load-spark-defaults",
        "--py-files", str(zipped), str(job), "--placement", "executors",
    ]  # fmt: skip
    assert SCREEN in finished(command, tmp_path)
