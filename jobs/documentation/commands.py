"""What each command takes, as its own parser says it."""

import argparse
from collections.abc import Iterator

from jobs.cli import COMMANDS
from jobs.completion import parser_of
from pipeline.catalog.docs import markdown_table

PROGRAM = "kafka-controller-audit"
Row = tuple[str, str]


def commands_part() -> str:
    """A section a command: what it is for, and a table of its arguments. It asks each command for its parser: those
    that write a warehouse need Spark to be installed."""
    return "\n\n".join("\n\n".join(command_section(name)) for name in COMMANDS)


def command_section(name: str) -> Iterator[str]:
    *_, words = COMMANDS[name]
    before, colon, after = words.partition(": ")
    are_arguments = colon and all(one.isupper() or not one.isalpha() for one in before.split())
    arguments, meaning = (before, after) if are_arguments else ("", words)
    yield f"## {name}"
    yield f"`{' '.join((PROGRAM, name, arguments)).strip()}`: {meaning}."
    parser = parser_of(name)
    if parser is None:
        raise ModuleNotFoundError(f"the parser of {name} needs Spark, which is not installed: make setup")
    yield markdown_table(("argument", "meaning"), dict.fromkeys(argument_rows(parser)))


def argument_rows(parser: argparse.ArgumentParser) -> Iterator[Row]:
    """Each argument; of a command with questions each question with its own, then what all of them take."""
    questions = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    own = [one for one in parser._actions if one.help != argparse.SUPPRESS and one not in questions]
    yield from (argument_row(one) for one in own if not isinstance(one, argparse._HelpAction))
    for one in questions:
        taken = {name: [*map(argument_row, arguments_of(asked))] for name, asked in one.choices.items()}
        common = [row for row in next(iter(taken.values())) if all(row in rows for rows in taken.values())]
        for name, rows in taken.items():
            special = (row[0].strip("`") for row in rows if row not in common)
            yield f"`{' '.join((name, *special))}`", str(one.choices[name].description)
        yield from common


def arguments_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [one for one in parser._actions if not isinstance(one, argparse._HelpAction)]


def argument_row(action: argparse.Action) -> Row:
    return f"`{argument_usage(action)}`", (action.help or "").replace("%%", "%")


def argument_usage(action: argparse.Action) -> str:
    """An argument as it is typed: --fail-on critical|warning|info."""
    value = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
    shown = value if isinstance(value, str) else " ".join(value)
    if not action.option_strings:
        return shown
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {shown}"
