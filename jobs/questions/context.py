"""The state of the cluster at one time: controller, brokers, topics, deletions, reassignments, partitions."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from jobs.layout import wrapped
from jobs.questions.answers import Answers
from jobs.questions.ask import answered, asking, moment_or_clock, require
from jobs.questions.brokers import asked_at, beyond_end
from jobs.questions.context_rows import TABLES, context_at
from jobs.questions.context_text import as_json, as_text
from jobs.questions.own_context import context_of
from jobs.settings.arguments import on_format
from jobs.text import day_clock

FORMATS = ("text", "json")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = asking(
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
    return answered("context", given, partial(context, given))


def context(given: argparse.Namespace, answers: Answers) -> list[str]:
    """InputProblem: the time is before the data, or controller N was none then, as far as lines tell."""
    require(answers, *TABLES)
    if answers.last_at() is None:
        return [f"{answers.cluster_id}  no time on any record"]
    asked, moment = asked_at(given.at, answers)
    at = asked or answers.read()["last_at"]
    known = context_at(answers, at) if given.controller is None else context_of(answers, given.controller, at)
    if beyond := beyond_end(given.at, answers):
        said = f"what it was at {day_clock(beyond)} UTC: the data end before, and this is as it stood at their end"
        known = replace(known, doubts=[said, *known.doubts])
    if given.format == "json":
        return as_json(answers.cluster_id, given.controller, known)
    whose = "" if given.controller is None else f"  as controller {given.controller} knew it"
    return [*wrapped(f"{answers.cluster_id}  at {moment}{whose}"), *as_text(known, is_all=given.partitions)]
