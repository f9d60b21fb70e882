"""Another clock for processes that are started: libfaketime, where it is there."""

import shutil
import subprocess
from collections.abc import Mapping

import pytest

SECONDS_A_DAY = 86_400


def clock_moved_by(days: int) -> Mapping[str, str]:
    """Of an environment: what a process takes for the time. How long something takes, and times of files, stay as they
    are. The test is skipped where libfaketime is not there."""
    if shutil.which("faketime") is None:
        pytest.skip("no faketime here")
    library = subprocess.run(
        ["faketime", "-f", "+0d", "printenv", "LD_PRELOAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    return {
        "LD_PRELOAD": library,
        "FAKETIME": f"{days * SECONDS_A_DAY:+d}s",
        "NO_FAKE_STAT": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
