"""A disk that fills at each tenth of a night without Spark: it ends with the sentence of a full disk, readers see what
they saw, and with room again the next night is as if none had failed."""

import os
from pathlib import Path

import pytest

from pipeline.store.tables.local_commit import ROOM_BYTES
from tests.jobs.small_logs import COMPARED, contents
from tests.life.plain_nights import copied, deliver, plain_night, seen_run
from tests.small_disk import leave, small_disk, used

ROOMY = "256m"
FULL = 3
# TENTHS=0,1,2,3,4,5,6,7,8,9 in the environment for all of them.
TENTHS = tuple(map(int, os.environ.get("TENTHS", "5,8").split(",")))


@pytest.mark.soak
@pytest.mark.parametrize("night", [1, 2, 3])
def test_a_disk_that_fills_at_each_tenth_of_a_night_without_spark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], night: int
) -> None:
    """Of what the night takes and of what it never takes of a disk. Each run begins with what the one before left: tables
    that a first night made stay, so that it may go through with less room than the twin took."""
    with small_disk(tmp_path / "disk", ROOMY) as disk:
        logs, warehouse, twin = tmp_path / "logs", disk.folder / "w", tmp_path / "twin"
        for before in range(1, night):
            deliver(logs, before)
            assert plain_night(logs, warehouse).code == 0
        deliver(logs, night)
        begun, saw = used(disk), contents(warehouse, COMPARED) if night > 1 else {}
        copied(warehouse, tmp_path / "begun")
        assert plain_night(logs, warehouse).code == 0
        taken = used(disk) - begun + ROOM_BYTES
        expected = contents(copied(warehouse, twin), COMPARED)
        copied(tmp_path / "begun", warehouse)
        for tenth in TENTHS:
            leave(disk, taken * tenth // 10)
            ended = plain_night(logs, warehouse)
            with capsys.disabled():
                print(f"\nnight {night}, {tenth} tenths of {taken:,} bytes: {ended.code} {ended.said[:160]}")
            is_through = ended.code == 0
            assert seen_run(warehouse) == (night if is_through else night - 1)
            sees = expected if is_through else saw
            assert not sees or contents(warehouse, COMPARED) == sees
            disk.resize(ROOMY)
            if is_through:
                copied(tmp_path / "begun", warehouse)
                continue
            assert ended.code == FULL, ended.said
            assert "No space left on device" in ended.said and "nothing of c is published" in ended.said
        assert plain_night(logs, warehouse).code == 0
        assert contents(warehouse, COMPARED) == expected
