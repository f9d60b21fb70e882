"""The line of the first screen on reassignments: what is open and waits for what, how others ended."""

from datetime import UTC, datetime, timedelta

import polars as pl

from jobs.questions.reassignments import ENDS, reassignment_lines, reassignments_of
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from tests.jobs.answering import answers_of

SECOND = timedelta(seconds=1)
LATE = datetime(2026, 11, 21, 8, 59, 0, tzinfo=UTC)
AFTER = datetime(2026, 11, 22, tzinfo=UTC)
NOTHING: Row = {
    "longest_ms": None,
    "waits": [],
    **dict.fromkeys(("completed", "unseen", "doubtful", *ENDS), 0),
}


def test_what_became_of_them_is_one_line(sample_answers: Answers) -> None:
    assert reassignment_lines(reassignments_of(sample_answers, None)) == [
        "REASSIGNMENTS completed 4, after 4.4 s at most",
        "",
    ]


def test_what_was_over_by_then_is_left_out(sample_answers: Answers) -> None:
    assert reassignments_of(sample_answers, LATE)["completed"] == 1
    assert reassignment_lines(reassignments_of(sample_answers, AFTER)) == []


def test_what_goes_on_is_told_with_what_it_waits_for() -> None:
    def wait(count: int, what: str, brokers: list[int] | None) -> dict[str, object]:
        return {"count": count, "waiting_for": what, "brokers": brokers, "since_at": LATE}

    waits = [
        wait(2, "broker_gone", [3]),
        wait(1, "broker_lagging", [1, 2]),
        wait(1, "adding_and_removing", None),
        wait(1, "unknown", [2]),
        wait(5, "unknown", None),
    ]
    assert reassignment_lines(
        NOTHING
        | {"waits": waits, "doubtful": 2, "failed": 1, "cancelled": 3, "topic_deleted": 1, "unseen": 4}
    )[0] == (
        "REASSIGNMENTS open 10 (2 for broker 3, gone, since 2026-11-21 08:59:00.000; "
        "1 for brokers 1, 2 to catch up, since 2026-11-21 08:59:00.000; "
        "1 for ever, a broker added and removed at once, since 2026-11-21 08:59:00.000; 6 others) | "
        "perhaps open 2 (lines of a later controller are missing) | failed 1 | cancelled 3 | ended with the topic 1 | "
        "unseen up to 4 (done in one step: another order, a replica less)"
    )
    assert reassignment_lines(NOTHING) == reassignment_lines(None) == []


def test_what_is_done_in_one_step_in_kraft_is_not_counted_as_none() -> None:
    """Of four requests one begins, one is called off; a request of long before has its own lines."""
    accepted = pl.DataFrame({
        "step": ["accepted"] * 3, "logged_at": [LATE, LATE + 10 * SECOND, LATE + 20 * SECOND], "accepted_count": [2, 1, 1],
    })  # fmt: skip
    begun = pl.DataFrame({
        "started_at": [LATE, LATE - 60 * SECOND], "ended_at": [None, LATE + 20 * SECOND],
        "outcome": ["in_progress", "cancelled"], "form": ["kraft", "kraft"],
        "total_ms": [None, 80_000], "reason": [None, None], "waiting_for": ["unknown", None],
        "waiting_broker_ids": [[3], None], "waiting_since_at": [LATE, None],
        "certainty": ["undetermined", "proved"],
    })  # fmt: skip
    answers = answers_of(reassignment=begun, reassignment_event=accepted)
    told = reassignments_of(answers, None)
    assert (told["unseen"], told["doubtful"], told["waits"]) == (2, 1, [])
