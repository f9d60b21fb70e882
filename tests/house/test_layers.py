"""Imports go rightwards only, as the contracts in pyproject.toml say."""

import subprocess
import sys
from pathlib import Path

from tests.house.source import REPOSITORY


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_imports_keep_the_layers() -> None:
    checked = lint_imports(REPOSITORY)
    assert checked.returncode == 0, checked.stdout + checked.stderr
