"""Findings as alerts of Alertmanager and as events of PagerDuty, as a server gets them."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from jobs import cli
from jobs.layout import program_to_paste
from jobs.notify.alert_forms import LASTING, as_alerts, as_events
from jobs.notify.arguments import notify_parser
from jobs.notify.destination import ROUTING_KEY, VARIABLE
from jobs.notify.message import Entry
from jobs.notify.remembered import News
from jobs.notify.request import parse_notify_request
from pipeline.store.runs.published import NOTIFIED
from tests.golden import CLUSTER
from tests.notify.endpoint import SECRET, Answer, Endpoint
from tests.notify.told_findings import AT, finding

NOW = datetime(2026, 11, 22, 3, tzinfo=UTC)
KEY = "R0UT1NGKEY"


def sent(warehouse: Path, endpoint: Endpoint, form: str, *more: str) -> list[Any]:
    """What the endpoint got by one run."""
    endpoint.received.clear()
    given = ["--warehouse", str(warehouse), "--url", endpoint.url, "--format", form, "--fail"]
    assert cli.main(["notify", *given, *more]) == 0
    return [one.json for one in endpoint.received]


def test_alertmanager_gets_what_stands_each_time(golden: Path, endpoint: Endpoint) -> None:
    (first,) = sent(golden, endpoint, "alertmanager")
    assert sorted(one["labels"]["severity"] for one in first) == ["critical", "critical", "warning"]
    (worst,) = (one for one in first if one["annotations"]["summary"].startswith("deletion of topic b"))
    assert worst["labels"] == {
        "alertname": "kafka_controller_stuck_deletion",
        "cluster": CLUSTER,
        "finding": worst["labels"]["finding"],
        "severity": "warning",
        "topic": "b",
        "entity": "topic b",
    }
    shown = f"show {worst['labels']['finding']} --warehouse {golden} --cluster {CLUSTER}"
    assert worst["annotations"]["command"] == f"{program_to_paste()} {shown}"
    assert worst["startsAt"] == "2026-11-21T00:00:20Z" < worst["endsAt"]
    assert all(isinstance(text, str) and text for one in first for text in one["annotations"].values())
    keys = set()
    for _ in range(2):
        (again,) = sent(golden, endpoint, "alertmanager")
        keys.add(endpoint.received[0].headers["Idempotency-Key"])
    assert len(keys) == 2  # it lasts longer by each run: whoever drops what comes twice may drop none
    assert [one["labels"] for one in again] == [one["labels"] for one in first]


def test_what_is_over_is_resolved_and_what_is_new_fires_for_a_day() -> None:
    news = News(
        [(1, finding(valid_until_at=AT))], [(2, finding("b", valid_until_at=AT))], [(3, finding("c"))]
    )
    (new, standing, over) = json.loads(as_alerts(news, lambda _: Entry("CRIT", "s"), NOW))
    assert new["endsAt"] == standing["endsAt"] == (NOW + LASTING).isoformat().replace("+00:00", "Z")
    assert over["endsAt"] == "2026-11-22T03:00:00Z" and over["annotations"]["summary"] == "b"


def test_pagerduty_gets_an_event_a_finding(
    golden: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ROUTING_KEY, KEY)
    events = sent(golden, endpoint, "pagerduty")
    assert [one["event_action"] for one in events] == ["trigger"] * 3
    assert {one["routing_key"] for one in events} == {KEY} and len({one["dedup_key"] for one in events}) == 3
    first = events[0]["payload"]
    assert first["severity"] == "critical" and first["source"] == CLUSTER and first["class"] == "outage"
    assert first["summary"].startswith(f"{CLUSTER}: ") and first["timestamp"].endswith("Z")
    assert "show " in first["custom_details"]["command"]
    assert sent(golden, endpoint, "pagerduty") == []
    monkeypatch.setenv(ROUTING_KEY, "another")  # the same URL, another service
    assert len(sent(golden, endpoint, "pagerduty")) == 3
    assert KEY not in (golden / CLUSTER / NOTIFIED).read_text()
    sent(golden, endpoint, "pagerduty", "--dry-run")
    said = capsys.readouterr()
    assert KEY not in said.out + said.err and "another" not in said.out


def test_of_many_events_those_that_were_taken_are_remembered(
    golden: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ROUTING_KEY, KEY)
    endpoint.answers = [Answer(202), Answer(400)]
    given = ["--warehouse", str(golden), "--url", endpoint.url, "--format", "pagerduty"]
    assert [cli.main(["notify", *given]), cli.main(["notify", *given, "--fail"])] == [0, 3]
    first, refused, again = (one.json["dedup_key"] for one in endpoint.received)
    assert first != refused == again
    endpoint.answers = [Answer(202)]
    rest = [one["dedup_key"] for one in sent(golden, endpoint, "pagerduty")]
    assert len(rest) == 2 and first not in rest
    assert sent(golden, endpoint, "pagerduty") == []


def test_pagerduty_asks_for_its_key(
    golden: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ROUTING_KEY, raising=False)
    given = ["notify", "--warehouse", str(golden), "--format", "pagerduty"]
    assert cli.main(given) == 2 and ROUTING_KEY in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, "https://hooks.slack.com/services/x")
    assert cli.main([*given, "--dry-run"]) == 0


def test_the_key_of_pagerduty_goes_to_no_chat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable may hold the URL of a chat."""
    monkeypatch.setenv(ROUTING_KEY, KEY)
    monkeypatch.setenv(VARIABLE, "https://hooks.slack.com/services/x")
    given = ["--format", "pagerduty"]
    asked = parse_notify_request(notify_parser().parse_args(given))
    assert asked.shown == "https://events.pagerduty.com"
    named = parse_notify_request(notify_parser().parse_args([*given, "--url", "https://relay.example/x"]))
    assert named.shown == "https://relay.example"


def test_pagerduty_resolves_at_once_what_is_over_by_now() -> None:
    ended = finding(valid_until_at=AT)
    news = News([(1, ended), (2, finding("b", finding_id="cd34"))], [(3, finding("c", finding_id="ef56"))])
    said = [json.loads(one.document) for one in as_events(news, lambda _: Entry("CRIT", "s"), KEY)]
    assert [(one["event_action"], one["dedup_key"][-4:]) for one in said] == [
        *(("trigger", "ab12"), ("resolve", "ab12"), ("trigger", "cd34"), ("resolve", "ef56")),
    ]


@pytest.mark.parametrize("form", ["slack", "teams"])
def test_a_chat_gets_one_message(
    form: str, golden: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(golden / CLUSTER, golden / "b")
    messages = sent(golden, endpoint, form)
    assert len(messages) == 2 and SECRET in endpoint.received[0].path
    assert "2 critical, 1 warning" in str(messages[0]) and "show " in str(messages[0])
    monkeypatch.setenv(VARIABLE, endpoint.url)
    assert cli.main(["notify", "--warehouse", str(golden), "--format", form]) == 0
    assert len(endpoint.received) == 2
