"""Simulated lines as the log files of each broker."""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from tests.replay.simulator.days import simulated
from tests.replay.simulator.faults import FAULTS, Injected
from tests.replay.simulator.record import Line

LOGS = ("controller", "state-change")


@lru_cache(maxsize=1024)
def second(at_s: int) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S}"


def text(line: Line) -> str:
    return f"[{second(line.at_ms // 1000)},{line.at_ms % 1000:03}] {line.level} {line.body}\n"


def files(lines: Iterable[Line]) -> dict[tuple[int, str], tuple[bytes, NDArray[np.int64]]]:
    """Per node and log the bytes of its file, and the offset at which each of its lines begins."""
    texts: dict[tuple[int, str], list[bytes]] = defaultdict(list)
    for line in lines:
        texts[line.node, line.log].append(text(line).encode())
    return {
        place: (b"".join(parts), np.cumsum([0, *map(len, parts)])[:-1].astype(np.int64))
        for place, parts in texts.items()
    }


def write(folder: Path, lines: Iterable[Line], faults: Iterable[Injected] = ()) -> int:
    """`broker-N/controller.log` and `broker-N/state-change.log`, and the truth beside; returns bytes of logs."""
    written = list(lines)
    total = 0
    for (node, log), (data, _) in files(written).items():
        path = folder / f"broker-{node}" / f"{log}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        total += len(data)
    truth = folder / "truth"
    truth.mkdir(parents=True, exist_ok=True)
    with (truth / "moves.jsonl").open("w", encoding="utf-8") as stream:
        for line in written:
            if line.move is not None:
                told = {"at_ms": line.at_ms, "node": line.node, "term": line.term, "verdict": line.verdict}
                stream.write(json.dumps(told | line.move._asdict()) + "\n")
    with (truth / "faults.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(fault._asdict()) + "\n" for fault in faults)
    return total


def write_cluster(
    folder: Path, name: str, seed: int, days: float, *, level: str = "", fault: str = ""
) -> int:
    """The logs of a cluster of that release, with one kind of fault (of FAULTS) or healthy.

    Returns their bytes, some 300 KB a day at TRACE.
    """
    log = simulated(name, seed, days, level=level)
    lines, injected = FAULTS[fault](log, Random(seed)) if fault else (log.printed(), [])  # noqa: S311  (dice, not secrets)
    return write(folder, lines, injected)
