"""A standalone cluster of Spark on loopback, as processes of this machine, and what is submitted to it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import REPOSITORY

SUBMIT = str(Path(sys.executable).parent / "spark-submit")
SPARK_CLASS = str(Path(sys.executable).parent / "spark-class")
DEADLINE = 600


def environment(**more: str) -> dict[str, str]:
    kept = {
        name: text for name, text in os.environ.items() if not name.startswith(("SPARK", "PYSPARK", "PYTHON"))
    }
    return kept | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"} | more


@dataclass(frozen=True)
class Standalone:
    """A standalone master and its daemons: the master first. Each worker works in `worker-N` of the folder."""

    url: str
    daemons: list[subprocess.Popen[bytes]]
    folder: Path

    def kill_worker(self) -> None:
        """With its executor, as a machine that is gone."""
        os.killpg(self.daemons[-1].pid, signal.SIGKILL)

    def count_written(self, words: str, worker: str = "*") -> int:
        """How often it stands in the logs of executors."""
        logs = (one.read_text() for one in self.folder.glob(f"worker-{worker}/app-*/*/stderr"))
        return sum(len(re.findall(words, one)) for one in logs)

    def kill_worker_once(self, words: str, count: int = 1) -> None:
        """The last worker, once its executor has written that so often."""
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            if self.count_written(words, "2") >= count:
                self.kill_worker()
                return
            time.sleep(0.2)


@contextmanager
def standalone(folder: Path) -> Iterator[Standalone]:
    """A master with two workers, one core each."""
    port = free_port()
    started: list[subprocess.Popen[bytes]] = []
    url = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    for number in (1, 2):
        work = str(folder / f"worker-{number}")
        worker = f"{deploy}.worker.Worker --host 127.0.0.1 --webui-port 0 -c 1 -m 1g -d {work} {url}"
        commands.append(worker.split())
    try:
        for number, command in enumerate(commands):
            log = (folder / f"daemon-{number}.log").open("w")
            started.append(
                subprocess.Popen(
                    [SPARK_CLASS, *command],
                    env=environment(), stdout=log, stderr=log, start_new_session=True,
                )
            )  # fmt: skip
        wait_for(folder / "daemon-0.log", "Registering worker", 2)
        yield Standalone(url, started, folder)
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


def zipped_wheel(folder: Path) -> Path:
    """The built wheel as .zip: --py-files takes no .whl on executors."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    subprocess.run([*build, str(REPOSITORY)], check=True, timeout=DEADLINE)
    wheel = next(folder.glob("*.whl"))
    return wheel.rename(wheel.with_suffix(".zip"))


def submitted(url: str, zipped: Path, folder: Path) -> list[str]:
    """The command of the nightly of the zip."""
    job = folder / "nightly.py"
    job.write_text((REPOSITORY / "jobs" / "nightly.py").read_text())
    return [
        SUBMIT, "--master", url, "--conf", "spark.driver.host=127.0.0.1", "--executor-memory", "700m",
        "--properties-file", str(REPOSITORY / "conf" / "spark-defaults.conf"), "--load-spark-defaults",
        "--py-files", str(zipped), str(job),
    ]  # fmt: skip
