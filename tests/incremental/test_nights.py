"""Whatever nights bring the lines, each table is what one run of all of them gives."""

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core.frames import frame_of
from tests.incremental.cutting import Segments, by_lines, wiped
from tests.incremental.night_labs import LABS, WIPING, folder
from tests.incremental.nights import (
    around_midnights,
    at_once,
    differences,
    in_nights,
    segments_of,
    stretched,
)
from tests.lab import READ, records

# Of the quick run, and of soak.
MIDNIGHTS, MANY_MIDNIGHTS = 4, 6
# So that a lab takes some hours, or some weeks.
HOURS, WEEKS = 200, 4000


@dataclass(frozen=True)
class Nights:
    """What nights bring of a lab cluster: see segments_of. times: how much longer each second is, 0: around midnights.
    by_lines: so many nights of as many lines, in the time in which they were written; lives: 2: of a cluster that is
    wiped."""

    late: tuple[int, ...] = ()
    seed: int = 0
    how: str = "some"
    days_a_night: int = 1
    hour: int = 0
    times: int = 0
    has_server_log: bool = False
    has_moves: bool = True  # state-change.log
    midnights: int = MIDNIGHTS
    minute: int = 0
    by_lines: int = 0
    lives: int = 1

    def of(self, lines: pa.Table) -> Segments:
        if self.by_lines:
            rows = frame_of(lines)
            return by_lines(wiped(rows, WIPING) if self.lives > 1 else rows, self.by_lines)
        rows = (
            stretched(lines, self.times)
            if self.times
            else around_midnights(lines, self.midnights, self.minute)
        )
        return segments_of(rows, self.late, self.seed, self.how, self.days_a_night, self.hour, self.minute)

    def __str__(self) -> str:
        if self.by_lines:
            return (
                f"{self.by_lines} by lines, {self.lives} lives{', server.log' if self.has_server_log else ''}"
            )
        late = f"{'-'.join(map(str, self.late))} late {self.how}" if self.late else "in time"
        read = f"{', server.log' if self.has_server_log else ''}{'' if self.has_moves else ', no moves'}"
        return f"{late}, {self.days_a_night} d at {self.hour} h {self.minute}, x{self.times}, seed {self.seed}{read}"


# Both modes and two lives, in as few nights as have them; late segments of ZooKeeper mode and of KRaft: MORE.
FEW = (
    ("3.9.1-zk-stock", Nights(by_lines=2, lives=2)),
    ("3.9.2-kraft-migration-stock", Nights(by_lines=2)),
)
MORE = (
    ("3.9.2-kraft-migration-stock", Nights(late=(2,), how="last", hour=12, midnights=2)),
    ("3.9.1-zk-stock", Nights(late=(2,), minute=30, has_moves=False)),
    ("3.9.1-zk-stock", Nights(by_lines=3, lives=2)),
    ("2.2.2-zk-stock", Nights(hour=12)),
    ("3.9.2-kraft-migration-stock", Nights(late=(2, 3))),
)
MANY = (
    Nights(times=WEEKS, has_server_log=True),
    Nights(late=(2,), hour=12, seed=1),
    Nights(late=(1,), how="last"),
    Nights(late=(2, 3), how="last"),
    Nights(late=(1, 2, 3, 101, 102, 103), how="files", hour=12, seed=2),
    Nights(late=(1, 3, 101, 103), days_a_night=2, seed=3),
    Nights(late=(2, 101, 102), times=HOURS, seed=4),
    Nights(late=(1, 3, 101), times=WEEKS, how="files", seed=5),
    Nights(late=(2, 102), times=WEEKS, seed=6, has_server_log=True),
    Nights(late=(1,), how="last", has_server_log=True),
    Nights(late=(1, 3, 101), how="files", hour=12, seed=7, has_server_log=True),
    Nights(late=(1, 3, 101), how="last", seed=8, has_moves=False),
    Nights(late=(2, 3), hour=12),
    Nights(late=(2, 102), minute=30, has_server_log=True),
    Nights(by_lines=2, has_server_log=True),
    Nights(by_lines=5, has_server_log=True),
    Nights(by_lines=4, lives=2),
    Nights(by_lines=4, lives=2, has_server_log=True),
)


def require_equal(shared: Path, name: str, nights: Nights) -> None:
    """After half of the nights, and after all."""
    logs = {*READ, *(["server"] if nights.has_server_log else [])} - (
        set() if nights.has_moves else {"state-change"}
    )
    segments = nights.of(records(folder(shared, name), tuple(sorted(logs))))
    after = [*in_nights(segments)]
    for number in sorted({max(len(after) // 2, 1), len(after)}):
        differing = differences(after[number - 1], at_once(segments, number))
        assert not differing, f"after {number} of {len(after)} nights\n" + "\n".join(differing)


@pytest.mark.parametrize(
    ("name", "nights"), [*FEW, *(pytest.param(*one, marks=pytest.mark.soak) for one in MORE)], ids=str
)
def test_nights_give_what_building_at_once_gives(shared: Path, name: str, nights: Nights) -> None:
    require_equal(shared, name, nights)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "nights"), [*product(LABS, MANY)], ids=str)
def test_all_labs_in_many_ways(shared: Path, name: str, nights: Nights) -> None:
    require_equal(shared, name, replace(nights, midnights=MANY_MIDNIGHTS))
