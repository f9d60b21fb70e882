"""Findings as tables have them, to be told."""

from datetime import UTC, datetime
from typing import Any

from pipeline.views.reading.rows import Row

AT = datetime(2026, 11, 21, 9, 0, 21, 678000, tzinfo=UTC)


def finding(sentence: str = "s", **given: Any) -> Row:
    return {
        "cluster_id": "prod", "finding_id": "ab12", "rule": "outage", "rule_version": 1, "severity": "critical",
        "status": "new", "suppressed_by": None, "certainty": "proved", "entity": "o-0", "root_kind": None, "root_at": None, "root_broker_id": None,
        "term_id": "1-2", "valid_from_at": AT, "valid_until_at": None, "sentence": sentence, "facts": {}, "evidence": [{"file_id": "f", "byte_offset": 7}],
    } | given  # fmt: skip
