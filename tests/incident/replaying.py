"""The logs of a cluster written once more, bit by bit in the order of their times, rolled as they were rolled."""

import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pipeline.kafka.layout.paths import locate_path

TIME = re.compile(rb"(?m)^[^\n]{0,40}?(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3})")


@dataclass
class Live:
    """What one log of a node wrote: the files in which it stands at the end, in order, and how much is written."""

    current: Path
    files: list[tuple[Path, bytes]]
    times: list[tuple[bytes, int]]
    written: int = 0

    def write_until(self, end: int) -> None:
        """Rolls what is full: the file gets the name that it has at the end."""
        begin = 0
        for path, data in self.files:
            part = data[max(self.written - begin, 0) : max(end - begin, 0)]
            if part:
                self.current.parent.mkdir(parents=True, exist_ok=True)
                with self.current.open("ab") as stream:
                    stream.write(part)
            begin += len(data)
            if self.written < begin <= end and path != self.current:
                self.current.rename(path)
        self.written = max(self.written, end)

    def end_at(self, time: bytes) -> int:
        """How many bytes were written before that time."""
        return next((at for one, at in self.times if one > time), sum(len(data) for _, data in self.files))


def live_logs(source: Path, target: Path) -> list[Live]:
    """Of a folder of a cluster whose files are not compressed."""
    found: dict[tuple[Path, str], list[Path]] = defaultdict(list)
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if path.is_file() and (log := locate_path(str(relative)).log):
            found[relative.parent, log].append(path)
    logs = []
    for paths in found.values():
        contents = sorted(((path, path.read_bytes()) for path in paths), key=lambda one: first_time(one[1]))
        whole = b"".join(data for _, data in contents)
        times = [(one[1].replace(b"T", b" "), one.start()) for one in TIME.finditer(whole)]
        files = [(target / path.relative_to(source), data) for path, data in contents]
        last = files[-1][0]
        logs.append(Live(last, files, times))
    return logs


def first_time(data: bytes) -> bytes:
    found = TIME.search(data)
    return found[1] if found else b""


def replay_logs(source: Path, target: Path, steps: int, seed: int) -> Iterator[None]:
    """Writes in so many steps; between them files end anywhere, be it within a line. The last step writes the rest."""
    random, logs = Random(seed), live_logs(source, target)  # noqa: S311 - a schedule, no secret
    times = sorted(one for log in logs for one, _ in log.times)
    for step in sorted(random.sample(range(1, len(times)), steps - 1)):
        for log in logs:
            end = log.end_at(times[step]) + random.choice((0, 0, random.randint(0, 300)))
            log.write_until(min(end, sum(len(data) for _, data in log.files)))
        yield
    for log in logs:
        log.write_until(sum(len(data) for _, data in log.files))
    shutil.copystat(source, target)
    yield
