"""What a run found beside what the run before it had found."""

from collections.abc import Callable

from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import format_count
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import column_equals
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

RUN = "ops.run"


def compare_nights(answers: Answers, of_run: Callable[[str], Answers]) -> Answer:
    """The findings of the newest run that published against those of the one before. of_run: the tables as a run
    published them. InputProblem: retention has removed them."""
    runs = answers.rows(RUN, column_equals("outcome", "published"), ("run_id", "run_seq", "ended_at")).sort(
        "run_seq"
    )
    if len(runs) < 2:
        return Answer("Not enough evidence: only one run has published.", as_of=answers.last_at())
    earlier, newest = (runs.row(place, named=True) for place in (-2, -1))
    before = {one["finding_id"]: one for one in of_run(earlier["run_id"]).findings()}
    now = {one["finding_id"]: one for one in answers.findings()}
    parts = {
        "new": [one for key, one in now.items() if key not in before],
        "over": [
            one for key, one in now.items() if is_finding_open(before.get(key)) and not is_finding_open(one)
        ],
        "worse": [one for key, one in now.items() if is_worse(before.get(key), one)],
        "gone": [one for key, one in before.items() if key not in now],
    }
    summed = ", ".join(f"{len(some)} {word}" for word, some in parts.items())
    sentence = (
        f"Run {newest['run_id']} ({day_clock(newest['ended_at'])} UTC) against {earlier['run_id']}:"
        f" {format_count(len(now), 'finding')}, {summed}."
    )
    return Answer(
        sentence,
        [compared_finding_item(word, one) for word, some in parts.items() for one in some],
        (),
        answers.last_at(),
    )


def is_finding_open(finding: Row | None) -> bool:
    return finding is not None and finding["valid_until_at"] is None


def is_worse(before: Row | None, now: Row) -> bool:
    return before is not None and RANKS[now["severity"]] < RANKS[before["severity"]]


RANKS = {"critical": 0, "warning": 1, "info": 2}


def compared_finding_item(word: str, one: Row) -> AnswerItem:
    return AnswerItem(
        f"{word}: {one['severity']} {one['sentence']}",
        one["valid_from_at"],
        one["certainty"],
        one["evidence"],
    )
