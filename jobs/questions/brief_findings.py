"""Findings for assistants: what a person is told of them, filtered, with the places of their first records."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jobs.moments import asked_moment, parse_asked
from jobs.questions.findings_out import ClusterFindings, finding_documents
from pipeline.core.errors import InputProblem
from pipeline.rules.order import RULE_NAMES
from pipeline.views.reading.rows import Row
from schemas.gold.finding import SEVERITIES

TOLD = (
    *(
        "cluster_id",
        "number",
        "rule",
        "severity",
        "status",
        "certainty",
        "entity",
        "valid_from_at",
        "valid_until_at",
    ),
    *("sentence", "what_to_do"),
)
SHOWN_PLACES = 2


@dataclass(frozen=True)
class FindingFilter:
    """severity: that one and all that is worse; since: what still was so then, as people give times.

    InputProblem: there is no such severity or rule.
    """

    severity: str | None = None
    rule: str | None = None
    topic: str | None = None
    broker: int | None = None
    since: str | None = None

    def __post_init__(self) -> None:
        for name, value, known in (("severity", self.severity, SEVERITIES), ("rule", self.rule, RULE_NAMES)):
            if value is not None and value not in known:
                raise InputProblem(
                    expected=f"a {name} of {', '.join(known)}", found=value[:60], todo="name one of them"
                )

    def takes(self, finding: Row, since: datetime | None) -> bool:
        most = len(SEVERITIES) if self.severity is None else SEVERITIES.index(self.severity) + 1
        facts, until = finding["facts"], finding["valid_until_at"]
        brokers = {facts.get("broker_id"), finding["root_broker_id"], *(facts.get("broker_ids") or [])}
        return (
            finding["severity"] in SEVERITIES[:most]
            and self.rule in (None, finding["rule"])
            and self.topic in (None, facts.get("topic"))
            and (self.broker is None or self.broker in brokers)
            and (since is None or until is None or until >= since)
        )


def brief_findings(told: ClusterFindings, asked: FindingFilter) -> list[dict[str, Any]]:
    """Of those that are asked for what TOLD names and is known, where the first records stand, and how many more."""
    last = told.last_at or datetime.now(UTC)
    since = None if asked.since is None else asked_moment(parse_asked(asked.since), last)
    rows = zip(told.findings, finding_documents(told), strict=True)
    return [brief_finding(document) for finding, document in rows if asked.takes(finding, since)]


def brief_finding(document: dict[str, Any]) -> dict[str, Any]:
    places = [f"{one['path']}:{one['line']}" for one in document["evidence"] if one["path"]]
    more = {"more_lines": len(places) - SHOWN_PLACES} if len(places) > SHOWN_PLACES else {}
    known = {name: document[name] for name in TOLD if document[name] is not None}
    return known | {"lines": places[:SHOWN_PLACES]} | more
