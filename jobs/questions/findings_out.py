"""Findings as JSON, JSON lines, CSV, and as metrics for the textfile collector of Prometheus."""

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jobs.playbook.pages import what_to_do
from jobs.questions.finding_lines import standing_findings
from jobs.text import csv_cell
from pipeline.views.reading.rows import Row
from schemas.gold.finding import SEVERITIES

FORMATS = ("text", "json", "jsonl", "csv", "prometheus")
COLUMNS = (
    "cluster_id", "number", "finding_id", "rule", "rule_version", "severity", "status", "suppressed_by", "certainty",
    "entity", "root_kind", "root_at", "root_broker_id", "term_id", "valid_from_at", "valid_until_at", "sentence",
)  # fmt: skip
TO_DO = "what_to_do"
PREFIX = "kafka_controller_audit"


@dataclass(frozen=True)
class ClusterFindings:
    """Findings of one cluster in their order, the places of their records, the end of its data (None: no time), when
    the newest run ended (None: no run stored them), the folder that all its logs lie in, why more may be so,
    and how many files could not be read."""

    cluster_id: str
    findings: Sequence[Row]
    lines_of: Mapping[tuple[str, int], Row]
    last_at: datetime | None
    run_ended_at: datetime | None = None
    folder: str = ""
    untold: str | None = None
    unread_count: int = 0


def finding_documents(one: ClusterFindings) -> list[dict[str, Any]]:
    return [finding_document(number, finding, one.lines_of) for number, finding in enumerate(one.findings, 1)]


def finding_document(number: int, finding: Row, lines_of: Mapping[tuple[str, int], Row]) -> dict[str, Any]:
    """A finding with its number on the first screen, what to do, and each record's path, line and place."""
    told = {name: iso_or_value(number if name == "number" else finding[name]) for name in COLUMNS}
    return told | {
        TO_DO: what_to_do(finding["rule"], is_open=finding["valid_until_at"] is None),
        "facts": {name: value for name, value in finding["facts"].items() if value is not None},
        "evidence": [evidence_place(place, lines_of) for place in finding["evidence"]],
    }


def evidence_place(place: Row, lines_of: Mapping[tuple[str, int], Row]) -> dict[str, Any]:
    found = lines_of.get((place["file_id"], place["byte_offset"]))
    return {
        "file_id": place["file_id"],
        "byte_offset": place["byte_offset"],
        "path": found["path"] if found else None,
        "line": int(found["line"]) if found else None,
    }


def iso_or_value(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def findings_json(clusters: Sequence[ClusterFindings]) -> str:
    return json.dumps([each for one in clusters for each in finding_documents(one)], indent=2) + "\n"


def as_jsonl(clusters: Sequence[ClusterFindings]) -> str:
    return "".join(json.dumps(each) + "\n" for one in clusters for each in finding_documents(one))


def as_csv(clusters: Sequence[ClusterFindings]) -> str:
    """The first record's place stands for all; cells never are formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*COLUMNS, "records", "path", "line", TO_DO))
    for one in clusters:
        for each in finding_documents(one):
            first = each["evidence"][0] if each["evidence"] else {"path": None, "line": None}
            cells = [each[name] for name in COLUMNS]
            cells += [len(each["evidence"]), first["path"], first["line"], each[TO_DO]]
            writer.writerow(["" if cell is None else csv_cell(str(cell)) for cell in cells])
    return out.getvalue()


def as_prometheus(clusters: Sequence[ClusterFindings]) -> str:
    """Gauges of what is new or ongoing and not known already. Every cluster has every severity, with 0: a cluster that
    is missing was not read. Source: Prometheus text exposition format 0.0.4."""
    found = {one.cluster_id: standing_findings(one.findings) for one in clusters}
    severities, rules = Counter[tuple[str, str]](), Counter[tuple[str, str, str]]()
    for cluster, findings in found.items():
        for each in findings:
            severities[cluster, each["severity"]] += 1
            rules[cluster, each["rule"], each["severity"]] += 1
    by_severity = [
        ({"cluster": cluster, "severity": severity}, severities[cluster, severity])
        for cluster in found
        for severity in SEVERITIES
    ]
    by_rule = [
        ({"cluster": cluster, "rule": rule, "severity": severity}, count)
        for (cluster, rule, severity), count in sorted(rules.items())
    ]
    ends = [
        ({"cluster": one.cluster_id}, one.last_at.timestamp()) for one in clusters if one.last_at is not None
    ]
    unread = [({"cluster": one.cluster_id}, one.unread_count) for one in clusters if one.run_ended_at]
    runs = [
        ({"cluster": one.cluster_id}, one.run_ended_at.timestamp()) for one in clusters if one.run_ended_at
    ]
    return "".join(
        (
            format_metric("findings", "Findings that are new or ongoing.", by_severity),
            format_metric("rule_findings", "Findings that are new or ongoing, by rule.", by_rule),
            format_metric("data_end_timestamp_seconds", "Time of the last record that was read.", ends),
            format_metric("unread_files", "Files of logs that could not be read.", unread),
            format_metric(
                "last_run_timestamp_seconds", "When the newest run ended, be it that nothing was new.", runs
            ),
        )
    )


def format_metric(name: str, words: str, samples: Sequence[tuple[Mapping[str, str], float]]) -> str:
    head = f"# HELP {PREFIX}_{name} {words}\n# TYPE {PREFIX}_{name} gauge\n"
    return head + "".join(
        f"{PREFIX}_{name}{{{format_metric_labels(given)}}} {value}\n" for given, value in samples
    )


def format_metric_labels(given: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{escape_label_value(value)}"' for name, value in given.items())


def escape_label_value(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
