"""Logs that cannot be read any more from a random moment of a night on, without Spark: it ends with what it read and a
sentence, or publishes nothing; once they are back the next night makes all of it good."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from tests.jobs.small_logs import COMPARED, contents
from tests.life.plain_nights import LONGEST_SECONDS, begun_night, copied, deliver, plain_night, seen_run

# TIMES=30 in the environment for a quarter of an hour.
TIMES = int(os.environ.get("TIMES", "3"))
PUBLISHED, NOTHING_READ = (0, 7), 4
GONE = "broker-1"


@pytest.mark.soak
def test_a_night_whose_logs_vanish(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of one node of two, as where its mount is lost."""
    logs, warehouse, twin, begun = (tmp_path / name for name in ("logs", "warehouse", "twin", "begun"))
    deliver(logs, 1)
    assert plain_night(logs, warehouse).code == 0
    copied(warehouse, begun)
    copied(warehouse, twin)
    deliver(logs, 2)
    whole = plain_night(logs, twin)
    expected, random = contents(twin, COMPARED), Random(2)  # noqa: S311  (moments, no secret)
    for at in range(1, TIMES + 1):
        moment = random.uniform(0, whole.seconds)
        code, said = night_without(logs, warehouse, moment)
        with capsys.disabled():
            print(f"\n{at}: {moment:.2f} s: {code}, run {seen_run(warehouse)} {said[:200]}")
        assert code in (*PUBLISHED, NOTHING_READ), said
        assert code == 0 or said
        follows = plain_night(logs, warehouse)
        assert follows.code == 0, follows.said
        assert contents(warehouse, COMPARED) == expected
        copied(begun, warehouse)


def night_without(logs: Path, warehouse: Path, moment: float) -> tuple[int, str]:
    """Exit code and sentences of a night from whose moment on the logs are away."""
    aside = logs.parent / "aside"
    with begun_night(logs, warehouse) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        (logs / GONE).rename(aside)
        said, _ = process.communicate(timeout=LONGEST_SECONDS)
    aside.rename(logs / GONE)
    return process.returncode, said.strip()
