"""A night without Spark, and at a random moment of it another command on the same cluster: one is locked out or waits, and
the night that follows leaves the tables of nights one after the other."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from pipeline.core.errors import Locked
from tests.conftest import REPOSITORY
from tests.jobs.small_logs import COMPARED, contents
from tests.life.plain_nights import LONGEST_SECONDS, begun_night, copied, deliver, plain_night

# Of each pair; TIMES=20 in the environment for a quarter of an hour each.
TIMES = int(os.environ.get("TIMES", "2"))
DONE, LOCKED = 0, Locked.exit_code


def command(name: str, warehouse: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "jobs", name, "--warehouse", str(warehouse), "--cluster", "c", *more],
        cwd=REPOSITORY,
        env=os.environ | {"POLARS_MAX_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    "other", ["night", "repair", "forget", pytest.param("maintain", marks=pytest.mark.spark)]
)
def test_a_night_and_another_command_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: str
) -> None:
    logs, warehouse, twin, begun = (tmp_path / name for name in ("logs", "warehouse", "twin", "begun"))
    deliver(logs, 1)
    assert plain_night(logs, warehouse).code == DONE
    copied(warehouse, begun)
    copied(warehouse, twin)
    deliver(logs, 2)
    whole = plain_night(logs, twin)
    expected, random = contents(twin, COMPARED), Random(other)  # noqa: S311  (moments, no secret)
    for at in range(1, TIMES + 1):
        moment = random.uniform(-whole.seconds, whole.seconds)
        codes, said = both(logs, warehouse, other, moment)
        with capsys.disabled():
            print(f"\nnight and {other} {moment:+.2f} s, {at}: {codes} {said}")
        assert set(codes) <= {DONE, LOCKED} and DONE in codes, said
        follows = plain_night(logs, warehouse)
        assert follows.code == DONE, follows.said
        assert contents(warehouse, COMPARED) == expected
        copied(begun, warehouse)


def both(logs: Path, warehouse: Path, other: str, moment: float) -> tuple[tuple[int, int], str]:
    """Exit codes of the night and of the other, which begins so many seconds after it, or before it."""

    def begun(name: str) -> subprocess.Popen[str]:
        if name == "night":
            return begun_night(logs, warehouse)
        return command(name, warehouse, *more.get(name, ()))

    more = {"repair": ("--logs", str(logs)), "forget": ("--yes",)}

    names = ("night", other) if moment >= 0 else (other, "night")
    with begun(names[0]) as first:
        try:
            said = first.communicate(timeout=abs(moment))
        except subprocess.TimeoutExpired:
            said = ("", "")
        with begun(names[1]) as second:
            told = [second.communicate(timeout=LONGEST_SECONDS)]
        told.append(said if first.returncode is not None else first.communicate(timeout=LONGEST_SECONDS))
    codes = (first.returncode, second.returncode)
    text = " ".join((err or out or "").strip()[-300:] for out, err in told)
    return codes if moment >= 0 else codes[::-1], text.replace("\n", " | ")
