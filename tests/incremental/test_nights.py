"""Whatever nights bring the lines, each table is what building it at once from the same lines gives."""

from pathlib import Path

import pytest

from tests.incremental.nights import Segments, differences, in_nights, segments_of, stretched
from tests.lab import records


def lab(shared: Path, name: str, late: tuple[int, ...] = (), seed: int = 0) -> Segments:
    return segments_of(stretched(records(shared / "corpus" / "lab" / name)), late, seed)


@pytest.mark.parametrize("late", [(), (2,)], ids=["in time", "one node late"])
@pytest.mark.parametrize("name", ["2.2.2-zk-stock", "3.9.2-kraft-separate-stock"])
def test_nights_give_what_building_at_once_gives(shared: Path, name: str, late: tuple[int, ...]) -> None:
    segments = lab(shared, name, late)
    *_, last = in_nights(segments)
    (whole,) = in_nights(segments, at_once=True)
    assert differences(last, whole) == []
