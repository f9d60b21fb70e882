"""Questions by name are answered from logs alone, too."""

import json
from collections.abc import Iterator

import pytest

from jobs.incident.command import main
from tests.incident.answers import SAMPLE
from tests.incident.judged_once import judging_once

LOGS = str(SAMPLE / "lab-2.2.2" / "broker-2" / "controller.log.2026-11-21-08.gz")


@pytest.fixture(scope="module", autouse=True)
def _judged_once() -> Iterator[None]:
    with judging_once():
        yield


def test_questions_are_answered_instead_of_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--ask", "who-was-controller --at 08:57:43", "--ask", "imbalance-now"]
    assert main([LOGS, "--cluster", "c", *asked]) == 0
    first, second = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert "\nAt 2026-11-21 08:57:43.000 UTC the controller was broker 2 (epoch 1).\n" in first
    assert "controller.log.2026-11-21-08.gz:" in first
    assert second.startswith("c  imbalance-now")
    assert main([LOGS, "--cluster", "c", *asked, "--format", "json"]) == 0
    (cluster,) = json.loads(capsys.readouterr().out)["clusters"]
    assert [one["question"] for one in cluster["answers"]] == [
        "who-was-controller --at 08:57:43",
        "imbalance-now",
    ]


def test_a_command_is_a_question_of_logs_alone_too(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--ask", "terms", "--ask", "context --at 08:57:43"]
    assert main([LOGS, "--cluster", "c", *asked]) == 0
    first, second = capsys.readouterr().out.rstrip("\n").split("\n\n", 1)
    assert first.startswith("c  times are UTC\nTERM") and "\nCONTROLLER  2 (epoch 1" in second
    assert main([LOGS, "--cluster", "c", *asked, "--format", "json"]) == 0
    (cluster,) = json.loads(capsys.readouterr().out)["clusters"]
    listed, context = (one["answer"] for one in cluster["answers"])
    assert listed == first and context["cluster_id"] == "c" and context["rows"]


@pytest.mark.parametrize(
    "question",
    ["nope", "why-leaderless", "who-was-controller --at tomorrow", "brokers --compare described.txt"],
)
def test_what_is_no_question_is_told_before_anything_is_read(
    question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["/nowhere", "--ask", question]) == 4
    assert "Expected a question with the arguments that it takes" in capsys.readouterr().err
