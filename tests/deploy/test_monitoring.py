"""Alerts and dashboard ask for metrics that are written, in words that Prometheus takes, and fire when they should."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.questions.findings_out import as_prometheus
from jobs.questions.gauges import gauge_metric
from pipeline.views.gauges.gauge_values import GAUGES
from schemas.gold.finding import SEVERITIES
from tests.conftest import REPOSITORY
from tests.deploy.given import DEPLOY, checked, commands_in, parsed, text_of
from tests.jobs.finding_clusters import CLUSTERS

RULES = "prometheus/kafka-controller-audit.rules.yaml"
DASHBOARD = "grafana/kafka-controller-audit.json"
TESTS = REPOSITORY / "tests" / "deploy" / "alerts.test.yaml"
NAME = re.compile(r"\bkafka_\w+")
LABELS = re.compile(r"\b(?:by|on) \(([^)]*)\)|[{,] ?(\w+)=~?\"")


def written() -> dict[str, set[str]]:
    """Labels by metric, of findings and of gauges."""
    found: dict[str, set[str]] = {gauge_metric(name): {"cluster", "node"} for name in GAUGES}
    for line in as_prometheus(CLUSTERS).splitlines():
        if not line.startswith("#"):
            name, _, labels = line.partition("{")
            found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found


def rules() -> list[dict[str, Any]]:
    return [one for group in yaml.safe_load(text_of(RULES))["groups"] for one in group["rules"]]


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text_of(DASHBOARD))["panels"]
    return found


def expressions() -> Iterator[str]:
    yield from (one["expr"] for one in rules())
    yield from (target["expr"].replace("$cluster", "a|b") for one in panels() for target in one["targets"])


def labels_in(expression: str) -> set[str]:
    return {
        one.strip() for pair in LABELS.findall(expression) for each in pair for one in each.split(",") if each
    }


@pytest.mark.parametrize("expression", [*expressions()])
def test_metrics_and_labels_are_written(expression: str) -> None:
    names = NAME.findall(expression)
    assert names and set(names) <= written().keys()
    assert labels_in(expression) <= set.intersection(*(written()[name] for name in names))
    assert set(re.findall(r'severity="(\w+)"', expression)) <= set(SEVERITIES)


def test_every_metric_is_shown() -> None:
    asked = {name for one in panels() for target in one["targets"] for name in NAME.findall(target["expr"])}
    assert asked == written().keys()


def test_the_variables_of_the_dashboard_are_metrics_and_panels_do_not_overlap() -> None:
    board = json.loads(text_of(DASHBOARD))
    asked = {one["name"]: one for one in board["templating"]["list"]}
    metric, label = re.findall(r"label_values\((\w+), (\w+)\)", asked["cluster"]["definition"])[0]
    assert label in written()[metric]
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(panels()))) == asked.keys()
    cells = [
        (x, y)
        for at in (one["gridPos"] for one in panels())
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24
    assert len({one["id"] for one in panels()}) == len(panels())


def test_labels_of_an_expression_are_found() -> None:
    """What the tests above rest on."""
    assert labels_in('max by (a, b) (m{c="x", d=~"y"}) unless on (e) m') == {"a", "b", "c", "d", "e"}


@pytest.mark.parametrize("alert", rules(), ids=lambda one: one["alert"])
def test_an_alert_names_what_it_knows_and_commands_that_are_there(alert: dict[str, Any]) -> None:
    kept = re.search(r"by \(([^)]*)\)", alert["expr"])
    said = " ".join(alert["annotations"].values())
    assert set(re.findall(r"\$labels\.(\w+)", said)) <= set((kept[1] if kept else "").split(", "))
    for one in (alert["annotations"]["description"], alert["annotations"].get("runbook", "")):
        for command in re.findall(r"kafka-controller-audit [a-z]+[^;]*", one):
            words = re.split(r" (?:names|lists) ", command)[0].rstrip(".")
            for label, value in (("cluster", "prod"), ("rule", "outage")):
                words = words.replace(f"{{{{ $labels.{label} }}}}", value)
            assert [parsed(each) for each in commands_in(words)]
    assert ("runbook" in alert["annotations"]) == ("$labels.rule" in said)


def test_promtool_takes_all_expressions(tmp_path: Path) -> None:
    checked("promtool", "check", "rules", str(DEPLOY / RULES))
    made = [{"record": f"a{number}", "expr": one} for number, one in enumerate(expressions())]
    (tmp_path / "all.yaml").write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": made}]}))
    checked("promtool", "check", "rules", str(tmp_path / "all.yaml"))


def test_alerts_fire_when_they_should(tmp_path: Path) -> None:
    text = TESTS.read_text(encoding="utf-8").replace("RULES", str(DEPLOY / RULES))
    assert set(NAME.findall(text)) <= written().keys()
    asked = yaml.safe_load(text)
    fired = {
        one["alertname"]
        for test in asked["tests"]
        for one in test["alert_rule_test"]
        if one.get("exp_alerts")
    }
    assert fired == {one["alert"] for one in rules()}
    (tmp_path / "alerts.yaml").write_text(text)
    checked("promtool", "test", "rules", str(tmp_path / "alerts.yaml"))
