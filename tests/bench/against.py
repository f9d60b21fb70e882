"""Nights of this checkout beside those of another revision, in turn on the same machine."""

import shutil
import statistics
import subprocess
import tarfile
from pathlib import Path

from tests.bench.runs import REPOSITORY, Cost, Site

STEPS = ("first night", "nothing new")

Pair = tuple[Cost, Cost]  # of this checkout, and of the other revision


def against(revision: str, logs: Path, folder: Path, job: str, rounds: int) -> list[str]:
    """Lines of a table: the first night on these logs, then a run with nothing new, by both, in warehouses of their own;
    either first, so that what else the machine does strikes both alike."""
    work = folder.resolve() / "against"
    shutil.rmtree(work, ignore_errors=True)
    codes = {"this": frozen(work / "this"), "other": checked_out(revision, work / "other")}
    found: dict[str, list[Pair]] = {step: [] for step in STEPS}
    for number in range(rounds):
        sites = [
            Site(logs.resolve(), work / f"warehouse-{name}-{number}", job, code)
            for name, code in codes.items()
        ]
        for step in STEPS:
            costs = {site: site.run() for site in (sites[::-1] if number % 2 else sites)}
            found[step].append((costs[sites[0]], costs[sites[1]]))
    return [
        f"{'':24}{'wall s':>9}{revision[:10]:>12}{'x':>7}{'processor s':>13}{revision[:10]:>12}{'x':>7}",
        *(
            line(f"{step}, round {number}", [pair])
            for step, pairs in found.items()
            for number, pair in enumerate(pairs, 1)
            if rounds > 1
        ),
        *(line(step, pairs) for step, pairs in found.items()),
    ]


def frozen(folder: Path) -> Path:
    """The files of this checkout as they are: a run that finds other code than the run before builds all tables anew."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, folder / name)
    return with_jars(folder)


def checked_out(revision: str, folder: Path) -> Path:
    """The code of a revision."""
    folder.mkdir(parents=True)
    packed = folder.with_suffix(".tar")
    command = ["git", "archive", "--format=tar", f"--output={packed}", revision]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    packed.unlink()
    return with_jars(folder)


def with_jars(folder: Path) -> Path:
    """The jars of this checkout serve all."""
    (folder / "jars").symlink_to(REPOSITORY / "jars")
    return folder


def line(name: str, pairs: list[Pair]) -> str:
    """Medians of seconds of both, and of how many times those of this checkout the other revision takes."""
    walls = [(this.wall, other.wall) for this, other in pairs]
    of_processors = [(this.processor, other.processor) for this, other in pairs]
    (this, other, times), (own, others, times_own) = medians(walls), medians(of_processors)
    return f"{name:24}{this:9.1f}{other:12.1f}{times:7.2f}{own:13.1f}{others:12.1f}{times_own:7.2f}"


def medians(pairs: list[tuple[float, float]]) -> tuple[float, float, float]:
    this, other = zip(*pairs, strict=True)
    times = [second / first for first, second in pairs]
    return statistics.median(this), statistics.median(other), statistics.median(times)
