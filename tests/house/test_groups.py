"""Tests of one file run in one process: what they share is made once."""

import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = ("tests/core/test_values.py", "tests/core/test_errors.py", "tests/core/test_tsv.py")
PASSED = re.compile(r"^\[(gw\d)\].* PASSED ([^:]+)::", re.MULTILINE)


def test_tests_of_a_file_run_in_one_process() -> None:
    """pytest-xdist groups by names that it gives to tests, which a newer pytest may pass over without a word."""
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", "--dist", "loadgroup", *FILES]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    said = subprocess.run(
        command, cwd=REPOSITORY, env=alone, capture_output=True, text=True, check=False
    ).stdout
    found = set(PASSED.findall(said))
    assert {file for _, file in found} == set(FILES), said
    assert len(found) == len(FILES)
