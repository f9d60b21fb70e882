"""What is told of KRaft clusters that were stopped, moved and asked for elections, against what was done to them."""

import csv
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.gold.truth import ms
from tests.lab import Row, built_tables, folder_of, json_lines, rows_of
from tests.rules.rows import fact_texts

SAMPLES = ("4.0.0-kraft-combined-moves",)
OTHERS = ("3.9.2-kraft-separate-moves",)
NOTICED_MS = 60_000  # of what was done before, while there was no controller, too
SETTLED_MS = 1_000


@dataclass(frozen=True)
class Run:
    folder: Path
    findings: list[Row]

    def told(self, rule: str) -> list[Row]:
        return [one for one in self.findings if one["rule"] == rule]


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "truth" / name).open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture(
    scope="module",
    params=[*SAMPLES, *(pytest.param(one, marks=pytest.mark.soak) for one in OTHERS)],
)
def run(request: pytest.FixtureRequest, shared: Path) -> Run:
    folder = folder_of(shared, request.param)
    return Run(folder, rows_of(built_tables(folder)["finding"]))


def stopped(run: Run, *, is_planned: bool) -> list[tuple[str, int]]:
    """Brokers with the time at which they were stopped."""
    stops = [one for one in rows(run.folder, "stops.tsv") if one["how"] in ("sigterm", "sigkill", "sigstop")]
    return [(one["node"], int(one["from_ms"])) for one in stops if (one["planned"] == "yes") is is_planned]


def test_a_stop_is_told_as_what_it_was(run: Run) -> None:
    """Who was shut down died not, who was killed was not shut down."""
    outages = [one for one in run.told("outage") if "log directory" not in one["sentence"]]
    assert len(outages) > 8
    for one in outages:
        is_planned = one["severity"] == "info"
        assert ("shut down" in one["sentence"]) is is_planned
        told_ms = ms(one["valid_from_at"])
        own = {
            broker for broker, at in stopped(run, is_planned=is_planned) if abs(told_ms - at) <= NOTICED_MS
        }
        assert set(fact_texts(one["facts"])["broker_ids"].split(",")) <= own, one["sentence"]


def test_departures_are_counted_that_nobody_asked_for(run: Run) -> None:
    for one in run.told("broker_flapping"):
        facts = fact_texts(one["facts"])
        killed = [broker for broker, _ in stopped(run, is_planned=False) if broker == facts["broker_id"]]
        assert int(facts["departures_count"]) <= len(killed)


def test_critical_is_what_an_administrator_asked_for_and_nothing_else(run: Run) -> None:
    """Neither the end of a reassignment nor an election after a planned stop, which lost nothing."""
    asked = [
        act
        for act in json_lines(run.folder / "truth" / "actions.jsonl")
        if act["kind"] == "elect_leaders" and act["args"]["type"] == "unclean"
    ]
    wanted = {
        f"{topic}-{number}": act["start_ms"]
        for act in asked
        for topic, numbers in act["args"]["partitions"].items()
        for number in numbers
    }
    critical = {one["entity"]: one for one in run.findings if one["severity"] == "critical"}
    assert critical.keys() == wanted.keys()
    for entity, one in critical.items():
        assert one["sentence"].startswith("unclean election that an administrator asked for")
        assert 0 <= ms(one["valid_from_at"]) - wanted[entity] <= SETTLED_MS


def test_a_lost_log_directory_is_told_when_it_was(run: Run) -> None:
    (lost,) = [one for one in run.told("outage") if "lost a log directory" in one["sentence"]]
    (disk,) = [one for one in rows(run.folder, "stops.tsv") if one["how"] == "disk"]
    assert fact_texts(lost["facts"])["broker_ids"] == disk["node"]
    # Noticed by the next checkpoint of high watermarks, every 5 s.
    assert 0 <= ms(lost["valid_from_at"]) - int(disk["from_ms"]) <= 5 * SETTLED_MS


def test_a_lost_quorum_is_told(run: Run) -> None:
    """At least, or at most: never shorter than it is told to have been, nor longer."""
    lost = [one for one in run.findings if one["rule"] in ("no_controller", "quorum_without_leader")]
    dead = sorted(
        (int(one["from_ms"]), int(one["to_ms"]))
        for one in rows(run.folder, "stops.tsv")
        if "controller" in one["role"] and one["how"] == "sigkill" and one["to_ms"]
    )
    both = [(later, min(end, until)) for (_, until), (later, end) in pairwise(dead) if later < until]
    assert len(lost) == len(both) > 0
    for one, (begun, ended) in zip(sorted(lost, key=lambda each: each["valid_from_at"]), both, strict=True):
        facts = fact_texts(one["facts"])
        truly_ms = ended - begun
        at_least, at_most = int(facts.get("at_least_ms", 0)), int(facts.get("at_most_ms", NOTICED_MS))
        assert at_least - 3 * SETTLED_MS <= truly_ms <= at_most
