"""Whether a night costs what it brings: the same logs on one day after another, read night after night."""

import shutil
import time
from contextlib import redirect_stderr, redirect_stdout
from datetime import timedelta
from io import StringIO
from pathlib import Path

from tests.bench.data import FIRST_DAY, SAMPLE, logs, renamed

SHOWN = (1, 2, 3, 5, 10, 20, 50)


def nights(folder: Path, count: int, job: str) -> list[str]:
    """Lines of a table: seconds and jobs of chosen nights, as ratio to the second; a run with nothing new at the end."""
    from importlib import import_module  # noqa: PLC0415

    from pipeline.store.session import get_spark  # noqa: PLC0415

    run = import_module(f"jobs.{job}").main
    spark = get_spark()
    spark.sparkContext.setLogLevel("ERROR")
    found, warehouse = folder / "nights", folder / "nights-warehouse"
    for old in (found, warehouse):
        shutil.rmtree(old, ignore_errors=True)
    taken: list[float] = []
    for night in [*range(count), None]:
        if night is not None:
            add_night(found, night)
        began = time.perf_counter()
        said = StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            code = run(["--logs", str(found), "--warehouse", str(warehouse), "--cluster", "c"])
        taken.append(time.perf_counter() - began)
        if code:
            raise RuntimeError(f"night {night}: exit code {code}\n{said.getvalue()}")
    shown = [one for one in SHOWN if one < count] + [count]
    lines = [
        f"night {one:>4} {taken[one - 1]:>8.1f} s {taken[one - 1] / taken[1]:>6.2f} x night 2"
        for one in shown
    ]
    return [*lines, f"nothing new {taken[-1]:>5.1f} s"]


def add_night(folder: Path, night: int) -> None:
    """One more day of the sample, in rolled files of its own."""
    for path, _ in logs(SAMPLE):
        day = FIRST_DAY + timedelta(days=night)
        target = folder / path.parent.name / f"{path.name}.{day}-23"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(renamed(path.read_bytes(), (), night))
