"""The screen at a glance: at most 40 lines, and no finding is hidden in them."""

import random
import re
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jobs.screen.facts import Facts, gather_facts
from jobs.screen.first_things import first_step_lines, loss_lines, now_lines
from jobs.screen.glance import finding_glance, move_glance
from jobs.terminal import show_lines
from pipeline.catalog.tables import SPECS
from pipeline.rules.order import RULE_NAMES
from pipeline.views.reading.answers import Answers
from schemas.gold.finding import SEVERITIES
from tests.incident.printing import printed
from tests.lab import folder_of
from tests.screens import LAST, finding, screen_of_sample

MOST_OF_INFO = 6  # lines
OTHER_LABS = (
    *(
        "0.11.0.3-zk-stock",
        "1.0.2-zk-stock",
        "2.2.2-zk-stock",
        "2.5.1-zk-stock",
        "2.6.3-zk-stock",
        "2.6.3-zk-trace",
    ),
    *("3.2.3-zk-stock", "3.2.3-zk-trace", "3.3.2-kraft-combined-stock", "3.9.1-zk-stock", "3.9.1-zk-trace"),
    *("3.9.2-kraft-migration-stock", "3.9.2-kraft-separate-stock", "4.3.1-kraft-combined-trace"),
    "4.3.1-kraft-separate-stock",
)
RANGE = re.compile(r"^(?:CRIT|WARN|INFO) (\S+)")


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def facts(sample_answers: Answers) -> Facts:
    return gather_facts(sample_answers, {one.name: "1 a" for one in SPECS}, 0)


def numbers_told(lines: list[str]) -> list[int]:
    """The numbers of all findings that lines stand for: F1,F3-F5."""
    told = [one for line in lines if (found := RANGE.match(line)) for one in found[1].split(",")]
    ends = [[int(end[1:]) for end in one.split("-")] for one in told]
    return sorted(number for end in ends for number in range(end[0], end[-1] + 1))


def random_finding(chance: random.Random) -> dict[str, Any]:
    at = LAST + timedelta(seconds=chance.randrange(9_000))
    until: datetime | None = at + timedelta(minutes=1) if chance.random() < 0.8 else None
    severity = chance.choice(("critical", "warning", "info"))
    said = " ".join(["something happened to brokers"] * chance.randrange(1, 8))
    return finding(chance.choice(RULE_NAMES[:12]), "new", at, until) | {
        "severity": severity,
        "sentence": said,
    }


@pytest.mark.parametrize("seed", range(20))
def test_each_finding_stands_in_a_line_and_all_have_room(facts: Facts, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    found = sorted(
        (random_finding(chance) for _ in range(chance.choice((1, 5, 40, 300)))),
        key=lambda one: (SEVERITIES.index(one["severity"]), one["rule"]),
    )
    lines = finding_glance(replace(facts, findings=found, since=None), room=30)
    assert numbers_told(lines) == list(range(1, len(found) + 1))
    kinds = {(one["severity"], one["rule"]) for one in found if one["severity"] != "info"}
    assert len(lines) <= max(30, len(kinds) + MOST_OF_INFO)
    assert all(len(line) <= 80 for line in lines if line.startswith(("CRIT", "WARN")))


def test_the_worst_have_a_second_line_while_there_is_room(facts: Facts) -> None:
    most, least = finding_glance(facts, room=30), finding_glance(facts, room=3)
    assert numbers_told(most) == numbers_told(least) == list(range(1, len(facts.findings) + 1))
    assert most[1].startswith("        in-sync replicas") and least[0].endswith("…")


def test_what_is_so_now_stands_by_name(facts: Facts) -> None:
    assert now_lines(facts) == ["        over the limit: broker 1 0.923 > 0.100"]
    outage = {"topic": "orders", "partition": 3, "noticed_at": LAST, "certainty": "proved"}
    stay = {"broker_id": 2, "left_at": LAST, "end_reason": "killed"}
    stopped = replace(facts, leaderless=[outage, *[outage | {"partition": 4}] * 5], gone=[stay], brokers=None)
    assert now_lines(stopped) == [
        "        without a leader since 09:00:00.000: orders-3, orders-4, orders-4, 3",
        "          more",
        "        brokers gone: 2 since 09:00:00.000 (killed or crashed)",
    ]


def test_times_that_are_not_the_same_stand_beside_each_partition(facts: Facts) -> None:
    outages = [
        {
            "topic": "a",
            "partition": number,
            "noticed_at": LAST + timedelta(seconds=number),
            "certainty": "undetermined",
        }
        for number in range(2)
    ]
    assert now_lines(replace(facts, leaderless=outages, brokers=None)) == [
        "        without a leader: a-0 [undetermined] since 09:00:00.000, a-1",
        "          [undetermined] since 09:00:01.000",
    ]


def test_what_goes_on_is_marked_though_it_asks_for_nothing(facts: Facts) -> None:
    told = [finding("outage", "new", LAST, until) | {"severity": "info"} for until in (LAST, None)]
    assert finding_glance(replace(facts, findings=told, since=None), 30)[0] == "INFO F1-F2 2 outage; OPEN F2"


@pytest.mark.parametrize(
    "name", ["4.0.0-kraft-combined-stock", *(pytest.param(one, marks=pytest.mark.soak) for one in OTHER_LABS)]
)
def test_the_screen_of_a_lab_has_forty_lines_at_most(
    shared: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    lines = printed(capsys, str(folder_of(shared, name))).rstrip("\n").split("\n")
    assert len(lines) <= 40, lines


def test_what_is_lost_is_told_even_where_nobody_knows_how_much(facts: Facts) -> None:
    lost = facts.findings[0]
    assert loss_lines(facts) == ["LOST    audit_log-0: records, nobody knows how many (F1)"]
    known = lost | {"facts": lost["facts"] | {"records_at_risk": 1_200}}
    assert loss_lines(replace(facts, findings=[known])) == ["LOST    audit_log-0: at most 1,200 records (F1)"]
    assert loss_lines(replace(facts, findings=[])) == []
    nothing = lost | {"facts": lost["facts"] | {"records_at_risk": 0}}
    assert loss_lines(replace(facts, findings=[nothing])) == []
    assert loss_lines(replace(facts, findings=[lost | {"rule": "last_known_leader"}])) == []


def test_the_first_step_is_that_of_what_goes_on(facts: Facts) -> None:
    over = finding("unclean_election", "new", LAST, LAST)
    open_one = finding("outage", "new", LAST, None)
    told = first_step_lines(replace(facts, findings=[over, open_one], since=None))
    assert told[-1].endswith("(F2)")
    assert first_step_lines(replace(facts, findings=[])) == []


def test_the_screen_of_the_sample_has_forty_lines_at_most(sample_answers: Answers) -> None:
    lines = screen_of_sample(sample_answers).split("\n")
    assert len(lines) <= 40
    assert numbers_told(lines) == list(range(1, 25))


@pytest.mark.parametrize(
    ("lines", "pager", "each", "told"),
    [
        (3, "sed s/^/paged:/", "a a a", "a a a"),
        (50, "sed s/^/paged:/", "paged:a a a", "VERDICT"),
        (50, "", "a a a", "VERDICT"),
        (50, "no-such-pager", "a a a", "VERDICT"),
    ],
)
def test_a_pager_takes_what_is_longer_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    lines: int,
    pager: str,
    each: str,
    told: str,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("NO_COLOR", "1")
    show_lines(["a a a"] * lines, last="VERDICT")
    shown = capfd.readouterr().out.splitlines()
    assert shown.count(each) == lines
    assert shown[-1] == told


def test_moves_without_their_request_are_told_only_where_there_are_some(facts: Facts) -> None:
    sent = {"check": "requests_of_moves", "said": 9, "equal": 6, "undecided": 1, "differing": 2}
    without = replace(facts, replay_checks={**facts.replay_checks, "requests_of_moves": sent})
    said = {name: " ".join(move_glance(one)) for name, one in {"none": facts, "two": without}.items()}
    assert "2 without their request" in said["two"]
    assert "request" not in said["none"]
