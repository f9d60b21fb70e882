"""Whether a night costs what it brings: the same logs on one day after another, read night after night."""

import shutil
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from datetime import timedelta
from io import StringIO
from pathlib import Path

from tests.bench.data import FIRST_DAY, SAMPLE, logs, renamed

SHOWN = (1, 2, 3, 5, 10, 20, 50)


def nights(folder: Path, count: int, job: str, at_once: int) -> list[str]:
    """Lines of a table: seconds of chosen nights, as ratio to the second; a run with nothing new at the end.

    at_once: so many of the nights after the second are read in one run, to come to a long history sooner.
    """
    from importlib import import_module  # noqa: PLC0415

    from pipeline.store.session import get_spark  # noqa: PLC0415

    run = import_module(f"jobs.{job}").main
    get_spark().sparkContext.setLogLevel("ERROR")
    found, warehouse = folder / "nights", folder / "nights-warehouse"
    for old in (found, warehouse):
        shutil.rmtree(old, ignore_errors=True)
    arguments = ["--logs", str(found), "--warehouse", str(warehouse), "--cluster", "c"]
    alone = [*range(2), *range(2 + at_once, count)]
    taken: dict[int, float] = {}
    size = 0
    for night in alone:
        if night == 2 + at_once:
            for each in range(2, night):
                add_night(found, each)
            timed(run, arguments)
        size = add_night(found, night)
        taken[night + 1] = timed(run, arguments)
    timed(run, arguments)  # the last lines of files that were not quiet before
    nothing_new = timed(run, arguments)
    shown = [one for one in taken if one in SHOWN or one >= count - 1]
    lines = [f"night {one:>4} {taken[one]:>8.1f} s {taken[one] / taken[2]:>6.2f} x night 2" for one in shown]
    return [f"a night brings {size / 1e6:.1f} MB", *lines, f"nothing new {nothing_new:>5.1f} s"]


def timed(run: Callable[[list[str]], int], arguments: list[str]) -> float:
    began = time.perf_counter()
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = run(arguments)
    if code:
        raise RuntimeError(f"exit code {code}\n{said.getvalue()}")
    return time.perf_counter() - began


def add_night(folder: Path, night: int) -> int:
    """One more day of the sample, in rolled files of its own; their bytes."""
    size = 0
    for path, _ in logs(SAMPLE):
        day = FIRST_DAY + timedelta(days=night)
        target = folder / path.parent.name / f"{path.name}.{day}-23"
        target.parent.mkdir(parents=True, exist_ok=True)
        size += target.write_bytes(renamed(path.read_bytes(), (), night))
    return size
