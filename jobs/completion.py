"""The command `completion`: a script that completes commands, options and questions in a shell."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn
from unittest.mock import patch

import shtab

from jobs.cli import COMMANDS, command_of
from jobs.parser import Parser
from jobs.questions.catalog import QUESTIONS
from pipeline.core.errors import EnvironmentProblem
from pipeline.rules.order import RULE_NAMES

SHELLS = ("bash", "zsh", "fish")
# What completes a value, by what the help calls it.
BY_METAVAR = {"FILE": shtab.FILE, "PATH": shtab.FILE, "DIR": shtab.DIRECTORY, "URI": shtab.DIRECTORY}
# Which words complete it, where others are taken, too.
WORDS = {"RULE": RULE_NAMES, "QUESTION": tuple(QUESTIONS)}


class _FoundError(Exception):
    """The parser of a command, at the moment that it is given the arguments."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser


def main(argv: Sequence[str] | None = None) -> int:
    arguments = Parser(
        prog="kafka-controller-audit completion", description="Prints a script that completes in a shell."
    )
    arguments.add_argument("shell", choices=SHELLS, help="which one completes")
    sys.stdout.write(completion_script(arguments.parse_args(argv).shell))
    return 0


def completion_script(shell: str) -> str:
    whole = argparse.ArgumentParser(
        prog="kafka-controller-audit", description="Audit of Kafka's controllers."
    )
    whole.add_argument("--version", action="store_true", help="which release this is")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND")
    for name, (*_, words) in COMMANDS.items():
        own = commands.add_parser(name, help=words.rpartition(": ")[2])
        commands.choices[name] = with_completers(parser_of(name) or own)
    commands.add_parser("help", help="what a command takes").add_argument("of", choices=[*COMMANDS])
    return str(shtab.complete(whole, shell=shell))


def parser_of(name: str) -> argparse.ArgumentParser | None:
    """Each command makes its own when it is run: asked for its help, it is stopped there. None: Spark is missing."""

    def found(self: argparse.ArgumentParser, *_: object, **__: object) -> NoReturn:
        raise _FoundError(self)

    stops = patch.multiple(argparse.ArgumentParser, parse_args=found, print_help=found)
    with suppress(EnvironmentProblem), stops:
        run = command_of(name)
        try:
            run(["--help"])
        except _FoundError as stopped:
            return stopped.parser
    return None


def with_completers(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    for action in parser._actions:
        completer: Any = BY_METAVAR.get(str(action.metavar))
        if completer is not None:
            action.complete = completer  # type: ignore[attr-defined]  # what shtab looks for
        if isinstance(action, argparse._SubParsersAction):
            listed = {one.dest for one in action._choices_actions}  # shtab takes no others
            for name, own in action.choices.items():
                with_completers(own)
                if name not in listed:
                    action._choices_actions.append(action._ChoicesPseudoAction(name, (), own.description))
        elif action.choices is not None:
            action.choices = [*action.choices]  # a mapping counts as subcommands to shtab
        elif action.metavar in WORDS:
            action.choices = WORDS[str(action.metavar)]
    return parser


if __name__ == "__main__":
    sys.exit(main())
