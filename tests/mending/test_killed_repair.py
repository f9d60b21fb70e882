"""kill -9 of repair at any time: no dead end, the repair that follows mends all of it."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from jobs import cli
from tests.conftest import REPOSITORY
from tests.mending.damaged import CLUSTER, given, made, rows, seen
from tests.mending.plain import plain_nightly
from tests.store.damaging import ACTS

KILLS = int(os.environ.get("KILLS", "3"))
LONGEST_SECONDS = 600
DAMAGES = (
    ("bronze.log_record", "data file truncated"),
    ("bronze.source_file", "newest commit half"),
    ("gold.partition_timeline", "table removed"),
    ("silver.term", "one byte flipped"),
)


def repairing(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "jobs", "repair", *given(folder)],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.soak
def test_a_repair_that_is_killed_is_followed_by_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = made(tmp_path / "whole", plain_nightly)
    expected, longest = rows(whole), 0.0
    for at in range(KILLS + 1):
        folder = tmp_path / f"damaged-{at}"
        shutil.copytree(whole, folder)
        for table, act in DAMAGES:
            where = folder / "warehouse" / CLUSTER / table.replace(".", "/")
            assert ACTS[act](where, seen(folder).versions[table])
        begun_at = time.monotonic()
        moment = Random(at).uniform(longest / 8, longest) if longest else LONGEST_SECONDS  # noqa: S311
        with repairing(folder) as process:
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.kill()
            said = process.communicate()[1]
        longest = longest or time.monotonic() - begun_at
        with capsys.disabled():
            print(f"\nrepair {at}: {moment:.1f} of {longest:.1f} s: {process.returncode}")
        assert process.returncode in (0, -9), said[-2000:]
        assert cli.main(["repair", *given(folder)]) == 0
        assert plain_nightly(given(folder)) == 0
        assert rows(folder) == expected
        shutil.rmtree(folder)
