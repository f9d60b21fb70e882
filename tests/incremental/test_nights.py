"""Whatever nights bring the lines, each table is what one run of all of them gives."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tests.incremental.lab_nights import Nights
from tests.incremental.night_labs import LABS
from tests.incremental.nights import (
    at_once,
    differences,
    in_nights,
)

# Of soak.
MANY_MIDNIGHTS = 6
# So that a lab takes some hours, or some weeks.
HOURS, WEEKS = 200, 4000


# Both modes, in as few nights as have them; two lives, late segments of ZooKeeper mode and of KRaft: MORE.
FEW = (("3.9.2-kraft-migration-stock", Nights(by_lines=2)),)
MORE = (
    ("3.9.1-zk-stock", Nights(by_lines=2, lives=2)),
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


def require_equal(shared: Path, name: str, nights: Nights, least: int = 1) -> None:
    """After half of the nights, and after all; least: of so many nights at least."""
    segments = nights.of(nights.lines(shared, name))
    after = [*in_nights(segments)]
    for number in sorted({max(len(after) // 2, least), len(after)}):
        differing = differences(after[number - 1], at_once(segments, number))
        assert not differing, f"after {number} of {len(after)} nights\n" + "\n".join(differing)


@pytest.mark.parametrize(
    ("name", "nights"), [*FEW, *(pytest.param(*one, marks=pytest.mark.soak) for one in MORE)], ids=str
)
def test_nights_give_what_building_at_once_gives(shared: Path, name: str, nights: Nights) -> None:
    """After the first night alone nothing is there to add to."""
    require_equal(shared, name, nights, least=2)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "nights"), [*product(LABS, MANY)], ids=str)
def test_all_labs_in_many_ways(shared: Path, name: str, nights: Nights) -> None:
    require_equal(shared, name, replace(nights, midnights=MANY_MIDNIGHTS))
