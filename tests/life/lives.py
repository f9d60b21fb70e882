"""Lives of log files in one warehouse: what befalls them by chance, what nights find of them, and what was there to read."""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from tests.conftest import REPOSITORY
from tests.life.disk import BEGIN, Disk, Stored
from tests.life.harness import PUBLISHED, Harness
from tests.life.nights import QUIET, Nights
from tests.life.truth import Truth
from tests.life.writers import records_of, repeated

RECORDS = 400
MOST_RECORDS = 40
# Lines of a time that has not come: nothing but the time of modification says whether a file is quiet.
YEARS = 12
# Acts that make two files of one record, or leave a copy whose original is gone.
DOUBLING = frozenset({"rewrite", "cut", "hold_up", "delete"})
# Copies are numbered behind what rotation numbers: one put over a rolled file is a copy whose original is gone, too.
ROTATED = 3
ACTS = 12
NIGHTS = 3
SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2"
NODES = (1, 2, 3)  # of the sample, each with a schedule of its own
LOGS = ("controller", "state-change")
MAGIC = b"\x1f\x8b"  # of gzip


@dataclass
class Life:
    """The files of one broker, and what was read of them in memory and could be read."""

    disk: Disk
    nights: Nights = field(default_factory=Nights)
    truth: Truth = field(default_factory=Truth)

    def pass_until(self, night: datetime) -> None:
        self.nights.run(self.disk.files, night)
        self.truth.see(self.disk.files, night)


def life_of(seed: int, node_id: int, logs: Mapping[str, bytes], *, is_doubled: bool = False) -> Life:
    """logs: by name, what the node writes of them. is_doubled: things happen that make two files of one record.

    What is written goes back by a year where a log is used up; not so where records are doubled, as lines that were
    written with the clock set back have the place that they have in the file that was read first.
    """
    random = Random(seed)  # noqa: S311  (a schedule, no secret)
    never = frozenset[str]() if is_doubled else DOUBLING
    writers = {
        f"broker-{node_id}/{log}.log": repeated(
            b"".join(records_of(content)[:RECORDS]), YEARS, 1 if is_doubled else -1
        )
        for log, content in logs.items()
    }
    return Life(Disk(random, writers, is_telling=True, never=never, most_records=MOST_RECORDS, names=ROTATED))


def logs_of(cluster: Path, node: int | str) -> dict[str, bytes]:
    """By name what stands in the two logs of one node; without those that hold nothing. node: its folder, or its id."""
    folder = cluster / (f"broker-{node}" if isinstance(node, int) else node)
    paths = [(log, folder / f"{log}.log{ending}") for log in LOGS for ending in ("", ".gz")]
    found = {log: path.read_bytes() for log, path in paths if path.is_file() and path.stat().st_size}
    return {log: gzip.decompress(one) if one.startswith(MAGIC) else one for log, one in found.items()}


@dataclass
class Lives:
    """One life a broker, below one folder: as many schedules in one warehouse, at the price of one."""

    harness: Harness
    all: Sequence[Life]
    began: datetime = field(default_factory=lambda: datetime.now(UTC))

    def live(self, nights: int) -> None:
        """So many nights over files to which things happen, and one when all has been quiet."""
        for _ in range(nights):
            self.act()
            assert self.harness.run() in PUBLISHED
        self.end()
        assert self.harness.run() in PUBLISHED

    def act(self) -> None:
        for life in self.all:
            for _ in range(ACTS):
                life.disk.act()
            self.put(life, life.disk.now)

    def end(self) -> None:
        for life in self.all:
            self.put(life, life.disk.now + timedelta(days=365))

    def put(self, life: Life, night: datetime) -> None:
        """The files as the night finds them: long ago what is quiet by then, tomorrow what is not."""

        def at(stored: Stored) -> datetime:
            is_quiet = night - stored.modified_at >= QUIET
            return self.began + timedelta(days=-365 if is_quiet else 1) + (stored.modified_at - BEGIN)

        place = self.all.index(life)
        life.disk.write(self.harness.logs / f"life-{place}", at)
        life.pass_until(night)

    def contents(self) -> dict[str, Stored]:
        """Every content that could be read in some night, once."""
        found = [one for life in self.all for one in life.truth.expected()]
        return {
            f"broker-{min(node for node in nodes if node is not None)}/{place}.log": Stored(
                content, BEGIN, ""
            )
            for place, (content, nodes) in enumerate(found)
        }
