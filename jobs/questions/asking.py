"""`ask NAME`, and NAME alone where it is a command: parses a question of the catalog, answers it, prints the answer."""

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

from jobs.argument_types import Takes, on_format
from jobs.engine.run.outcome import report_problem
from jobs.layout import WIDTH_HELP, wrap_text
from jobs.moments import on_zone, with_zone
from jobs.parser import HINT, Parser
from jobs.questions.ask import all_answers, print_answer, question_parser, require_tables
from jobs.questions.catalog import QUESTIONS, Question, question_function
from jobs.questions.named.answer import (
    Answer,
    Answered,
    answer_lines,
    answer_row,
    answers_json,
    listing_answered,
    with_evidence_lines,
)
from jobs.questions.named.doubt import doubt_answer
from jobs.questions.named.given import Given, at_of, of_run, since_of, until_of
from jobs.questions.named.happened import About
from jobs.questions.taken import TAKES, format_taken_value
from jobs.questions.unpublished import missing_table_notes
from jobs.terminal import show_lines
from pipeline.core.errors import InputProblem, PipelineError
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TIMES = {"at", "since", "until"}
# What the parameters of a question's function are given; others are the argument of that name.
MADE: dict[str, Callable[[Answers, Given], object]] = {
    "answers": lambda answers, _: answers,
    "given": lambda _, given: given,
    "at": at_of,
    "since": since_of,
    "until": until_of,
    "about": lambda _, given: About(given.topic, given.number, given.broker),
    "is_all": lambda _, given: given.all,
    "of_run": lambda answers, given: partial(of_run, answers, given),
}


def main(argv: Sequence[str] | None = None) -> int:
    """`ask`. Exit code as in pipeline.core.errors.EXIT_CODES."""
    words = list(sys.argv[1:] if argv is None else argv)
    shared = argparse.Namespace()
    if words and words[0].startswith("-") and not {"-h", "--help"} & {*words}:
        before = question_parser("ask", "")
        on_zone(before)
        shared, words = before.parse_known_args(words)
        shared = argparse.Namespace(
            **{name: value for name, value in vars(shared).items() if value != before.get_default(name)}
        )
    if not words:
        print("\n".join(question_list_lines()), flush=True)
        return 0
    try:
        given = parse_checked(named_question_parser(), words)
        vars(given).update(vars(shared))
        return print_question("ask", with_zone(given))
    except PipelineError as problem:
        return report_problem("ask", problem)


def ask_by_command(name: str, argv: Sequence[str]) -> int:
    """The question NAME as a command of its own. Exit code as in pipeline.core.errors.EXIT_CODES."""
    parser = question_parser(name, f"{QUESTIONS[name].words.capitalize()}.")
    add_question_arguments(parser, name)
    try:
        return print_question(name, parse_checked(parser, argv))
    except PipelineError as problem:
        return report_problem(name, problem)


def print_question(command: str, given: Given) -> int:
    """Prints the answer to what was parsed. command: as it was spelled, for what is told of failures."""
    question = QUESTIONS[given.question]
    if question.instead is not None and getattr(given, question.instead[0]) is not None:
        return int(question_function(question.instead[1])(given))
    if question.is_listing:
        return print_answer(command, given, partial(call_question, given))
    found = answer_question(given)
    if given.format == "json":
        print(answers_json(found), flush=True)
    else:
        show_lines(
            line for place, one in enumerate(found) for line in [*[""] * bool(place), *answer_lines(one)]
        )
    return 0


def call_question(given: Given, answers: Answers) -> Any:
    """What the function of the question gives, each of its parameters by its name: an Answer, or lines."""
    function = question_function(QUESTIONS[given.question].where)
    return function(
        **{
            name: MADE[name](answers, given) if name in MADE else getattr(given, name)
            for name in signature(function).parameters
        }
    )


def answer_question(given: Given, clusters: Sequence[Answers] | None = None) -> list[Answered]:
    """Of these clusters; None: of that in the warehouse that is named, else of all there. A question that fits not all
    of several clusters, as they have not the same topics and brokers, is answered by those that it fits. InputProblem:
    it fits none."""
    found: list[Answered] = []
    problems: list[InputProblem] = []
    if clusters is None:
        clusters = all_answers(given.warehouse, given.cluster, given.run_id)
    for one in clusters:
        try:
            found.append(answer_to(given, one))
        except InputProblem as problem:
            problems.append(problem)
            found.append(with_evidence_lines(one, asked_text(given), Answer(f"Not answered. {problem}")))
    if len(problems) == len(found):
        raise problems[0]
    return found


def answer_to(given: Given, answers: Answers) -> Answered:
    """InputProblem: the question does not fit the cluster."""
    question = QUESTIONS[given.question]
    require_built(answers, question)
    found = call_question(given, answers)
    if question.is_listing:
        notes = missing_table_notes(answers.tables)
        return listing_answered(answers, asked_text(given), found, notes, is_json=given.format == "json")
    found = doubt_answer(found, answers, given, question.rests_on)
    unknown = [*found.not_known, *missing_table_notes(answers.tables)]
    return with_evidence_lines(answers, asked_text(given), replace(found, not_known=unknown))


def require_built(answers: Answers, question: Question) -> None:
    """InputProblem: no run has looked for findings, which the question asks of; an older run knew not what it needs."""
    if question.is_of_findings:
        require_tables(answers, "gold.finding")
    versions = getattr(answers.tables, "versions", None)
    require_tables(answers, *(one for one in question.needs if versions is not None and one not in versions))


def answered_rows(words: Sequence[str], clusters: Sequence[Answers] | None = None) -> list[Row]:
    """The answers to a question as it stands on a command line, for programs. clusters: as answer_question takes them.
    InputProblem: it does not stand so."""
    return [answer_row(one) for one in answer_question(as_document(parse_question(words)), clusters)]


def as_document(given: Given) -> Given:
    """The same question, answered in JSON where it can be."""
    form = "json" if "json" in QUESTIONS[given.question].formats else "text"
    return argparse.Namespace(**vars(given) | {"format": form})


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


def asked_text(given: Given) -> str:
    """The question with what was given to it, as it can be asked again."""
    parts = [given.question]
    for taken in (TAKES[name] for name in QUESTIONS[given.question].takes):
        value = getattr(given, taken.dest or taken.flag, None)
        if value is True and not taken.metavar:
            parts.append(taken.flag)
        elif value is not None and value is not False and value != taken.default:
            text = format_taken_value(value)
            parts.append(f"{taken.flag} {text}" if taken.flag.startswith("-") else text)
    zone = getattr(given, "zone", None) if TIMES & {*QUESTIONS[given.question].takes} else None
    return " ".join([*parts, f"--zone {zone}"] if zone else parts)


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
    if len(question.formats) > 1:
        on_format(arguments, question.formats if has_files else ("text", "json"))


if __name__ == "__main__":
    sys.exit(main())
