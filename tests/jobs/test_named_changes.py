"""What people and tools asked for from a time on, as a question by name."""

import json
from datetime import UTC, datetime

import pytest

from jobs.cli import main
from jobs.questions.named.answer import answer_lines, with_evidence_lines
from jobs.questions.named.requests import answer_changes
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}").replace(tzinfo=UTC)


def test_changes_of_a_time_are_told_with_their_lines(sample_answers: Answers) -> None:
    found = answer_changes(sample_answers, at("08:59:50"), at("09:00:10"))
    assert found.sentence == (
        "3 changes that people or tools asked for since 2026-11-21 08:59:50.000 UTC until 2026-11-21 09:00:10.000 UTC."
    )
    assert found.told[0].text == "deletion of topic billing.v2: completed after 54 ms (controller 2, epoch 6)"
    answered = with_evidence_lines(sample_answers, "changes", found)
    assert len(answered.lines) == 3 and "Whether a tool created a topic" in answer_lines(answered)[-1]
    of_one = answer_changes(sample_answers, at("08:59:50"), None, "payments")
    assert [one.text for one in of_one.told] == [
        "deletion of topic payments: completed after 4.4 s (controller 2, epoch 8)"
    ]
    nothing = answer_changes(sample_answers, at("09:00:25"), None).sentence
    assert nothing.startswith("No line shows a change that people or tools asked for since")
    assert answer_changes(sample_answers, at("10:00:00"), None).sentence.startswith(
        "Not enough evidence: the data end"
    )
    with pytest.raises(InputProblem, match="--until after --since"):
        answer_changes(sample_answers, at("09:00:00"), at("08:00:00"))
    with pytest.raises(InputProblem, match="a topic nope in the logs read"):
        answer_changes(sample_answers, None, None, "nope")


@pytest.mark.parametrize("spelled", [["changes"], ["ask", "changes"]])
def test_the_command_as_text_and_json(
    spelled: list[str], sample_in_memory: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*spelled, "--since", "08:59:50", "--topic", "payments"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        f"{sample_in_memory.cluster_id}  changes --since 08:59:50 --topic payments  (data to 2026-11-21"
    )
    assert (
        "1 change of topic payments that people or tools asked for since 2026-11-21 08:59:50.000 UTC."
        in lines[1]
    )
    (told,) = (number for number, line in enumerate(lines) if "deletion of topic payments" in line)
    assert lines[told].startswith("  2026-11-21 09:00:21.678  ") and "(controller 2, epoch 8)" in "".join(
        lines
    )
    assert any(line.endswith(":270") for line in lines) and "What leaves no line" in "".join(lines)
    assert main([*spelled, "--until", "08:57:44.1", "--format", "json"]) == 0
    ((document,),) = (one["told"] for one in json.loads(capsys.readouterr().out))
    assert (document["kind"], document["topics"]) == ("topic_created", ["orders"])
    assert [one["line"] for one in document["lines"]] == [50]
    assert main([*spelled, "--topic", "no-such"]) == 4
