"""What was given with a question, as the function that answers it takes it."""

import argparse
from datetime import UTC, datetime, timedelta

from jobs.moments import asked_moment
from jobs.questions.ask import moment_within, published_answers
from jobs.questions.window import Window
from pipeline.views.reading.answers import Answers

Given = argparse.Namespace


def at_of(answers: Answers, given: Given) -> datetime | None:
    """The time that is asked for; None for the end of the data. InputProblem: before the data begin."""
    read = answers.read()
    if read["last_at"] is None:
        return None
    moment_within(given.at, read["first_at"], read["last_at"])
    return asked_moment(given.at, read["last_at"])


def question_window(answers: Answers, given: Given) -> Window:
    """The time that the question is about; of one at a time what is around it."""
    last, at = answers.last_at(), getattr(given, "at", None)
    if last is None:
        return Window()
    if at is None:
        since, until = (asked_moment(getattr(given, name, None), last) for name in ("since", "until"))
        return Window(since, until)
    asked = asked_moment(at, last) or last
    return Window(before_by(asked, getattr(given, "around", timedelta(0))))


def before_by(at: datetime, length: timedelta) -> datetime:
    """Cut where the calendar begins."""
    return at - min(length, at - datetime.min.replace(tzinfo=UTC))


def since_of(answers: Answers, given: Given) -> datetime | None:
    last = answers.last_at()
    return None if last is None else asked_moment(given.since, last)


def until_of(answers: Answers, given: Given) -> datetime | None:
    last = answers.last_at()
    return None if last is None else asked_moment(given.until, last)


def of_run(answers: Answers, given: Given, run_id: str) -> Answers:
    """InputProblem: retention has removed what only it published."""
    return published_answers(given.warehouse, answers.cluster_id, run_id)
