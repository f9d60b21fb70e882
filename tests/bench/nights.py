"""Nights in an old warehouse beside the same ones in an empty warehouse: one day of logs after another."""

import os
import shutil
import statistics
import time
from datetime import timedelta
from pathlib import Path

from tests.bench.data import FIRST_DAY, SAMPLE, logs, renamed
from tests.bench.runs import Cost, Site

ROLLED_SECONDS_AGO = 7200  # nothing of a file that rolled is held back

Pair = tuple[Cost, Cost]  # of one night: in an empty warehouse, and in the old one


def nights(folder: Path, count: int, job: str, at_once: int, rounds: int) -> list[str]:
    """Lines of a table: a night in a warehouse of `count` nights beside the same night in an empty one, in turn, either
    first, so that what else the machine does strikes both alike; then a run with nothing new.

    at_once: so many of the nights after the second are read in one run, to come to a long history sooner.
    """
    work = folder.resolve() / "nights"
    shutil.rmtree(work, ignore_errors=True)
    old = site(work / "old", job)
    for some in history(count, at_once):
        bring(old, *some)
        old.run()
    size, pairs = 0, list[Pair]()
    for night in range(count, count + rounds):
        new = site(work / f"new-{night}", job)
        size = bring(new, night)
        bring(old, night)
        costs = {one: one.run() for one in ((old, new) if len(pairs) % 2 else (new, old))}
        pairs.append((costs[new], costs[old]))
    nothing = old.run()
    return [
        f"a night brings {size / 1e6:.1f} MB; seconds in a warehouse of {count} nights and more, x times those in an empty one",
        f"{'':26}{'wall s':>9}{'x':>7}{'processor s':>13}{'x':>7}",
        *(line(f"night {count + place} in each", [pair]) for place, pair in enumerate(pairs, 1)),
        line("median", pairs),
        f"{'nothing new':26}{nothing.wall:9.1f}{'':7}{nothing.processor:13.1f}",
    ]


def site(root: Path, job: str) -> Site:
    return Site(root / "logs", root / "warehouse", job)


def history(count: int, at_once: int) -> list[tuple[int, ...]]:
    """The nights that each run of the history brings."""
    single: list[tuple[int, ...]] = [(night,) for night in range(count)]
    return [*single[:2], tuple(range(2, 2 + at_once)), *single[2 + at_once :]] if at_once else single


def line(name: str, pairs: list[Pair]) -> str:
    """Medians: of seconds in the old warehouse, and of how many times those in the empty one they are, night by night."""
    seconds = statistics.median(old.wall for _, old in pairs)
    times = statistics.median(old.wall / new.wall for new, old in pairs)
    of_processors = statistics.median(old.processor for _, old in pairs)
    times_of_processors = statistics.median(old.processor / new.processor for new, old in pairs)
    return f"{name:26}{seconds:9.1f}{times:7.2f}{of_processors:13.1f}{times_of_processors:7.2f}"


def bring(into: Site, *numbers: int) -> int:
    """Days of the sample, in rolled files of their own; the bytes of the last."""
    return [add_night(into.logs, night) for night in numbers][-1]


def add_night(folder: Path, night: int) -> int:
    """One more day of the sample, in rolled files of its own; their bytes."""
    size = 0
    for path, _ in logs(SAMPLE):
        day = FIRST_DAY + timedelta(days=night)
        target = folder / path.parent.name / f"{path.name}.{day}-23"
        target.parent.mkdir(parents=True, exist_ok=True)
        size += target.write_bytes(renamed(path.read_bytes(), (), night))
        ended = time.time() - ROLLED_SECONDS_AGO
        os.utime(target, (ended, ended))
    return size
