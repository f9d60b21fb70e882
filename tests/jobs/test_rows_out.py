"""What programs are given of questions that people read as tables: rows by their schema, in each form the same."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobs import cli
from jobs.questions.answer_schemas import question_json_schema
from jobs.questions.catalog import QUESTIONS
from jobs.questions.rows_out import ROWS
from tests.jobs.asking import words_of

Said = pytest.CaptureFixture[str]
# The sample in memory has no runs.
NAMES = sorted(
    name
    for name, one in QUESTIONS.items()
    if (one.has_rows or not one.is_listing) and name not in {"runs", "compare-nights"}
)


def printed(capsys: Said, *words: str) -> str:
    assert cli.main(["ask", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("sample_in_memory")
@pytest.mark.parametrize("name", NAMES)
def test_json_is_as_its_schema_says_and_jsonl_has_the_same(name: str, capsys: Said) -> None:
    words = words_of(name)
    rows: list[Any] = json.loads(printed(capsys, *words, "--format", "json"))
    assert rows
    Draft202012Validator(question_json_schema(name)).validate(rows)
    assert [json.loads(line) for line in printed(capsys, *words, "--format", "jsonl").splitlines()] == rows
    with pytest.raises(SystemExit) as ended:
        cli.main(["ask", name, "--schema"])
    assert ended.value.code == 0 and json.loads(capsys.readouterr().out) == question_json_schema(name)


def test_each_question_of_rows_has_them() -> None:
    assert {name for name, one in QUESTIONS.items() if one.has_rows} == ROWS.keys()


@pytest.mark.usefixtures("sample_in_memory")
def test_rows_are_those_that_people_read(capsys: Said) -> None:
    rows = json.loads(printed(capsys, "terms", "--format", "json"))
    assert [one["controller_id"] for one in rows] == [2, 1, 3, 2, 3, 2, 1, 2]
    assert all(place["path"] and place["line"] > 0 for one in rows for place in one["evidence"])
    of_topic = json.loads(printed(capsys, "outages", "--topic", "audit_log", "--format", "json"))
    assert {one["topic"] for one in of_topic} == {"audit_log"}
    assert json.loads(printed(capsys, "outages", "--open", "--format", "json")) == []
    (ratio,) = (
        one for one in json.loads(printed(capsys, "brokers", "--format", "json")) if one["broker_id"] == 1
    )
    assert ratio["is_breach"] and round(ratio["imbalance_ratio"], 3) == 0.923


@pytest.mark.usefixtures("sample_in_memory")
@pytest.mark.parametrize("command", ["verify", "status"])
def test_commands_too(command: str, capsys: Said) -> None:
    told = []
    for form in ("json", "jsonl"):
        assert cli.main([command, "--format", form]) == 0
        told.append(capsys.readouterr().out)
    whole, lines = json.loads(told[0]), [json.loads(line) for line in told[1].splitlines()]
    Draft202012Validator(question_json_schema(command)).validate(whole)
    rows = whole["clusters"] if command == "status" else whole
    for one in (*rows, *lines):
        one.pop("age_seconds", None)  # of another moment
    assert rows == lines != []
