"""Elections as each of the releases prints them, from lines to rows."""

from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.core.expectations import broken_rows, expectation_of
from schemas.gold.leader_election import SPEC
from schemas.silver import log_gap
from tests.chain import built, built_of_many
from tests.frames import frame
from tests.gold.election_stories import (
    CONTROLLER_1_0,
    CONTROLLER_2_2,
    CONTROLLER_3_9,
    FROM_1_0,
    FROM_2_2,
    FROM_3_9,
    STATE_CHANGE_1_0,
    STATE_CHANGE_2_2,
    STATE_CHANGE_3_9,
    lines,
)
from tests.rows import same_rows

TOLD = (
    *("topic", "elected_at", "kind", "trigger", "outcome", "failure", "old_leader", "leader", "isr"),
    *("leader_epoch", "expected_leader", "verdict", "is_clean", "reason", "certainty"),
)
# By release: lines of controller.log and state-change.log, and what is told of them.
STORIES = {
    "1.0": (CONTROLLER_1_0, STATE_CHANGE_1_0, FROM_1_0),
    "2.2": (CONTROLLER_2_2, STATE_CHANGE_2_2, FROM_2_2),
    "3.9": (CONTROLLER_3_9, STATE_CHANGE_3_9, FROM_3_9),
}


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """Of a cluster for each release."""
    logs = {
        release: {
            (1, "controller"): lines(controller, "[Controller id=1] ", "kafka.controller.KafkaController"),
            (1, "state-change"): lines(state_change, "[Controller id=1 epoch=1] ", "state.change.logger"),
        }
        for release, (controller, state_change, _) in STORIES.items()
    }
    return built_of_many(logs, "leader_election")


@pytest.fixture(scope="module")
def elections(tables: dict[str, Any]) -> pl.DataFrame:
    found: pl.DataFrame = tables["leader_election"]
    return found


def test_declarations_hold(elections: pl.DataFrame) -> None:
    assert broken_rows(elections, expectation_of(SPEC)).rows() == []


@pytest.mark.parametrize("release", STORIES)
def test_elections_of_a_release(elections: pl.DataFrame, release: str) -> None:
    found = elections.filter(col("cluster_id") == release)
    same_rows(found, frame(SPEC, STORIES[release][2]), *TOLD)


HEAD = "cluster_id | node_id | log | kind | from_at"
GAPS = ("2.2 | 1 | controller | silence | 2", "2.2 | | | lost_in_warehouse | 2")


@pytest.mark.parametrize("gap", GAPS)
def test_missing_lines_excuse_what_differs(gap: str, tables: dict[str, Any], elections: pl.DataFrame) -> None:
    given = {name: rows for name, rows in tables.items() if name != "leader_election"}
    given["log_gap"] = frame(log_gap.SPEC, f"{HEAD}\n{gap}")
    doubted = built(tables["log_record"], "leader_election", **given)["leader_election"]
    assert odd_choices(elections) == [("b", "differs", None), ("g", "differs", None)]
    assert odd_choices(doubted) == [
        ("b", "undetermined", "lines_missing"),
        ("g", "undetermined", "lines_missing"),
    ]


def odd_choices(elections: pl.DataFrame) -> list[tuple[Any, ...]]:
    is_odd = col("verdict").is_in(["differs", "undetermined"]) & (col("cluster_id") == "2.2")
    return elections.filter(is_odd).select("topic", "verdict", "reason").sort("topic").rows()
