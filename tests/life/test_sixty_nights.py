"""Night after night of a cluster that grows, without Spark, with `maintain` now and then: what a night takes follows its
lines, not the nights before it. All of them within a day, so that maintain compacts and removes nothing."""

import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bench.long_term import Term
from tests.conftest import REPOSITORY
from tests.life.plain_nights import begun_night, seen_run
from tests.replay.simulator.cluster import Partition
from tests.replay.simulator.days import DAY_MS, START_MS
from tests.replay.simulator.disk import second, text
from tests.replay.simulator.record import printed

# NIGHTS=60 in the environment for a quarter of an hour, where nothing else runs.
NIGHTS = int(os.environ.get("NIGHTS", "12"))
MAINTAINED_EACH = 10
# A topic of one partition comes every so many days.
GROWS_EACH = 10
# Nights are held against those that follow the first ones, which make the tables.
FIRST, BESIDE = 3, 7
MOST_TIMES = 1.5


@dataclass(frozen=True)
class Night:
    """lines: brought. processor_seconds, peak_bytes: of its process. files, disk_bytes: of the warehouse after it."""

    lines: int
    processor_seconds: float
    peak_bytes: int
    files: int
    disk_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.lines} lines, {self.processor_seconds:.2f} s of a processor, {self.peak_bytes / 1e6:.0f} MB, "
            f"{self.files} files, {self.disk_bytes / 1e6:.1f} MB on disk"
        )


class Growing:
    """A cluster of which each night brings the files of a day."""

    def __init__(self, logs: Path) -> None:
        self.term, self.logs, self.written = Term(), logs, 0

    def bring(self, number: int) -> int:
        """Lines of the day."""
        if number and number % GROWS_EACH == 0:
            self.term.controller.create(f"topic-{number}", {0: Partition([1, 2, 3])})
        self.term.day(number)
        lines = printed(self.term.recorder.lines[self.written :], lambda _: "TRACE")
        self.written = len(self.term.recorder.lines)
        day, texts = second((START_MS + number * DAY_MS) // 1000)[:10], dict[str, list[str]]()
        for line in lines:
            texts.setdefault(f"broker-{line.node}/{line.log}.log.{day}-23", []).append(text(line))
        for name, said in texts.items():
            path = self.logs / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(said))
            os.utime(path, (1e9, 1e9 + number))
        return len(lines)


def night_of(logs: Path, warehouse: Path, lines: int) -> Night:
    with begun_night(logs, warehouse) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, took = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    sizes = [one.stat().st_size for one in warehouse.rglob("*") if one.is_file()]
    return Night(lines, took.ru_utime + took.ru_stime, took.ru_maxrss << 10, len(sizes), sum(sizes))


def maintain(warehouse: Path) -> str:
    """What it says of all tables."""
    done = subprocess.run(
        [sys.executable, "-m", "jobs", "maintain", "--warehouse", str(warehouse)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().splitlines()[-1].strip()


@pytest.mark.spark
@pytest.mark.soak
def test_nights_stay_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs, warehouse, nights = tmp_path / "logs", tmp_path / "warehouse", list[Night]()
    growing = Growing(logs)
    for number in range(NIGHTS):
        nights.append(night_of(logs, warehouse, growing.bring(number)))
        said = [f"night {number + 1}: {nights[-1]}"]
        if (number + 1) % MAINTAINED_EACH == 0:
            said.append(maintain(warehouse))
        with capsys.disabled():
            print("\n" + "\n".join(said), flush=True)
    assert seen_run(warehouse) >= NIGHTS
    first, last = nights[FIRST : FIRST + BESIDE], nights[-BESIDE:]
    seconds, before = (statistics.median(one.processor_seconds for one in some) for some in (last, first))
    assert seconds < MOST_TIMES * before
    peak, before = (statistics.median(one.peak_bytes for one in some) for some in (last, first))
    assert peak < MOST_TIMES * before
