"""A question without --cluster: every cluster of the warehouse answers it, and who cannot is named."""

import json

import pytest

from jobs import cli
from jobs.questions import ask, asking, verify_findings
from jobs.questions.several_clusters import ask_clusters, cluster_answer_lines, cluster_answers_json
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers
from tests.jobs.answering import answers_of

OF_ALL = (
    "terms", "term 3", "partition orders-0", "brokers", "outages", "runs", "context", "gauges", "changes",
    "imbalance --at 09:00:13", "show F1",
)  # fmt: skip


@pytest.fixture
def two(sample_answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [sample_answers, Answers("prod", sample_answers.tables)]
    for module in (ask, asking, verify_findings):
        monkeypatch.setattr(module, "all_answers", lambda *_: found)


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("command", OF_ALL)
def test_every_cluster_answers_under_its_name(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(command.split()) == 0
    lines = capsys.readouterr().out.splitlines()
    headings = [line.split()[0] for line in lines if line.startswith(("lab-2.2.2", "prod"))]
    assert headings == ["lab-2.2.2", "prod"]
    assert lines[lines.index("") :] and lines[0].startswith("lab-2.2.2")


@pytest.mark.usefixtures("two")
def test_all_are_verified_and_programs_are_told_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [one for one in said if one in ("lab-2.2.2", "prod")] == ["lab-2.2.2", "prod"]
    assert sum(one.startswith("FINDINGS  24: ") for one in said) == 2
    for command in ("imbalance --format csv", "gauges --format openmetrics"):
        assert cli.main(command.split()) == 4
        problem = capsys.readouterr()
        assert "Expected --cluster, as warehouse holds several clusters" in problem.err and not problem.out


@pytest.mark.usefixtures("two")
def test_json_names_the_cluster_of_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("changes", "imbalance", "context", "gauges"):
        assert cli.main([command, "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert list(dict.fromkeys(row["cluster_id"] for row in rows)) == ["lab-2.2.2", "prod"]
    assert cluster_answers_json(ask_clusters([Answers("a", answers_of().tables)], lambda _: ["{", "}"])) == [
        "{",
        "}",
    ]


def test_who_has_no_answer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    clusters = [Answers(name, answers_of().tables) for name in ("a", "b", "c")]

    def question(answers: Answers) -> list[str]:
        if answers.cluster_id == "b":
            return ["b  yes"]
        raise InputProblem(expected="a partition", found=f"none in {answers.cluster_id}", todo="look")

    found = ask_clusters(clusters, question)
    assert cluster_answer_lines(found) == [
        "b  yes",
        "",
        "NO ANSWER  a, c: expected a partition, found none in a",
    ]
    assert cluster_answer_lines(ask_clusters(clusters[1:2], lambda _: ["yes"])) == ["yes"]
    assert cluster_answer_lines(ask_clusters(clusters[1:], lambda _: ["yes"])) == ["b", "yes", "", "c", "yes"]
    with pytest.raises(InputProblem, match="found a: none in a; c: none in c; look"):
        ask_clusters([clusters[0], clusters[2]], question)
    with pytest.raises(InputProblem, match="found none in a; look"):
        ask_clusters(clusters[:1], question)
