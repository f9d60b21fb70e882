"""Asked of a time outside of the data, no command tells values of another time as if they were of it."""

import argparse
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from jobs.questions import brokers, context, gauges, imbalance
from jobs.questions.asking import answer_to
from jobs.questions.question_parsers import parse_question
from jobs.questions.window import Window
from jobs.report.told import cluster_report
from pipeline.views.reading.answers import Answers
from tests.incident.answers import SAMPLE
from tests.incident.judged_once import judging_once
from tests.incident.printing import printed
from tests.report.reading import read

LATER = datetime(2027, 11, 21, 9, tzinfo=UTC)
END, BEGIN = "the data end before", "the data begin only at"
Asked = Callable[..., argparse.Namespace]


@pytest.fixture(scope="module", autouse=True)
def _judged_once() -> Iterator[None]:
    with judging_once():
        yield


def given(**own: Any) -> argparse.Namespace:
    usual = {"at": None, "since": None, "until": None, "format": "text", "every": 60, "controller": None}
    usual |= {"partitions": False, "broker": None, "threshold": None, "output": None, "topic": None}
    return argparse.Namespace(**usual | own)


def flat(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize(
    ("window", "why"),
    [
        (Window(since=LATER), f"{END} 2027-11-21 09:00:00.000 UTC"),
        (Window(until=datetime(2025, 1, 1, tzinfo=UTC)), f"{BEGIN} 2026-11-21 08:00:00.000 UTC"),
        (Window(since=datetime(2025, 1, 1, tzinfo=UTC), until=LATER), None),
        (Window(), None),
    ],
)
def test_a_window(window: Window, why: str | None) -> None:
    first, last = (datetime(2026, 11, 21, hour, tzinfo=UTC) for hour in (8, 10))
    assert window.beyond(first, last) == why
    assert window.beyond(None, None) is None


@pytest.mark.parametrize(
    ("flag", "at", "why"),
    [
        pytest.param("--since", "2027-11-21T09:00", END, marks=pytest.mark.soak),
        ("--until", "2025-01-01T00:00", BEGIN),
    ],
)
def test_incident(flag: str, at: str, why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The screen, and the page beside it."""
    page = tmp_path / "page.html"
    screen = printed(capsys, str(SAMPLE), flag, at, "--report", str(page))
    said = flat(screen.splitlines())
    assert f"VERDICT NOT ENOUGH EVIDENCE: {why}" in said
    assert "OUTAGE not enough evidence: none was noticed" in said
    (verdict,) = read(page.read_text()).all("p", class_="unsure")
    assert verdict.text.startswith(f"NOT ENOUGH EVIDENCE: {why}")


def test_report(sample_answers: Answers) -> None:
    told = cluster_report(sample_answers, Window(since=LATER), "off", is_stored=False)
    assert told.verdict.startswith(f"NOT ENOUGH EVIDENCE: {END}")


@pytest.mark.parametrize(
    "words",
    [
        "stuck --since", "flapping --since", "unclean --since", "changes --since", "missing-evidence --since",
        "who-was-controller --at", "what-happened --at", "why-leaderless orders-0 --at",
    ],
)  # fmt: skip
def test_questions_by_name(words: str, sample_answers: Answers) -> None:
    found = answer_to(parse_question([*words.split(), "2027-11-21T09:00"]), sample_answers)
    assert found.answer.sentence.startswith(f"Not enough evidence: {END}")


def test_changes_before_the_data(sample_answers: Answers) -> None:
    found = answer_to(parse_question(["changes", "--until", "2025-01-01T00:00"]), sample_answers)
    assert found.answer.sentence.startswith(f"Not enough evidence: {BEGIN}")


def test_gauges_have_no_value(sample_answers: Answers) -> None:
    head, *rows = gauges.show_gauges(given(at=LATER), sample_answers)
    assert END in head and not any(char.isdigit() for row in rows[1:4] for char in row.split()[-1])
    document = json.loads("\n".join(gauges.show_gauges(given(at=LATER, format="json"), sample_answers)))
    steps = [step for one in document["gauges"] for step in one["steps"]]
    assert steps and {(step["at"], step["value"]) for step in steps} == {("2027-11-21T09:00:00+00:00", None)}


def test_imbalance_has_no_value(sample_answers: Answers) -> None:
    assert END in flat(imbalance.show_imbalance(given(at=LATER), sample_answers))
    rows = json.loads("\n".join(imbalance.show_imbalance(given(at=LATER, format="json"), sample_answers)))
    assert [row["broker_id"] for row in rows] == [1, 2, 3]
    assert {(row["imbalance_ratio"], row["leads"], row["certainty"]) for row in rows} == {
        (None, None, "undetermined")
    }


def test_brokers_and_context_say_of_when_it_is(sample_answers: Answers) -> None:
    for said in (
        brokers.show_brokers(LATER, sample_answers),
        context.show_context(given(at=LATER), sample_answers),
    ):
        assert f"(not enough evidence, {END}: as it stood at 2026-11-21 09:00:" in flat(said)
    document = json.loads("\n".join(context.show_context(given(at=LATER, format="json"), sample_answers)))
    assert END in document["not_told"][0]
