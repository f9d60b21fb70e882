"""`ask NAME`, and NAME alone where it is a command: parses a question of the catalog, answers it, prints the answer."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

from jobs.engine.run.outcome import report_problem
from jobs.moments import on_zone, with_zone
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
from jobs.questions.question_parsers import (
    TIMES,
    add_question_arguments,
    named_question_parser,
    parse_checked,
    parse_question,
    question_list_lines,
)
from jobs.questions.taken import TAKES, format_taken_value
from jobs.questions.unpublished import missing_table_notes
from jobs.terminal import show_lines
from pipeline.core.errors import InputProblem, PipelineError
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

PROGRAMS = ("json", "jsonl")
ROWS = "rows_out:rows_of_question"
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
    elif given.format == "jsonl":
        print(
            "".join(f"{json.dumps(answer_row(one), ensure_ascii=False)}\n" for one in found),
            end="",
            flush=True,
        )
    else:
        show_lines(
            line for place, one in enumerate(found) for line in [*[""] * bool(place), *answer_lines(one)]
        )
    return 0


def call_question(given: Given, answers: Answers) -> Any:
    """What the function of the question gives, each of its parameters by its name: an Answer, or lines."""
    question = QUESTIONS[given.question]
    is_for_programs = given.format in PROGRAMS
    if is_for_programs and question.has_rows:
        rows = question_function(ROWS)(given.question)
        return json.dumps(call_by_names(rows, given, answers), indent=1).splitlines()
    asked = argparse.Namespace(**vars(given) | {"format": "json"}) if is_for_programs else given
    return call_by_names(question_function(question.where), asked, answers)


def call_by_names(function: Callable[..., Any], given: Given, answers: Answers) -> Any:
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
    """The same question, answered in JSON where its lines are none; as people read it where they are a table."""
    question = QUESTIONS[given.question]
    form = "json" if "json" in question.formats and not question.has_rows else "text"
    return argparse.Namespace(**vars(given) | {"format": form})


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


if __name__ == "__main__":
    sys.exit(main())
