"""Findings in the forms of programs: as `findings --format json`, as alerts of Alertmanager, as events of PagerDuty."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from jobs.notify.message import Entry
from jobs.notify.remembered import Action, News, Numbered, Taken, is_ended_finding
from jobs.playbook.pages import what_to_do
from jobs.questions.findings_out import finding_document
from jobs.text import printable_line, shorten_line
from pipeline.views.reading.rows import Place, Row

# An alert that nobody repeats ends by itself: it lasts from one nightly run to the next.
LASTING = timedelta(hours=26)
SUMMARY = 1024  # characters that PagerDuty takes
COMPONENT = "kafka-controller-audit"


@dataclass(frozen=True)
class Payload:
    """taken: what the destination knows once it took the document alone; None: all of the news."""

    document: bytes
    taken: Taken | None = None


def as_findings(news: News, lines_of: Mapping[Place, Row]) -> bytes:
    found = [finding_document(number, one, lines_of) for number, one in news.told()]
    return f"{json.dumps(found, indent=2)}\n".encode()


def as_alerts(news: News, entry_of: Callable[[Numbered], Entry], now: datetime) -> bytes:
    """For POST /api/v2/alerts: new findings, and those told before that go on, fire for a day; what is over is
    resolved. Source: Alertmanager, api/v2/openapi.yaml, postableAlert."""
    firing = [alert(one, entry_of(one), now + LASTING) for one in (*news.new, *news.standing)]
    return json.dumps([*firing, *(alert(one, entry_of(one), now) for one in news.over)]).encode()


def alert(numbered: Numbered, entry: Entry, ends_at: datetime) -> dict[str, Any]:
    _, one = numbered
    known = {"topic": one["facts"].get("topic"), "entity": one["entity"]}
    labels = {
        "alertname": f"kafka_controller_{one['rule']}",
        "cluster": one["cluster_id"],
        "finding": one["finding_id"],
        "severity": one["severity"],
    }
    said = {
        "summary": one["sentence"],
        "certainty": one["certainty"],
        "line": entry.place,
        "command": entry.command,
    }
    said["to_do"] = what_to_do(one["rule"], is_open=one["valid_until_at"] is None) or ""
    return {
        "labels": labels | {name: printable_line(value) for name, value in known.items() if value},
        "annotations": {name: printable_line(text) for name, text in said.items() if text},
        "startsAt": rfc3339_text(min(one["valid_from_at"], ends_at)),
        "endsAt": rfc3339_text(ends_at),
    }


def as_events(news: News, entry_of: Callable[[Numbered], Entry], routing_key: str) -> list[Payload]:
    """An event a finding, which an id makes one incident however often it is sent; of one that is new and over by now
    two, as nothing else would end the incident. Source: PagerDuty, Events API v2."""
    actions: list[tuple[Action, Numbered]] = []
    for one in news.new:
        actions.append(("trigger", one))
        if is_ended_finding(one[1]):
            actions.append(("resolve", one))
    actions += [("resolve", one) for one in news.over]
    return [
        Payload(
            json.dumps(event(action, one, entry_of(one), routing_key)).encode(),
            Taken(action, one[1]["finding_id"]),
        )
        for action, one in actions
    ]


def event(action: Action, numbered: Numbered, entry: Entry, routing_key: str) -> dict[str, Any]:
    _, one = numbered
    details = {
        "certainty": one["certainty"],
        "line": entry.place,
        "command": entry.command,
        "what_to_do": what_to_do(one["rule"], is_open=one["valid_until_at"] is None),
    }
    return {
        "routing_key": routing_key,
        "event_action": action,
        "dedup_key": f"{COMPONENT}/{shorten_line(one['cluster_id'], 100)}/{one['finding_id']}",
        "client": COMPONENT,
        "payload": {
            "summary": shorten_line(f"{one['cluster_id']}: {one['sentence']}", SUMMARY),
            "source": shorten_line(one["cluster_id"], 100),
            "severity": one["severity"],
            "timestamp": rfc3339_text(one["valid_from_at"]),
            "component": one["entity"],
            "class": one["rule"],
            "custom_details": {name: value for name, value in details.items() if value},
        },
    }


def rfc3339_text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


PROGRAMS: Sequence[str] = ("json", "alertmanager", "pagerduty")
