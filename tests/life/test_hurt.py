"""What a power cut leaves costs the record that it tears; of a file that `cat` made each record counts once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.life.bronze_nights import BronzeNights
from tests.life.disk import BEGIN, Stored
from tests.life.hurt import hurt_disk

LIVES, MANY = 4, 180
ACTS = 40


@pytest.mark.parametrize("seed", range(LIVES))
def test_each_record_counts_once(tmp_path: Path, seed: int) -> None:
    require_once(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(LIVES, MANY))
def test_each_record_counts_once_in_many_lives(tmp_path: Path, seed: int) -> None:
    require_once(tmp_path, seed)


def require_once(folder: Path, seed: int) -> None:
    """Each record that was whole in some file that a night found."""
    disk, all_written = hurt_disk(seed)
    nights, there = BronzeNights(folder), set[bytes]()
    began = datetime.now(UTC) - timedelta(days=365)

    def night() -> None:
        if any(one.content for one in disk.files.values()):
            disk.write(folder, lambda stored: quiet_since(stored, began))
            nights.run()
            contents = [one.content for one in disk.files.values()]
            records = (one for written in all_written for one in written.records)
            there.update(one for one in records if any(one in content for content in contents))

    for _ in range(ACTS):
        disk.act()
        if disk.random.random() < 0.15:
            night()
    night()
    counted = nights.counted().filter(event="broker_failure")["raw"].to_list()
    problems = {}
    for record in there:
        first = record[: record.index(b"\n") + 1]
        found = sum(one.startswith(first) for one in counted)
        if found != 1:
            problems[first] = found
    assert not problems


def quiet_since(stored: Stored, began: datetime) -> datetime:
    return began + (stored.modified_at - BEGIN)
