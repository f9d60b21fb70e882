"""What clients of real clusters saw lies in the stretches of gold.client_impact, and none claims more than they saw."""

from pathlib import Path

import polars as pl
import pytest

from tests.chain import built
from tests.gold.client_truth import (
    RUNS,
    Trouble,
    claims,
    counted,
    scored,
    sent_by_producers,
    troubles,
    true_records,
)
from tests.lab import folder_of

SLACK_MS = 500  # below it a client logs no trouble
# What of answers with an error, and of stretches of a second or more, lies in the bounds of a stretch. The others: a
# node that was stopped for less than its session, of which no line tells, or a start of a JVM on the box that was
# shared with the clients (../shared/kafka/lab-findings-clients.md, 1.1 and 1.2).
ANSWERED = {
    "3.9.1-zk-clients": 190,
    "3.9.1-zk-clients-b": 114,
    "4.0.0-kraft-separate-clients": 119,
    "2.5.1-zk-clocks": 103,
    "3.9.2-4.3.1-kraft-upgrade": 24,
}
QUICK = ("4.0.0-kraft-separate-clients",)


def folder(shared: Path, name: str) -> Path:
    found = folder_of(shared, name)
    if not found.is_dir():
        pytest.skip(f"no run {name}")
    return found


def impact_and_troubles(cluster: Path) -> tuple[pl.DataFrame, list[Trouble]]:
    impact: pl.DataFrame = built(true_records(cluster), "client_impact")["client_impact"]
    return impact, troubles(cluster)


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(one, marks=pytest.mark.soak) for one in RUNS if one not in QUICK)]
)
def test_what_clients_saw_is_told_and_nothing_more(shared: Path, name: str) -> None:
    cluster = folder(shared, name)
    impact, seen = impact_and_troubles(cluster)
    end = max(one.until_at for one in seen)
    counts = counted(scored(impact, seen, end))
    answers = {what: each for what, each in counts.items() if what.endswith("answer")}
    assert {verdict for each in answers.values() for verdict in each} == {"in"}
    assert sum(each["in"] for each in answers.values()) == ANSWERED[name]
    assert [
        (row["topic"], row["partition"], row["audience"], row["kinds"], row["low_ms"], saw_ms)
        for row, saw_ms in claims(impact, seen, sent_by_producers(cluster), end)
        if row["low_ms"] > saw_ms + SLACK_MS
    ] == []
