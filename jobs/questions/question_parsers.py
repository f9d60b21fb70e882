"""The parsers of questions: `ask NAME`, NAME as a command, and a question as one word of another command."""

import argparse
import io
from collections.abc import Sequence
from contextlib import redirect_stderr

from jobs.argument_types import Takes, on_format
from jobs.layout import WIDTH_HELP, wrap_text
from jobs.moments import on_zone
from jobs.parser import HINT, Parser
from jobs.questions.ask import question_parser
from jobs.questions.catalog import QUESTIONS, Question, question_function
from jobs.questions.named.given import Given
from jobs.questions.print_schema import PrintSchema
from jobs.questions.taken import TAKES
from pipeline.core.errors import InputProblem

TIMES = {"at", "since", "until"}


def parse_question(words: Sequence[str]) -> Given:
    """A question as it stands on a command line, of somebody who may name no files: an assistant, or `incident --ask`.
    InputProblem: it does not stand so."""
    complaint = io.StringIO()
    try:
        with redirect_stderr(complaint):
            return parse_checked(named_question_parser(has_files=False), words)
    except SystemExit as problem:
        found = complaint.getvalue().strip().rpartition("error: ")[2].removesuffix(HINT)
        raise InputProblem(
            expected="a question with the arguments that it takes",
            found=found or " ".join(words),
            todo="'kafka-controller-audit ask' lists them",
        ) from problem


def question_list_lines() -> list[str]:
    """Every question with what it takes."""
    wide = max(map(len, QUESTIONS))
    lines = [
        line
        for name, one in QUESTIONS.items()
        for line in wrap_text(f"  {name:<{wide}}  {one.words}{takes_text(one)}", wide + 4)
    ]
    usage = "kafka-controller-audit ask QUESTION [--warehouse URI] [--cluster NAME] [--format json]"
    return [*wrap_text(usage), *lines]


def takes_text(question: Question, *, has_files: bool = True) -> str:
    taken = (TAKES[name] for name in question.takes)
    shown = ", ".join(str(one) for one in taken if has_files or not one.is_file)
    return f"  ({shown})" if shown else ""


def parse_checked(parser: argparse.ArgumentParser, words: Sequence[str]) -> Given:
    """The arguments of a question; those that do not go together are a mistake of usage (SystemExit)."""
    given = parser.parse_args(words)
    conflict = QUESTIONS[given.question].conflict
    if conflict is not None and (why := question_function(conflict)(given)):
        given.refuse(why)
    return given


def named_question_parser(*, has_files: bool = True) -> argparse.ArgumentParser:
    """`ask` with a parser a question. has_files: arguments that name files are among them."""
    arguments = Parser(
        prog="kafka-controller-audit ask",
        description="Questions by name, asked of what was published.",
        epilog="\n".join(question_list_lines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    questions = arguments.add_subparsers(dest="question", metavar="QUESTION", required=True)
    for name, one in QUESTIONS.items():
        own = questions.add_parser(
            name,
            parents=[question_parser("ask", "")],
            add_help=False,
            description=one.words,
            epilog=WIDTH_HELP,
            conflict_handler="resolve",
        )
        own.prog = f"kafka-controller-audit ask {name}"
        add_question_arguments(own, name, has_files=has_files)
    return arguments


def add_question_arguments(parser: argparse.ArgumentParser, name: str, *, has_files: bool = True) -> None:
    """What a question takes beside warehouse, cluster and run."""
    parser.set_defaults(question=name, refuse=parser.error, format="text")
    add_taken(parser, name, has_files=has_files)
    if TIMES & {*QUESTIONS[name].takes}:
        on_zone(parser)


def add_taken(arguments: Takes, name: str, *, has_files: bool = True) -> None:
    """The same for a parser or a group of one: the arguments of the catalog, and --format."""
    question = QUESTIONS[name]
    for taken in (TAKES[one] for one in question.takes):
        if has_files or not taken.is_file:
            taken.add_to(arguments)
    on_format(arguments, question.formats if has_files else question.formats[:2])
    if has_files and (question.has_rows or not question.is_listing):
        arguments.add_argument("--schema", action=PrintSchema, help="prints the JSON schema of --format json")
