"""Intervals of evidence: the same logs at the same level, gaps by themselves, no hole between."""

import polars as pl

from pipeline.core.frames import empty_frame
from pipeline.gold import evidence
from schemas.gold.evidence import SPEC
from schemas.silver import log_gap, release_span, term, wording_seen
from tests.chain import built
from tests.frames import frame
from tests.gold.conftest import LOGS
from tests.rows import declared_rows, records_in, same_rows

HOUR = 3600


def seen() -> pl.DataFrame:
    """Node 1: both logs at TRACE, an hour of silence, then INFO only; node 2: its controller.log is not there."""
    return frame(
        wording_seen.SPEC,
        f"""
        cluster_id | node_id | log          | level | first_at        | last_at
        c          | 1       | controller   | INFO  | 10              | 3000
        c          | 1       | state-change | TRACE | 12              | 3500
        c          | 1       | state-change | INFO  | 13              | 3600
        c          | 1       | controller   | INFO  | {3 * HOUR + 5}  | {3 * HOUR + 9}
        c          | 1       | state-change | INFO  | {3 * HOUR + 6}  | {3 * HOUR + 900}
        c          | 1       | controller   | INFO  | {5 * HOUR}      | {5 * HOUR + 1}
        c          | 2       | state-change | TRACE | 20              | 30
        """,
    )


def test_intervals() -> None:
    gaps = frame(
        log_gap.SPEC,
        f"""
        cluster_id | node_id | kind    | from_at | until_at
        c          | 1       | silence | 3700    | {2 * HOUR + 60}
        """,
    )
    terms = frame(
        term.SPEC,
        f"""
        cluster_id | term_id | controller_id | mode      | first_seen_at | last_seen_at
        c          | 1-1     | 1             | zookeeper | 10            | {6 * HOUR}
        """,
    )
    rows = evidence.build(seen(), gaps, terms, empty_frame(release_span.SPEC))
    found = declared_rows(rows, SPEC).sort("node_id", "valid_from_at")
    expected = frame(
        SPEC,
        f"""
        node_id | valid_from_at  | valid_until_at | state_change_level | is_controller | is_complete
        1       | 10             | 3700           | TRACE              | true          | true
        1       | 3700           | {3 * HOUR + 5} | TRACE              | true          | false
        1       | {3 * HOUR + 5} | {5 * HOUR}     | INFO               | true          | true
        1       | {5 * HOUR}     | {5 * HOUR + 1} | INFO               | true          | true
        2       | 20             | 30             | TRACE              | false         | true
        """,
    )
    columns = (
        "node_id",
        "valid_from_at",
        "valid_until_at",
        "state_change_level",
        "is_controller",
        "is_complete",
    )
    same_rows(found, expected, *columns)
    assert found["logs"].to_list() == [
        ["controller", "state-change"],
        [],
        ["controller", "state-change"],
        ["controller"],
        ["state-change"],
    ]


def test_what_is_asked_of_a_controller_is_answered_or_not() -> None:
    logs = {place: text for place, text in LOGS.items() if place != (3, "state-change")}
    first, third = built(records_in(logs), "evidence")["evidence"].sort("node_id").to_dicts()
    assert first["unanswered"] == []
    assert "moves of replicas" in first["answers"]
    assert set(third["answers"]) == {"terms and elections of controllers", "why the controller acted"}
    assert any(said.startswith("moves of partitions: give state-change.log") for said in third["unanswered"])


def answers_at_info(*releases: str) -> set[str]:
    """Of a controller with both logs at INFO whose release is one of these."""
    lines = frame(
        wording_seen.SPEC,
        """
        cluster_id | node_id | log          | level | first_at | last_at
        c          | 1       | controller   | INFO  | 10       | 20
        c          | 1       | state-change | INFO  | 10       | 20
        """,
    )
    terms = frame(
        term.SPEC,
        "cluster_id | controller_id | mode | first_seen_at | last_seen_at\nc | 1 | zookeeper | 10 | 20",
    )
    spans = frame(
        release_span.SPEC,
        f"cluster_id | node_id | valid_from_at | valid_until_at | releases\nc | 1 | 10 | 20 | {' '.join(releases)}",
    )
    return set(evidence.build(lines, empty_frame(log_gap.SPEC), terms, spans)["answers"].explode())


def test_moves_of_partitions_are_at_info_from_2_6_on() -> None:
    always = {"terms and elections of controllers", "why the controller acted"}
    modern = always | {"moves of partitions", "leaders and leader imbalance"}
    assert answers_at_info("2.6.3", "3.9.1") == modern
    assert answers_at_info("2.5.1", "2.6.3") == always


def test_a_gap_of_days_is_cut_into_no_more_than_its_hours() -> None:
    """Hours of a gap are one interval; a gap longer than LONGEST_GAP_HOURS ends there."""
    gaps = frame(
        log_gap.SPEC,
        f"""
        cluster_id | node_id | kind    | from_at | until_at
        c          | 1       | silence | 90      | {10 * HOUR}
        c          | 2       | silence | 90      | {evidence.LONGEST_GAP_HOURS * HOUR * 2}
        c          | 3       | silence |         | {HOUR + 5}
        c          | 4       | silence |         |
        c          |         | silence | 90      | 100
        """,
    )
    found = evidence.build(
        empty_frame(wording_seen.SPEC), gaps, empty_frame(term.SPEC), empty_frame(release_span.SPEC)
    )
    expected = frame(
        SPEC,
        f"""
        node_id | valid_from_at | valid_until_at                            | is_complete
        1       | 90            | {10 * HOUR}                               | false
        2       | 90            | {(evidence.LONGEST_GAP_HOURS + 1) * HOUR} | false
        3       | {HOUR + 5}    | {HOUR + 5}                                | false
        """,
    )
    same_rows(
        declared_rows(found, SPEC), expected, "node_id", "valid_from_at", "valid_until_at", "is_complete"
    )
