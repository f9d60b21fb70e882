"""Files of deploy/, and the commands in them as the product's own parsers take them."""

import argparse
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from jobs.cli import cli_parser
from jobs.completion import parser_of
from tests.conftest import REPOSITORY

DEPLOY = REPOSITORY / "deploy"
PROGRAM = "kafka-controller-audit"
# As of pipeline.core.errors.EXIT_CODES: the machine, and a lock. All others come again with every try.
WORTH_A_RETRY = (3, 6)
PARTIAL = 7


def text_of(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """Of a command with its arguments, without the program. A word that no parser takes fails the test."""
    try:
        name = cli_parser().parse_args(words[:1]).command
        own = parser_of(name)
        assert own is not None, f"{name} shows no parser"
        return own.parse_args(words[1:])
    except SystemExit as refused:
        raise AssertionError(f"{shlex.join(words)}: exit {refused.code}") from None


def commands_in(shell: str) -> list[list[str]]:
    """Words after the program, of each line of a shell that calls it; a line may go on after a backslash."""
    lines = shell.replace("\\\n", " ").splitlines()
    found = [shlex.split(line, comments=True) for line in lines]
    return [words[1:] for words in found if words and Path(words[0]).name == PROGRAM]


def checked(*command: str) -> str:
    """What a tool prints about a file that it has nothing against; skipped where the tool is not installed."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said
