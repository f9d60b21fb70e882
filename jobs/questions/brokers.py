"""Leader imbalance of each broker at one time and who had left why, or partitions beside kafka-topics --describe."""

import argparse
from datetime import datetime

from jobs.engine.run.outcome import report_problem
from jobs.moments import Moment, asked_moment
from jobs.questions.ask import (
    moment_within,
    published_answers,
    require_tables,
)
from jobs.questions.ask_text import broker_table
from jobs.questions.compare import compare_partitions, comparison_lines, partition_states_at, require_same
from jobs.questions.describe import read_described
from jobs.questions.reasons import departure_table
from jobs.terminal import show_lines
from pipeline.core.clocks import day_clock
from pipeline.core.errors import PipelineError
from pipeline.views.reading.answers import Answers


def run_comparison(given: argparse.Namespace) -> int:
    """Exit code 8 where something differs."""
    try:
        answers = published_answers(given.warehouse, given.cluster, given.run_id)
        require_tables(answers, "gold.partition_timeline")
        at, moment = resolve_asked_time(given.at, answers)
        comparison = compare_partitions(read_described(given.compare), partition_states_at(answers, at))
        lines = comparison_lines(comparison, f"{answers.cluster_id}  at {moment}", given.compare.name)
        show_lines(lines)
        require_same(comparison)
    except PipelineError as problem:
        return report_problem("brokers", problem)
    return 0


def show_brokers(at: Moment, answers: Answers) -> list[str]:
    require_tables(answers, "gold.leader_imbalance")
    asked, moment = resolve_asked_time(at, answers)
    rows = answers.brokers(asked)
    left = answers.departures(asked) if answers.has("gold.broker_session") else []
    return [f"{answers.cluster_id}  at {moment}", *broker_table(rows), *departure_table(left)]


def beyond_end(at: Moment, answers: Answers) -> datetime | None:
    """The time that is asked for, where it is after the end of the data."""
    last = answers.last_at()
    asked = None if last is None else asked_moment(at, last)
    return asked if asked is not None and last is not None and asked > last else None


def resolve_asked_time(at: Moment, answers: Answers) -> tuple[datetime | None, str]:
    """The time (None: the end of the data), and how it is told; of one after it nothing is known."""
    read = answers.read()
    first, last = read["first_at"], read["last_at"]
    asked = asked_moment(at, last)
    is_end = moment_within(at, first, last) is None
    is_beyond = asked is not None and asked > last
    beyond = (
        f" (not enough evidence, the data end before: as it stood at {day_clock(last)})" if is_beyond else ""
    )
    return None if is_end else asked, f"{day_clock(asked or last)} UTC{beyond}"
