"""All clusters, a line each: the verdict, what is open, and those first that need somebody."""

import json
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from jobs.questions import status
from jobs.questions.findings import clusters_by_need as findings_by_need
from jobs.questions.findings import findings_of_cluster
from jobs.questions.status import cluster_status, status_json, status_lines, statuses_by_need
from jobs.questions.unpublished import missing_table_notes
from pipeline.views.reading.answers import Answers
from tests.jobs.answering import answers_of

NOW = datetime(2026, 11, 21, 21, tzinfo=UTC)


def test_a_cluster_is_told_as_it_stood_at_the_end(sample_answers: Answers) -> None:
    found = cluster_status(sample_answers)
    head, line = status_lines([found], NOW)
    assert " ".join(head.split()) == "CLUSTER VERDICT crit warn offline CONTROLLER over limit data age"
    assert len(line) <= 80
    assert line.split() == ["lab-2.2.2", "NOT", "OK", "1", str(found.warning), "0", "2", "(8)", "1", *END]
    severities = [one["severity"] for one in sample_answers.findings() if one["status"] != "resolved"]
    assert found.warning == severities.count("warning") > 0
    (row,) = json.loads(status_json([found], NOW))["clusters"]
    assert (row["over_limit"], row["age_seconds"]) == ([1], 43173)


END = ("12", "h")


def test_a_cluster_without_a_controller_is_one_line_too(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = replace(cluster_status(sample_answers), controller="none, the last one was 3 (epoch 12)")
    (_, line) = status_lines([found], NOW)
    assert " none, last 3 " in line
    assert "the last one was 3 (epoch 12)" in status_json([found], NOW)


def test_no_data_is_never_ok(sample_answers: Answers) -> None:
    found = statuses_by_need([cluster_status(answers_of()), cluster_status(sample_answers)])
    assert [one.verdict for one in found] == ["NOT OK", "NOT JUDGED"]
    assert status.status_verdict([], 0, is_judged=True, is_evidence=False) == "NO EVIDENCE"
    assert status.status_verdict(["info"], None, is_judged=True, is_evidence=True) == "nothing found"
    assert status.status_verdict(["info"], 38, is_judged=True, is_evidence=True) == "STILL OFFLINE"
    assert (found[1].offline, found[1].over_limit, found[1].last_at) == (None, None, None)
    assert status_lines(found[1:], NOW)[1].split()[-2:] == ["no", "time"]


def test_in_the_middle_of_a_backfill_no_verdict_is_told(sample_answers: Answers) -> None:
    tables = copy(sample_answers.tables)
    vars(tables)["parts_left"] = 2
    found = cluster_status(Answers("lab-2.2.2", tables))
    _, line, more = status_lines([found], NOW)
    assert line.split()[:2] == ["lab-2.2.2", "BACKFILL"] and more == "lab-2.2.2: backfill: 2 parts to come"
    assert missing_table_notes(tables) == ["what is not read yet would tell: backfill: 2 parts to come"]


def test_findings_of_a_fleet_begin_with_the_worst_cluster(sample_answers: Answers) -> None:
    worst = findings_of_cluster(sample_answers)
    calm = replace(worst, findings=[one for one in worst.findings if one["severity"] == "info"])
    assert findings_by_need([calm, worst]) == [worst, calm]


def test_the_command_prints_it(sample_in_memory: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    assert status.main([]) == 0
    assert capsys.readouterr().out.split("\n")[1].startswith("lab-2.2.2  NOT OK")
