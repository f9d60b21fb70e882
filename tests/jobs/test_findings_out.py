"""Findings for other programs: nothing is lost in JSON, no cell acts, and no cluster is silently missing."""

import csv
import io
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jobs import cli
from jobs.questions.findings import require_calm_clusters, write_whole_file
from jobs.questions.findings_out import ClusterFindings, as_csv, as_jsonl, as_prometheus, findings_json
from jobs.questions.findings_schema import findings_json_schema
from pipeline.core.errors import FindingsReached, SettingsError
from tests.jobs.finding_clusters import AT, CLUSTERS, FINDINGS, PLACE


def test_json_says_all_of_each() -> None:
    told = json.loads(findings_json(CLUSTERS))
    assert [json.loads(line) for line in as_jsonl(CLUSTERS).splitlines()] == told
    assert told[0]["sentence"] == FINDINGS[0]["sentence"]
    assert told[0]["valid_from_at"] == "2026-11-21T09:00:21.678000+00:00"
    assert (told[0]["number"], told[1]["number"]) == (1, 2)
    assert told[0]["evidence"] == [PLACE | {"path": "b1/controller.log", "line": 3}]
    assert told[3]["evidence"] == [{"file_id": "gone", "byte_offset": 0, "path": None, "line": None}]


def test_json_is_of_its_schema() -> None:
    judge = Draft202012Validator(findings_json_schema(), format_checker=Draft202012Validator.FORMAT_CHECKER)
    told = json.loads(findings_json(CLUSTERS))
    judge.validate(told)
    for name, value in (
        ("severity", "fatal"),
        ("valid_from_at", 7),
        ("number", 0),
        ("more", "x"),
        ("evidence", [{}]),
    ):
        assert not judge.is_valid([told[0] | {name: value}]), name
    assert not judge.is_valid([{key: value for key, value in told[0].items() if key != "rule"}])


def test_no_cell_of_csv_acts() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(CLUSTERS))))
    assert len(rows) == len(FINDINGS)
    assert rows[0]["sentence"] == '\'=cmd|"x"··[31m, and more'
    assert (rows[0]["path"], rows[0]["line"], rows[0]["valid_until_at"]) == ("b1/controller.log", "3", "")


def test_metrics_count_what_stands_and_name_every_cluster() -> None:
    lines = as_prometheus(CLUSTERS).splitlines()
    other = 'cluster="d\\"\\\\\\n"'
    assert [line for line in lines if line.startswith("kafka_controller_audit_findings")] == [
        'kafka_controller_audit_findings{cluster="c",severity="critical"} 1',
        'kafka_controller_audit_findings{cluster="c",severity="warning"} 1',
        'kafka_controller_audit_findings{cluster="c",severity="info"} 0',
        *(f'kafka_controller_audit_findings{{{other},severity="{one}"}} 0' for one in ("critical", "warning", "info")),
    ]  # fmt: skip
    assert 'kafka_controller_audit_rule_findings{cluster="c",rule="outage",severity="warning"} 1' in lines
    assert f'kafka_controller_audit_data_end_timestamp_seconds{{cluster="c"}} {AT.timestamp()}' in lines
    assert f'kafka_controller_audit_last_run_timestamp_seconds{{cluster="c"}} {AT.timestamp()}' in lines
    assert 'kafka_controller_audit_unread_files{cluster="c"} 0' in lines
    assert not any("data_end" in line and other in line for line in lines)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "kca.prom"
    write_whole_file(target, "one\n")
    write_whole_file(target, "two\n")
    assert [one.name for one in tmp_path.iterdir()] == ["kca.prom"]
    assert target.read_text() == "two\n"
    with pytest.raises(SettingsError, match="Expected --output in a folder that can be written"):
        write_whole_file(tmp_path / "missing" / "kca.prom", "three\n")


def test_what_is_known_or_over_does_not_fail() -> None:
    require_calm_clusters(None, CLUSTERS)
    with pytest.raises(FindingsReached, match="found 2;"):
        require_calm_clusters("warning", CLUSTERS)
    over = [
        ClusterFindings(
            "c", [one for one in FINDINGS if one["status"] == "resolved" or one["suppressed_by"]], {}, AT
        )
    ]
    require_calm_clusters("info", over)


@pytest.mark.usefixtures("sample_in_memory")
def test_findings_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["findings"]
    assert cli.main([*ask, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["rule"] for one in told if one["severity"] == "critical"] == ["unclean_election"]
    assert all(place["line"] and place["path"] for one in told for place in one["evidence"])
    assert cli.main([*ask, "--fail-on", "critical"]) == 8
    shown = capsys.readouterr()
    assert shown.out.count(", new]") == len(told) and shown.err.startswith("findings: Expected no finding")
