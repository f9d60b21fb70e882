"""`changes`: what people and tools asked of the cluster, in the order of time, each with its log line."""

import argparse
import json
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from jobs.layout import wrapped
from jobs.questions.answers import Answers
from jobs.questions.ask import answered, asking, moment_or_clock, on_day, require
from jobs.questions.changes.asked import changes_of, of_topic, said, served_by, unseen
from jobs.questions.changes.of_controllers import TERMS
from jobs.questions.changes.out import documents, places_of
from jobs.questions.log_folder import folder_of, logs_in
from jobs.questions.rows import Row, place_of
from jobs.questions.window import Window
from jobs.settings.arguments import on_format
from jobs.text import clock_by, counted, day_clock, shortened

WIDTH = 240


def main(argv: Sequence[str] | None = None) -> int:
    arguments = asking("changes", "What people and tools asked of the cluster, and what became of it.")
    arguments.add_argument(
        "--since", type=moment_or_clock, metavar="TIME", help="UTC (the begin of the data)"
    )
    arguments.add_argument("--until", type=moment_or_clock, metavar="TIME", help="UTC (the end of the data)")
    arguments.add_argument("--topic", metavar="NAME", help="of one topic (all, and of the cluster)")
    on_format(arguments)
    given = arguments.parse_args(argv)
    return answered("changes", given, partial(changes, given))


def changes(given: argparse.Namespace, answers: Answers) -> list[str]:
    """InputProblem: the tables are not there, or the topic is in no log that was read."""
    require(answers, TERMS)
    last = answers.last_at()
    if last is None:
        return [f"{answers.cluster_id}  no time on any record"]
    since, until = on_day(given.since, last.date()), on_day(given.until, last.date())
    beyond = Window(since, until).beyond(answers.read()["first_at"], last)
    if beyond is not None and given.format != "json":
        return wrapped(f"{answers.cluster_id}  not enough evidence: {beyond}")
    rows = of_topic(answers, changes_of(answers, since, until), given.topic)
    lines_of = places_of(answers, rows)
    if given.format == "json":
        return json.dumps(documents(rows, lines_of), indent=2).splitlines()
    span = " ".join(f"{word} {day_clock(at)}" for word, at in (("since", since), ("until", until)) if at)
    return [
        *wrapped(
            f"{answers.cluster_id}  {counted(len(rows), 'change')} that people or tools asked for"
            f"{' ' + span if span else ''}  times are UTC"
        ),
        *(logs_in(folder_of(answers.segments["path"]), "    ") if lines_of else []),
        *(line for row in rows for line in told(row, lines_of, last)),
        *notes(answers, rows),
    ]


def told(row: Row, lines_of: dict[tuple[str, int], Row], last: datetime) -> list[str]:
    """Its sentence, and its place below."""
    doubt = "" if row["certainty"] == "proved" else f"  [{row['certainty']}]"
    by = served_by(row)
    served = f"  ({by})" if by else ""
    lines = wrapped(f"{clock_by(row['at'], last)} {shortened(said(row), WIDTH)}{served}{doubt}")
    found = lines_of.get(place_of(row)) if row["file_id"] is not None else None
    return [*lines, f"    {shortened(found['near'], 1000)}:{found['line']}"] if found else lines


def notes(answers: Answers, rows: Sequence[Row]) -> list[str]:
    said = unseen(answers, rows)
    return ["", *(line for one in said for line in wrapped(one))] if said else []
