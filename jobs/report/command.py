"""The command `report`: one HTML file of what was published, to hand on to people who have no warehouse."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from jobs.engine.run.outcome import report_problem
from jobs.moments import on_zone, parse_moment
from jobs.questions.ask import all_answers, question_parser, require_tables
from jobs.questions.findings import write_whole_file
from jobs.questions.status import neediest_first
from jobs.questions.window import Window, asked_window
from jobs.report.inputs import masking_text
from jobs.report.page import Section, cluster_section, html_page
from jobs.report.told import ClusterTold, cluster_report
from jobs.text import format_count, human_bytes
from pipeline.core.errors import PipelineError, SettingsError
from pipeline.views.reading.answers import Answers


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = question_parser(
        "report", "One HTML file that tells what was found: it needs neither network nor script."
    )
    arguments.add_argument("--since", type=parse_moment, metavar="TIME", help="what goes on at or after it")
    arguments.add_argument("--until", type=parse_moment, metavar="TIME", help="what began before it")
    on_zone(arguments)
    arguments.add_argument(
        "--output", metavar="FILE", required=True, help="the HTML file, written whole or not at all"
    )
    given = arguments.parse_args(argv)
    options = options_of(given)
    file = Path(given.output)
    try:
        require_writable_file(file, "--output")
        found = all_answers(given.warehouse, given.cluster, given.run_id)
        for one in found:
            require_tables(one, "gold.finding")
        ordered = neediest_first(found)
        windows = [(one, asked_window(given.since, given.until, one)) for one in ordered]
        sections = [
            cluster_section(cluster_in_warehouse(one, window, options), place, len(ordered))
            for place, (one, window) in enumerate(windows, 1)
        ]
        write_page(file, sections)
    except PipelineError as problem:
        return report_problem("report", problem)
    return 0


def cluster_in_warehouse(answers: Answers, window: Window, options: Sequence[str]) -> ClusterTold:
    return cluster_report(answers, window, masking_text(masking_of(answers)), is_stored=True, options=options)


def options_of(given: argparse.Namespace) -> list[str]:
    """Of the commands on the page, where they are not the usual ones."""
    asked = (("--warehouse", given.warehouse), ("--run-id", given.run_id))
    return [word for name, value in asked if value not in (None, "warehouse") for word in (name, value)]


def masking_of(answers: Answers) -> object:
    """As the newest run that published states it."""
    runs = answers.rows("ops.run", None, ("run_seq", "settings")).sort("run_seq")
    stated = json.loads(runs["settings"].to_list()[-1]) if runs.height else {}
    return stated.get("masking")


def require_writable_file(file: Path, option: str) -> None:
    """Before the logs are read, which may take minutes. SettingsError: what option names is no place for a file."""
    why = ""
    if file.is_dir():
        why = "a folder"
    elif not file.parent.is_dir():
        why = "no such folder"
    elif not os.access(file if file.exists() else file.parent, os.W_OK):
        why = "one that may not be written"
    if why:
        raise SettingsError(
            expected=f"{option} in a folder that can be written, {file}", found=why, todo="name another file"
        )


def write_page(file: Path, sections: Sequence[Section], option: str = "--output") -> None:
    """SettingsError: the folder does not take it."""
    text = html_page(sections, datetime.now(UTC))
    write_whole_file(file, text, option)
    size = human_bytes(len(text.encode()))
    print(f"{file}  {size}, {format_count(len(sections), 'cluster')}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
