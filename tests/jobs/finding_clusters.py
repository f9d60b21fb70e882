"""Findings of clusters, each with its evidence."""

from datetime import UTC, datetime
from typing import Any

from jobs.questions.findings_out import ClusterFindings

AT = datetime(2026, 11, 21, 9, 0, 21, 678000, tzinfo=UTC)


PLACE = {"file_id": "f", "byte_offset": 7}


def finding(rule: str, severity: str, status: str = "new", **given: Any) -> dict[str, Any]:
    return {
        "cluster_id": "c", "finding_id": "ab12", "rule": rule, "rule_version": 1, "severity": severity,
        "status": status, "suppressed_by": None, "certainty": "proved", "entity": "orders-0", "root_kind": None, "root_at": None, "root_broker_id": None,
        "term_id": "1-2", "valid_from_at": AT, "valid_until_at": None, "sentence": "s", "evidence": [PLACE], "facts": {"topic": "orders", "partition": 0, "isr": None},
    } | given  # fmt: skip


FINDINGS = [
    finding("unclean_election", "critical", sentence='=cmd|"x"\n\x1b[31m, and more'),
    finding("outage", "warning", "ongoing"),
    finding("outage", "warning", "resolved"),
    finding(
        "outage", "critical", suppressed_by="slow disk", evidence=[{"file_id": "gone", "byte_offset": 0}]
    ),
]


CLUSTERS = [
    ClusterFindings("c", FINDINGS, {("f", 7): {"path": "b1/controller.log", "line": 3, "raw": b""}}, AT, AT),
    ClusterFindings('d"\\\n', [], {}, None),
]
