"""What --help says: each command its own name and every option that it takes."""

import argparse

import pytest

from jobs import cli
from jobs.completion import parser_of
from jobs.questions.imbalance import OPTIONS


def below(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """It and those of its questions."""
    found = [parser]
    for action in parser._actions:
        if isinstance(action.choices, dict):
            found += action.choices.values()
    return found


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_option_is_told_with_its_meaning(command: str) -> None:
    found = parser_of(command)
    assert found is not None
    for parser in below(found):
        assert parser.prog.startswith(f"kafka-controller-audit {command}")
        options = [one for one in parser._actions if not isinstance(one.choices, dict)]
        assert [one.dest for one in options if not one.help] == []
        assert [line for line in parser.format_help().splitlines() if "(None)" in line] == []


@pytest.mark.parametrize("command", ["imbalance", "nightly", "findings"])
def test_help_names_its_program_and_all_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        assert cli.main([command, "--help"]) == 0
    except SystemExit as ended:
        assert ended.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: kafka-controller-audit {command} ") and "COLUMNS=N" in said
    if command == "imbalance":
        assert all(f"  {one} " in said for one in (*OPTIONS, "--logs"))
