"""The command `playbook`: what to do about findings of a rule, as its page says; needs no warehouse but for F1."""

import argparse
import difflib
import sys
from collections.abc import Sequence

from jobs.engine.run.outcome import report_problem
from jobs.layout import wrap_text
from jobs.playbook.pages import playbook_page
from jobs.playbook.text import page_lines, rule_lines
from jobs.questions.ask import choose_finding, published_answers, question_parser, require_tables
from jobs.questions.given_names import FINDING
from jobs.terminal import show_lines
from jobs.text import shorten_line
from pipeline.core.errors import InputProblem, PipelineError, SettingsError
from pipeline.rules.order import RULE_NAMES

FROM_LOGS = (
    "The commands of this audit read a warehouse. From logs alone: incident PATH... --show F1, and "
    "incident PATH... --ask stuck (or another question of 'ask')"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = question_parser(
        "playbook", "What findings of a rule mean, what to do about them, and what not to."
    )
    arguments.add_argument(
        "rule",
        nargs="?",
        metavar="RULE",
        help="such as outage, or F1 for that of a finding; without: all, each with its sentence",
    )
    given = arguments.parse_args(argv)
    try:
        show_lines(rule_lines() if given.rule is None else show_playbook(given.rule, given))
    except PipelineError as problem:
        return report_problem("playbook", problem)
    return 0


def show_playbook(name: str, given: argparse.Namespace) -> list[str]:
    return playbook_lines(rule_of_finding(name, given) if FINDING.fullmatch(name) else rule_named(name))


def playbook_lines(rule: str) -> list[str]:
    """InputProblem: this release has no page of it."""
    found = playbook_page(rule)
    if found is None:
        raise InputProblem(
            expected=f"a playbook of the rule {shorten_line(rule, 40)}",
            found="none in this release",
            todo="'playbook' lists those that are there",
        )
    return [*page_lines(found), "", *wrap_text(FROM_LOGS)]


def rule_named(name: str) -> str:
    """SettingsError: there is no such rule."""
    rule = name.strip().lower().replace("-", "_")
    if rule not in RULE_NAMES:
        near = difflib.get_close_matches(rule, RULE_NAMES, 3)
        raise SettingsError(
            expected=f"a rule such as {', '.join(near)}" if near else f"a rule of {', '.join(RULE_NAMES)}",
            found=shorten_line(name, 40),
            todo="name one of them, or a finding as F1; 'playbook' lists all rules",
        )
    return rule


def rule_of_finding(name: str, given: argparse.Namespace) -> str:
    """InputProblem: there is no such finding, or no warehouse, or several clusters and none is named."""
    answers = published_answers(given.warehouse, given.cluster, given.run_id)
    require_tables(answers, "gold.finding")
    return str(choose_finding(name, answers.findings())[1]["rule"])


if __name__ == "__main__":
    sys.exit(main())
