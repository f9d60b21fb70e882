"""Findings about terms: which event gives which finding, and only that."""

from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.rules.controller_outlived.rule import find as controller_outlived
from pipeline.rules.controller_powerless.rule import find as controller_powerless
from pipeline.rules.deposed_controller_wrote.rule import find as deposed_controller_wrote
from pipeline.rules.failover_slow.rule import find as failover_slow
from pipeline.rules.no_controller.rule import find as no_controller
from pipeline.rules.shared.quorum_states import leadership_states, with_next_state
from schemas.gold import broker_session, clock_skew, controller_term
from schemas.gold.finding import SPEC
from schemas.silver import controller_step, node_event
from tests.chain import built_of_many
from tests.frames import at, frame
from tests.gold.term_stories import STORIES
from tests.rules.rows import fact_texts, of_rule

Row = dict[str, Any]
FOUND = {
    (
        "harmless",
        "controller_outlived",
    ): "resigned 4.0 s after the next controller was elected, if their clocks agree; no write seen",
    ("talked", "controller_outlived"): "no write seen, but requests to brokers",
    ("deeds not printed", "controller_outlived"): "whether it wrote is not known",
    ("stopped in office", "controller_outlived"): "resigned 8.0 s after the next controller was elected; ",
    (
        "renounced late",
        "controller_outlived",
    ): "gave up 4.0 s after the next controller was elected, if their clocks agree; harmless",
    (
        "wrote",
        "deposed_controller_wrote",
    ): "wrote leaders of partitions 2 times after the next controller was elected, the last 3.5 s after",
    ("powerless", "controller_powerless"): "ZooKeeper refused its epoch 2 times; it was so for 6.0 s",
    (
        "powerless still",
        "controller_powerless",
    ): "ZooKeeper refused its epoch 1 time; it still is so: no leader can be elected",
    (
        "powerless at its last line",
        "controller_powerless",
    ): "no line tells whether it ended",
    (
        "crashed",
        "no_controller",
    ): "no controller for up to 7.0 s, if their clocks agree, after controller 1 (epoch 1)",
    ("quorum lost", "no_controller"): "no controller for at least 10.0 s after controller 1 (epoch 1)",
    (
        "quorum lost unheard",
        "no_controller",
    ): "up to 11.0 s, if their clocks agree, after controller 1 (epoch 1): most of the quorum was down",
    (
        "nobody since",
        "no_controller",
    ): "no controller for as long as the logs go on after controller 1 (epoch 1)",
    ("slow", "failover_slow"): "was ready only 30.0 s after its election, longest in initializing context",
}

OVERLAP_MS, FAILOVER_SLOW_MS = 1000, 10_000
NO_CONTROLLER_MS = (5000, 9000)  # in ZooKeeper mode, in KRaft
NO_CONTROLLER = {"crashed", "crashed, shut down later", "quorum lost", "quorum lost unheard", "nobody since"}


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    return built_of_many(STORIES, "controller_term")


@pytest.fixture(scope="module")
def findings(tables: dict[str, Any]) -> list[Row]:
    terms, data_end = tables["controller_term"], tables["data_end"]
    states = leadership_states(tables["controller_step"], tables["node_event"])
    led, stays = with_next_state(terms, states), empty_frame(broker_session.SPEC)
    found = {
        "controller_outlived": controller_outlived(terms, empty_frame(clock_skew.SPEC), OVERLAP_MS),
        "deposed_controller_wrote": deposed_controller_wrote(terms, OVERLAP_MS),
        "controller_powerless": controller_powerless(terms, OVERLAP_MS, data_end),
        "no_controller": no_controller(
            *(led, stays, *NO_CONTROLLER_MS, data_end, terms),
            *(empty_frame(clock_skew.SPEC), empty_frame(SPEC)),
        ),
        "failover_slow": failover_slow(terms, FAILOVER_SLOW_MS),
    }
    return [row for name, rows in found.items() for row in of_rule(name, rows)]


def test_each_event_has_its_finding_and_no_other(findings: list[Row]) -> None:
    found = {(row["cluster_id"], row["rule"]): row["sentence"] for row in findings}
    assert set(found) == set(FOUND) | {(name, "no_controller") for name in NO_CONTROLLER}
    assert len(found) == len(findings)
    assert {key: words for key, words in FOUND.items() if words not in found[key]} == {}


def test_facts_are_what_the_sentence_tells(findings: list[Row]) -> None:
    assert {
        fact_texts(row["facts"])["controller_id"] + fact_texts(row["facts"])["controller_epoch"]
        for row in findings
    } == {"11"}
    facts = {
        row["cluster_id"]: {
            name: fact for name, fact in fact_texts(row["facts"]).items() if not name.startswith("controller")
        }
        for row in findings
    }
    assert facts == {
        "deeds not printed": {"late_ms": "4000"},
        "harmless": {"late_ms": "4000", "writes_count": "0", "overlap": "zombie_harmless"},
        "renounced late": {"late_ms": "4000", "overlap": "resignation_tail"},
        "stopped in office": {"late_ms": "8000"},
        "talked": {"late_ms": "4000", "writes_count": "0", "overlap": "zombie_talked"},
        "wrote": {"writes_count": "2", "late_ms": "3500"},
        "powerless": {"refused_count": "2", "lasted_ms": "6000"},
        "powerless still": {"refused_count": "1"},
        "powerless at its last line": {"refused_count": "1"},
        "crashed": {"at_most_ms": "7000"},
        "crashed, shut down later": {"at_most_ms": "10900"},
        "nobody since": {},
        "quorum lost": {"at_least_ms": "10000"},
        "quorum lost unheard": {"at_most_ms": "11000"},
        "slow": {"lasted_ms": "30000", "longest_step": "initializing_context"},
    }


def test_severity_and_times(findings: list[Row]) -> None:
    rows = {row["cluster_id"]: row for row in findings}
    assert rows.pop("renounced late")["severity"] == "info"
    critical = {name for name, row in rows.items() if row["severity"] == "critical"}
    assert critical == {"wrote", "powerless still"}
    assert {row["severity"] for row in rows.values()} == {"critical", "warning"}
    seconds = {
        name: (row["valid_from_at"].second, row["valid_until_at"] and row["valid_until_at"].second)
        for name, row in rows.items()
    }
    assert (seconds["wrote"], seconds["powerless"], seconds["harmless"]) == ((12, 15), (4, 10), (12, 16))
    assert (seconds["slow"], seconds["powerless still"]) == ((1, 31), (4, None))


def test_evidence_is_what_the_sentence_speaks_of(tables: dict[str, Any], findings: list[Row]) -> None:
    records = tables["log_record"].select("file_id", "byte_offset", "event").rows()
    events = {(file_id, byte_offset): event for file_id, byte_offset, event in records}
    lines = {row["cluster_id"]: [events[tuple(one.values())] for one in row["evidence"]] for row in findings}
    assert lines["slow"] == ["controller_elected", "controller_ready"]
    assert lines["powerless"] == ["controller_elected", "controller_event_moved", "controller_resigning"]
    assert lines["quorum lost"] == ["controller_active", "controller_observed_leader", "controller_active"]
    assert lines["powerless still"] == [
        "controller_elected",
        "controller_event_moved",
        "imbalance_check",
    ]
    election = ["controller_elected", "controller_epoch_incremented"]
    assert lines["wrote"] == [*election, "partition_transition", "partition_transition", *election]


# c: everything was shut down; d: one of two brokers was, and the logs end soon; e: the same, and they go on; f: one
# died; s: too short.
VACANT = """
    cluster_id | term_id | mode  | controller_id | controller_epoch | vacant_from_at | superseded_at | gap_kind
    c          | 1-1     | kraft | 7             | 1                | 100            | 300           | handover
    d          | 1-1     | kraft | 7             | 1                | 100            |               |
    e          | 1-1     | kraft | 7             | 1                | 100            | 300           | handover
    f          | 1-1     | kraft | 7             | 1                | 100            | 300           | handover
    s          | 1-1     | kraft | 7             | 1                | 100            | 108           | handover
"""
STAYS = """
    cluster_id | broker_id | mode  | joined_at | left_at | left_how
    c          | 1         | kraft | 1         | 90      | controlled
    c          | 2         | kraft | 1         | 95      | controlled
    c          | 2         | kraft | 310       |         |
    d          | 1         | kraft | 1         | 90      | controlled
    d          | 2         | kraft | 1         |         |
    e          | 1         | kraft | 1         | 90      | controlled
    e          | 2         | kraft | 1         |         |
    f          | 1         | kraft | 1         | 50      | uncontrolled
    f          | 2         | kraft | 1         |         |
"""


def test_a_quorum_that_is_shut_down_with_its_brokers_is_no_finding() -> None:
    ends = pl.DataFrame({"cluster_id": list("cdefs"), "until_at": [at(400), at(150), *[at(400)] * 3]})
    none = leadership_states(empty_frame(controller_step.SPEC), empty_frame(node_event.SPEC))
    terms = with_next_state(frame(controller_term.SPEC, VACANT), none)
    frames = (terms, frame(broker_session.SPEC, STAYS))
    clocks = empty_frame(clock_skew.SPEC)
    found = no_controller(*frames, *NO_CONTROLLER_MS, ends, terms, clocks, empty_frame(SPEC))
    assert sorted(found["cluster_id"]) == ["e", "f"]


def test_seconds_between_two_nodes_are_inferred(findings: list[Row]) -> None:
    """Their clocks may be so far apart; not eight of them."""
    late = {row["cluster_id"]: row for row in findings if row["rule"] == "controller_outlived"}
    far = {"stopped in office"}
    assert {name: row["certainty"] for name, row in late.items()} == {
        name: "proved" if name in far else "inferred" for name in late
    }
    assert far < set(late)


@pytest.mark.parametrize(("sign_at", "count"), [(5.5, 1), (9, 0), (None, 1)])
def test_a_crash_that_a_line_shows_just_before_the_next_election_is_no_gap(
    tables: dict[str, Any], sign_at: float | None, count: int
) -> None:
    """A quiet controller has its last line long before it crashes."""
    sign = pl.lit(None if sign_at is None else at(sign_at), pl.Datetime("us", "UTC"))
    terms = tables["controller_term"].filter(cluster_id="crashed").with_columns(first_sign_at=sign)
    states = leadership_states(tables["controller_step"], tables["node_event"])
    led, stays = with_next_state(terms, states), empty_frame(broker_session.SPEC)
    found = no_controller(
        *(led, stays, *NO_CONTROLLER_MS, tables["data_end"], terms),
        *(empty_frame(clock_skew.SPEC), empty_frame(SPEC)),
    )
    assert found.height == count
