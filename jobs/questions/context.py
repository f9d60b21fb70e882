"""The state of the cluster at one time: controller, brokers, topics, deletions, reassignments, partitions."""

import argparse
from dataclasses import replace

from jobs.layout import wrap_text
from jobs.questions.ask import require_tables
from jobs.questions.brokers import beyond_end, resolve_asked_time
from jobs.questions.context_text import context_json, context_lines
from pipeline.core.clocks import day_clock
from pipeline.views.context.context_rows import TABLES, context_at
from pipeline.views.context.own_context import context_of
from pipeline.views.reading.answers import Answers


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
