"""The line of the first screen on reassignments: what is open and waits for what, how others ended."""

from datetime import UTC, datetime

from jobs.questions.answers import Answers
from jobs.questions.reassignments import reassignment_lines, reassignments_of
from jobs.questions.rows import Row

LATE = datetime(2026, 11, 21, 8, 59, 0, tzinfo=UTC)
AFTER = datetime(2026, 11, 22, tzinfo=UTC)
COUNTS = ("completed", "cancelled", "failed", "forgotten", "skipped", "overridden")
NOTHING: Row = {"longest_ms": None, "waits": [], **dict.fromkeys(COUNTS, 0)}


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
        wait(1, "unknown", [2]),
        wait(5, "unknown", None),
    ]
    assert reassignment_lines(NOTHING | {"waits": waits, "failed": 1, "cancelled": 3})[0] == (
        "REASSIGNMENTS open 9 (2 for broker 3, gone, since 2026-11-21 08:59:00.000; "
        "1 for brokers 1, 2 to catch up, since 2026-11-21 08:59:00.000; "
        "1 for what no line says, since 2026-11-21 08:59:00.000; 5 others) | failed 1 | cancelled 3"
    )
    assert reassignment_lines(NOTHING) == reassignment_lines(None) == []
