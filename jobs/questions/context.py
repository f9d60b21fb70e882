"""The state of the cluster at one time: controller, brokers, topics, deletions, reassignments, partitions."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from jobs.argument_types import on_format
from jobs.layout import wrap_text
from jobs.questions.answers import Answers
from jobs.questions.ask import moment_or_clock, print_answer, question_parser, require_tables
from jobs.questions.brokers import beyond_end, resolve_asked_time
from jobs.questions.context_rows import TABLES, context_at
from jobs.questions.context_text import context_json, context_lines
from jobs.questions.own_context import context_of
from jobs.text import day_clock

FORMATS = ("text", "json")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = question_parser(
        "context", "What the cluster was at one time, by what its controllers said until then."
    )
    arguments.add_argument(
        "--at",
        type=moment_or_clock,
        metavar="TIME",
        help="UTC: 2026-11-21T09:00:13, or 09:00:13 on the last day of the data (the end of the data)",
    )
    arguments.add_argument(
        "--controller",
        type=int,
        metavar="N",
        help="as controller N itself knew it then, by its own lines; also one that was deposed and did not know it",
    )
    arguments.add_argument(
        "--partitions", action="store_true", help="every partition, also those that are well"
    )
    on_format(arguments, FORMATS)
    given = arguments.parse_args(argv)
    return print_answer("context", given, partial(show_context, given))


def show_context(given: argparse.Namespace, answers: Answers) -> list[str]:
    """InputProblem: the time is before the data, or controller N was none then, as far as lines tell."""
    require_tables(answers, *TABLES)
    if answers.last_at() is None:
        return [f"{answers.cluster_id}  no time on any record"]
    asked, moment = resolve_asked_time(given.at, answers)
    at = asked or answers.read()["last_at"]
    known = context_at(answers, at) if given.controller is None else context_of(answers, given.controller, at)
    if beyond := beyond_end(given.at, answers):
        said = f"what it was at {day_clock(beyond)} UTC: the data end before, and this is as it stood at their end"
        known = replace(known, doubts=[said, *known.doubts])
    if given.format == "json":
        return context_json(answers.cluster_id, given.controller, known)
    whose = "" if given.controller is None else f"  as controller {given.controller} knew it"
    return [
        *wrap_text(f"{answers.cluster_id}  at {moment}{whose}"),
        *context_lines(known, is_all=given.partitions),
    ]
