"""Why brokers left and terms ended, as `brokers` and `term` tell it."""

from argparse import Namespace
from typing import Any

import pytest

from jobs.questions.brokers import show_brokers
from jobs.questions.reasons import departure_table, reason_text, short_reason
from jobs.questions.terms import show_term
from tests.frames import at
from tests.jobs.answering import answers_of_logs
from tests.lab import READ

STAY: dict[str, Any] = {
    "broker_id": 3, "left_at": at(30), "left_how": "uncontrolled", "end_reason": "killed", "end_reason_at": at(40),
    "end_detail": None, "end_unknown_why": None, "first_sign_at": at(20),
}  # fmt: skip
UNREAD = STAY | {"end_reason": "unknown", "end_unknown_why": "no_server_log", "end_reason_at": None}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (STAY, "killed or crashed: first sign 00:00:20.000, started again 00:00:40.000"),
        (STAY | {"end_reason": "sigterm", "first_sign_at": at(40), "end_detail": "SIGTERM"},
         "told to stop (SIGTERM): at 00:00:40.000"),
        (STAY | {"first_sign_at": at(20 - 86_400), "end_reason_at": at(40 + 86_400)},
         "killed or crashed: first sign 2026-11-20 00:00:20.000, started again 2026-11-22 00:00:40.000"),
        (UNREAD, "not known: server.log of node 3 of that time would tell"),
        (STAY | {"end_reason": None}, ""),
    ],
)  # fmt: skip
def test_a_reason_names_its_lines_or_the_log_that_would_tell(row: dict[str, Any], said: str) -> None:
    assert reason_text(row, 3) == said


def test_departures_are_told_the_latest_first() -> None:
    rows = [STAY, *(STAY | {"left_at": at(second)} for second in range(100, 110))]
    lines = departure_table(rows)
    assert [line.split()[1] for line in lines[2:4]] == ["00:01:49.000", "00:01:48.000"]
    assert lines[-1] == "  1 more, earlier, in gold.broker_session"
    assert (
        departure_table([UNREAD])[-1]
        == "  why: server.log of these brokers would tell (nightly --server-log)"
    )
    assert departure_table([]) == []


def test_a_term_adds_what_its_end_does_not_say() -> None:
    ends = [
        ("crashed", "killed"),
        ("process_end", "killed"),
        ("renounced", "sigterm"),
        ("crashed", "unknown"),
    ]
    said = [short_reason({"ended_how": how, "end_reason": reason}) for how, reason in ends]
    assert said == ["", ", killed or crashed", ", told to stop", ""]


def test_brokers_and_a_term_of_a_lab(shared: Any) -> None:
    answers = answers_of_logs(shared / "corpus" / "lab" / "3.9.1-zk-stock", (*READ, "server"))
    asked = "\n".join(show_brokers(None, answers))
    assert "frozen or cut off: first sign 08:09:15.590, went on 08:09:19.012" in asked
    told = "\n".join(show_term(Namespace(term="1"), answers))
    assert "WHY       killed or crashed: first sign 08:08:33.390, started again 08:08:40.404" in told
    assert "Recovering " in told
