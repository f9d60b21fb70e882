"""kill -9 of a night without Spark at any time of the first, second and third: readers see what they saw, or what it
published, and the night that follows makes all of it good, without Spark too."""

import os
from pathlib import Path
from random import Random

import pytest

from tests.jobs.small_logs import COMPARED, contents
from tests.life.plain_nights import copied, deliver, plain_night, seen_run

# Of each night; KILLS=100 in the environment for an hour.
KILLS = int(os.environ.get("KILLS", "4"))
# After so many that died one upon the other a night goes through.
UPON = 5


@pytest.mark.soak
@pytest.mark.parametrize("night", [1, 2, 3])
def test_a_night_without_spark_survives_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], night: int
) -> None:
    """begun: as the night found it."""
    logs, warehouse, twin, begun = (tmp_path / name for name in ("logs", "warehouse", "twin", "begun"))
    for before in range(1, night):
        deliver(logs, before)
        assert plain_night(logs, warehouse).code == 0
    deliver(logs, night)
    copied(warehouse, begun)
    copied(warehouse, twin)
    whole = plain_night(logs, twin)
    assert whole.code == 0, whole.said
    saw = contents(begun, COMPARED) if night > 1 else {}
    expected, random = contents(twin, COMPARED), Random(night)  # noqa: S311  (moments, no secret)
    for at in range(1, KILLS + 1):
        moment = random.uniform(0, whole.seconds)
        ended, published = plain_night(logs, warehouse, killed_after=moment), seen_run(warehouse)
        with capsys.disabled():
            print(f"\nnight {night}, {at}: {moment:.2f} s: {ended.code}, run {published} {ended.said}")
        assert ended.code in (0, -9), ended.said
        assert published in (night - 1, night)
        if published == night - 1 and at % UPON and at < KILLS:
            assert not saw or contents(warehouse, COMPARED) == saw
            continue
        if published == night - 1:
            follows = plain_night(logs, warehouse)
            assert follows.code == 0, follows.said
        assert contents(warehouse, COMPARED) == expected
        copied(begun, warehouse)
