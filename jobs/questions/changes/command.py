"""`changes`: what people and tools asked of the cluster, in the order of time, each with its log line."""

import argparse
import json
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from jobs.argument_types import on_format
from jobs.layout import wrap_text
from jobs.questions.answers import Answers
from jobs.questions.ask import moment_or_clock, on_day, print_answer, question_parser, require_tables
from jobs.questions.changes.asked import (
    change_sentence,
    changes_of,
    changes_of_topic,
    served_by,
    unseen_change_notes,
)
from jobs.questions.changes.of_controllers import TERMS
from jobs.questions.changes.out import change_documents, places_of
from jobs.questions.log_folder import folder_of, logs_in
from jobs.questions.rows import Row, place_of_row
from jobs.questions.window import Window
from jobs.text import clock_by, day_clock, format_count, shorten_line

WIDTH = 240


def main(argv: Sequence[str] | None = None) -> int:
    arguments = question_parser(
        "changes", "What people and tools asked of the cluster, and what became of it."
    )
    arguments.add_argument(
        "--since", type=moment_or_clock, metavar="TIME", help="UTC (the begin of the data)"
    )
    arguments.add_argument("--until", type=moment_or_clock, metavar="TIME", help="UTC (the end of the data)")
    arguments.add_argument("--topic", metavar="NAME", help="of one topic (all, and of the cluster)")
    on_format(arguments)
    given = arguments.parse_args(argv)
    return print_answer("changes", given, partial(show_changes, given))


def show_changes(given: argparse.Namespace, answers: Answers) -> list[str]:
    """InputProblem: the tables are not there, or the topic is in no log that was read."""
    require_tables(answers, TERMS)
    last = answers.last_at()
    if last is None:
        return [f"{answers.cluster_id}  no time on any record"]
    since, until = on_day(given.since, last.date()), on_day(given.until, last.date())
    beyond = Window(since, until).beyond(answers.read()["first_at"], last)
    if beyond is not None and given.format != "json":
        return wrap_text(f"{answers.cluster_id}  not enough evidence: {beyond}")
    rows = changes_of_topic(answers, changes_of(answers, since, until), given.topic)
    lines_of = places_of(answers, rows)
    if given.format == "json":
        return json.dumps(change_documents(rows, lines_of), indent=2).splitlines()
    span = " ".join(f"{word} {day_clock(at)}" for word, at in (("since", since), ("until", until)) if at)
    return [
        *wrap_text(
            f"{answers.cluster_id}  {format_count(len(rows), 'change')} that people or tools asked for"
            f"{' ' + span if span else ''}  times are UTC"
        ),
        *(logs_in(folder_of(answers.segments["path"]), "    ") if lines_of else []),
        *(line for row in rows for line in format_change(row, lines_of, last)),
        *change_note_lines(answers, rows),
    ]


def format_change(row: Row, lines_of: dict[tuple[str, int], Row], last: datetime) -> list[str]:
    """Its sentence, and its place below."""
    doubt = "" if row["certainty"] == "proved" else f"  [{row['certainty']}]"
    by = served_by(row)
    served = f"  ({by})" if by else ""
    lines = wrap_text(
        f"{clock_by(row['at'], last)} {shorten_line(change_sentence(row), WIDTH)}{served}{doubt}"
    )
    found = lines_of.get(place_of_row(row)) if row["file_id"] is not None else None
    return [*lines, f"    {shorten_line(found['near'], 1000)}:{found['line']}"] if found else lines


def change_note_lines(answers: Answers, rows: Sequence[Row]) -> list[str]:
    said = unseen_change_notes(answers, rows)
    return ["", *(line for one in said for line in wrap_text(one))] if said else []
