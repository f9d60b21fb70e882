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


def test_each_command_stands_in_one_group_of_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    grouped = [name for names in cli.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(cli.COMMANDS)
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    said = capsys.readouterr().out
    assert [line[:-1] for line in said.splitlines() if line.removesuffix(":") in cli.GROUPS] == [*cli.GROUPS]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("incidnt", "argument COMMAND: there is no 'incidnt'; did you mean incident?"),
        ("ask why-leadrless", "argument QUESTION: there is no 'why-leadrless'; did you mean why-leaderless?"),
        ("incident . --repot a.html", "unrecognized arguments: --repot a.html; did you mean --report?"),
        ("ask why-leaderless a-0 --att 5", "unrecognized arguments: --att 5; did you mean --at?"),
        ("findings --format jsn", "argument --format: there is no 'jsn'; did you mean json?"),
        ("findings --format xyz", "argument --format: invalid choice: 'xyz'"),
        ("status --zzz", "unrecognized arguments: --zzz (--help"),
    ],
)
def test_a_word_that_nothing_is_called_by_names_what_is_near(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words.split())
    told = capsys.readouterr().err
    assert ended.value.code == 2 and said in told and len(told.splitlines()) == 1


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
