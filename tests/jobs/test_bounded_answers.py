"""Answers for assistants have a bounded size, and pages of them hold each row once."""

import json
import random
from typing import Any

import pytest

from jobs.bounded_answers import MOST, answer_page, answer_pages, bounded_row
from jobs.questions.brief_findings import FindingFilter, brief_findings
from jobs.questions.findings import findings_of_cluster
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers


def pages_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    cursor: int | None = None
    found = []
    while True:
        text = answer_page(rows, cursor)
        assert len(text) <= MOST
        found.append(json.loads(text))
        cursor = found[-1].get("next_cursor")
        if cursor is None:
            return found


@pytest.mark.parametrize("seed", range(10))
def test_pages_hold_each_row_once_and_in_order(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    rows = [
        {"number": number, "text": "ü" * chance.randrange(2_000)} for number in range(chance.randrange(200))
    ]
    pages = pages_of(rows)
    assert [row for page in pages for row in page["rows"]] == rows
    assert {page["count"] for page in pages} == {len(rows)}


def test_a_row_that_is_too_long_alone_is_cut_and_says_so() -> None:
    (page,) = pages_of([{"text": "x" * 100_000}])
    assert page["rows"][0]["is_cut"] and page["rows"][0]["text"].endswith("…")


@pytest.mark.parametrize("cursor", [-1, 3])
def test_a_cursor_that_is_none_is_refused(cursor: int) -> None:
    with pytest.raises(InputProblem, match="a cursor of 0 to 2"):
        answer_page([{"a": 1}, {"a": 2}], cursor)


def test_of_many_lines_the_first_stand_in_a_row() -> None:
    lines = [{"path": "p", "line": number, "text": "x" * 1_000} for number in range(5)]
    row = bounded_row({"text": "said", "certainty": None, "lines": lines})
    assert [len(one["text"]) for one in row["lines"]] == [300, 300] and row["more_lines"] == 3
    assert "certainty" not in row


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        ("No.", []),
        ("a\nb", [{"line": "a"}, {"line": "b"}]),
        ([{"x": 1}], [{"x": 1}]),
        (
            {"since": "s", "gauges": [{"x": 1}, {"x": 2}]},
            [{"since": "s"}, {"gauges": {"x": 1}}, {"gauges": {"x": 2}}],
        ),
    ],
)
def test_an_answer_in_any_form_is_pages_of_rows(answer: Any, rows: list[dict[str, Any]]) -> None:
    said = {"cluster_id": "c", "question": "q", "as_of": None, "answer": answer, "told": [], "not_known": []}
    page = json.loads(answer_pages([said], None))
    assert page["rows"] == rows
    assert page["answers"] == [
        {"cluster_id": "c", "question": "q"} | ({"answer": "No."} if answer == "No." else {})
    ]


def test_sentences_of_many_clusters_are_rows() -> None:
    said = [
        {"cluster_id": f"c{number}", "question": "q", "answer": "No. " * 20, "told": [], "not_known": []}
        for number in range(300)
    ]
    cursor, found = None, []
    while True:
        text = answer_pages(said, cursor)
        assert len(text) <= MOST
        page = json.loads(text)
        found += page["rows"]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert [one["cluster_id"] for one in found] == [one["cluster_id"] for one in said]


def test_findings_are_filtered(sample_answers: Answers) -> None:
    told = findings_of_cluster(sample_answers)
    every = brief_findings(told, FindingFilter())
    assert [one["number"] for one in every] == list(range(1, 25))
    assert {one["severity"] for one in brief_findings(told, FindingFilter(severity="warning"))} == {
        "critical",
        "warning",
    }
    assert {one["rule"] for one in brief_findings(told, FindingFilter(rule="outage"))} == {"outage"}
    assert [
        one["number"] for one in brief_findings(told, FindingFilter(topic="audit_log", severity="critical"))
    ] == [1]
    assert 0 < len(brief_findings(told, FindingFilter(broker=1))) < len(every)
    assert 0 < len(brief_findings(told, FindingFilter(since="-20s"))) < len(every)
    with pytest.raises(InputProblem, match="a severity of critical, warning, info"):
        FindingFilter(severity="worst")
    with pytest.raises(InputProblem, match="a rule of"):
        FindingFilter(rule="outages")
    with pytest.raises(InputProblem, match="a time such as"):
        brief_findings(told, FindingFilter(since="noon"))
