"""What a run reads of tables that grow with the nights: the findings are those of all of their rows."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.stored_tables import MemoryTables
from pipeline.gold.finding.candidates import COUNTING
from pipeline.rules.registry import INPUTS, find_by_rules
from tests.chain import built
from tests.lab import folder_of, records

LOGS = ("controller", "state-change", "mixed", "server")
# Unclean elections of both modes, choices that differ, lost disks, fences, leader epochs that are missing.
CLUSTERS = ("4.3.1-kraft-combined-trace",)
MORE_CLUSTERS = (
    "2.2.2-zk-stock",
    "3.9.2-kraft-migration-stock",
    "3.9.1-zk-stock",
    "4.0.0-kraft-combined-stock",
    "1.0.2-zk-stock",
)


@pytest.fixture(
    scope="module", params=[*CLUSTERS, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_CLUSTERS)]
)
def cluster(request: pytest.FixtureRequest, shared: Path) -> dict[str, Any]:
    lines = records(folder_of(shared, request.param), LOGS)
    return built(lines, *(one for one in INPUTS if one in BY_SHORT_NAME))


def stored(cluster: dict[str, Any]) -> AtHand:
    """All tables as earlier runs stored them."""
    tables = MemoryTables()
    tables.rows |= {its.spec.name: cluster[name] for name, its in BY_SHORT_NAME.items() if name in cluster}
    settings = load_settings(None, {"cluster": "c"}, {}, None)
    return AtHand(Night(tables, settings, "c", "run", 1, frozenset()))


def test_rows_that_count_give_the_findings_of_all_rows(cluster: dict[str, Any]) -> None:
    at_hand = stored(cluster)
    few = {name: at_hand.whole(name, counting(at_hand)) for name, counting in COUNTING.items()}
    found, expected = (find_by_rules(cluster | some) for some in (few, {}))
    assert found.equals(expected)


@pytest.mark.parametrize("cluster", CLUSTERS[:1], indirect=True)
def test_of_elections_few_are_read(cluster: dict[str, Any]) -> None:
    at_hand = stored(cluster)
    for name in ("election_event", "leader_election"):
        rows: pl.DataFrame = at_hand.whole(name, COUNTING[name](at_hand))
        assert len(rows) < len(cluster[name]) / 2
