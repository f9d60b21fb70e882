"""Findings as alerts of Alertmanager and as events of PagerDuty, as a server gets them."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from jobs import cli
from jobs.layout import program_to_paste
from jobs.notify.alert_forms import LASTING, as_alerts
from jobs.notify.destination import ROUTING_KEY, VARIABLE
from jobs.notify.message import Entry
from jobs.notify.remembered import News
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
    (again,) = sent(golden, endpoint, "alertmanager")
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


def test_of_many_events_none_is_remembered_before_all_are_taken(
    golden: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ROUTING_KEY, KEY)
    endpoint.answers = [Answer(202), Answer(400)]
    given = ["--warehouse", str(golden), "--url", endpoint.url, "--format", "pagerduty"]
    assert [cli.main(["notify", *given]), cli.main(["notify", *given, "--fail"])] == [0, 3]
    endpoint.answers = [Answer(202)]
    assert len(sent(golden, endpoint, "pagerduty")) == 3


def test_pagerduty_asks_for_its_key(
    golden: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ROUTING_KEY, raising=False)
    given = ["notify", "--warehouse", str(golden), "--format", "pagerduty"]
    assert cli.main(given) == 2 and ROUTING_KEY in capsys.readouterr().err
    assert cli.main([*given, "--dry-run"]) == 0


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
