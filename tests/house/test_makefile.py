"""What is given to `make` is text: neither make nor a shell runs a word of it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Instead of Python: prints its arguments, one a line.
PRINTS = '#!/bin/sh\nprintf "%s\\n" "$@"\n'
HOSTILE = '`touch ran`$(touch ran)$(shell touch ran)\'";touch ran;"'
PRESENT = ("preflight", ".venv/created", ".venv/installed", ".venv/with-spark", ".venv/with-jars")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def made(folder: Path, target: str, **given: str) -> list[str]:
    """The arguments that the program gets."""
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PRINTS)
    python.chmod(0o755)
    shutil.copy(ROOT / "Makefile", folder)
    words = [f"{name}={text}" for name, text in given.items()]
    present = [word for name in PRESENT for word in ("-o", name)]
    command = ["make", *present, target, *words]
    environment = {name: os.environ[name] for name in ("PATH",)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("target", ["run", "incident", "report", "maintain"])
def test_nothing_of_what_is_given_is_run(tmp_path: Path, target: str) -> None:
    given = dict.fromkeys(("CLUSTER", "LOGS", "ZONE", "WAREHOUSE"), HOSTILE)
    found = made(tmp_path, target, **given)
    assert not (tmp_path / "ran").exists()
    assert f"--cluster={HOSTILE}" in found
    assert f"--zone={HOSTILE}" in found or target == "maintain"


def test_several_folders_are_separated_by_spaces(tmp_path: Path) -> None:
    assert made(tmp_path, "incident", LOGS="one two/*.log")[-3:] == ["--", "one", "two/*.log"]


def test_a_folder_whose_name_has_a_space_is_one(tmp_path: Path) -> None:
    (tmp_path / "two words").mkdir()
    assert "--logs=two words" in made(tmp_path, "run", LOGS="two words")
