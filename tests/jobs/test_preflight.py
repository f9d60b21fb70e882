"""What a machine without the right Python or Java is told, before anything is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.preflight import python_problem

PREFLIGHT = Path(__file__).parents[2] / "jobs" / "preflight.py"


def run(**environ: str) -> subprocess.CompletedProcess[str]:
    """Without site-packages: nothing is installed yet."""
    clean = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    return subprocess.run(
        [sys.executable, "-S", str(PREFLIGHT)],
        env=clean | environ,
        capture_output=True,
        text=True,
        check=False,
    )


def java_home(folder: Path, says: str) -> str:
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    java.chmod(0o755)
    return str(folder)


@pytest.mark.parametrize("says", ['openjdk version "17.0.15" 2025-04-15', 'openjdk version "21" 2023-09-19'])
def test_java_17_and_21_pass_without_a_word(tmp_path: Path, says: str) -> None:
    ran = run(JAVA_HOME=java_home(tmp_path, says))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "says", ['openjdk version "11.0.21" 2023-10-17', 'java version "1.8.0_392"', "what?"]
)
def test_another_java_is_one_sentence(tmp_path: Path, says: str) -> None:
    ran = run(JAVA_HOME=java_home(tmp_path, says))
    assert ran.returncode == 3
    assert ran.stderr.startswith("Expected Java 17 or 21") and ran.stderr.count("\n") == 1
    assert says in ran.stderr


def test_no_java_is_one_sentence(tmp_path: Path) -> None:
    ran = run(PATH=str(tmp_path))
    assert ran.returncode == 3
    assert "found no java" in ran.stderr and ran.stderr.count("\n") == 1


def test_other_pythons_are_named() -> None:
    assert [python_problem((3, minor, 1)) for minor in (11, 12, 13)] == [None, None, None]
    assert "found 3.10.13" in (python_problem((3, 10, 13)) or "")
    assert "found 3.14.0" in (python_problem((3, 14, 0)) or "")
