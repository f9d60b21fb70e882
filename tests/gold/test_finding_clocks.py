"""Findings over the times of two nodes: none is made of what their clocks may explain."""

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.rules.controller_outlived.rule import find as controller_outlived
from pipeline.rules.no_controller.rule import find as no_controller
from pipeline.rules.shared.clocks import bounds_of_days
from pipeline.rules.shared.quorum_states import leadership_states, with_next_state
from schemas.gold import broker_session, clock_skew, controller_term
from schemas.gold.finding import SPEC
from schemas.silver import controller_step, node_event
from tests.frames import at, frame

OVERLAP_MS = 1000
NO_CONTROLLER_MS = (5000, 9000)  # in ZooKeeper mode, in KRaft

OUTLIVED = """
    cluster_id | term_id | controller_id | controller_epoch | mode      | elected_at | ended_at | superseded_at | resigned_at | gap_ms | writes_after_count | overlap         | certainty
    c          | 1-1     | 1             | 1                | zookeeper | 0          | 14       | 10            | 14          | -4000  | 0                  | zombie_harmless | proved
    c          | 1-2     | 2             | 2                | zookeeper | 10         |          |               |             |        |                    |                 | proved
"""  # fmt: skip


def test_bounds_of_a_day_hold_while_a_clock_drifts() -> None:
    drifting = """
        cluster_id | node_id | other_id | hour_at | low_ms | high_ms | drift_ppm | is_step
        c          | 1       | 2        | 0       | 100    | 104     | -300      | false
        c          | 1       | 3        | 0       | 100    |         |           | false
    """
    rows = bounds_of_days(frame(clock_skew.SPEC, drifting)).sort("controller_id", "next_id")
    bounds = rows.select("controller_id", "next_id", "clock_low_ms", "clock_high_ms").rows()
    assert bounds == [(1, 2, -980, 1184), (1, 3, 100, None), (2, 1, -1184, 980), (3, 1, None, -100)]


@pytest.mark.parametrize(
    ("clocks", "said"),
    [
        ("", ["if their clocks agree"]),
        ("c | 1 | 2 | 0 | -1 | 12 | false", ["by clocks at most 12 ms apart"]),
        ("c | 1 | 2 | 0 | 0 | 0 | false", ["by clocks at most 1 ms apart"]),
        # The next one's clock is behind: it was elected later than it says.
        ("c | 1 | 2 | 0 | -3701 | -3699 | false", []),
        ("c | 1 | 2 | 0 | -3701 | | false", []),
        ("c | 1 | 2 | 0 | -2000 | 5 | false", ["by clocks at most 2.0 s apart"]),
        # Bounds of another pair, of another day, and of a day whose clocks were set.
        ("c | 1 | 3 | 0 | -3701 | -3699 | false", ["if their clocks agree"]),
        ("c | 1 | 2 | 90000 | -3701 | -3699 | false", ["if their clocks agree"]),
        ("c | 1 | 2 | 0 | | | true\nc | 1 | 2 | 3600 | -3701 | -3699 | false", ["if their clocks agree"]),
    ],
)
def test_two_at_once_are_none_where_clocks_may_explain_it(clocks: str, said: list[str]) -> None:
    head = "cluster_id | node_id | other_id | hour_at | low_ms | high_ms | is_step\n"
    found = controller_outlived(
        frame(controller_term.SPEC, OUTLIVED), frame(clock_skew.SPEC, head + clocks), OVERLAP_MS
    )
    assert [part for one in found["sentence"] for part in said if part in one] == said
    assert found.height == len(said)


# Nobody was in office for 7 s, of which 5 s are no finding.
VACANCY = """
    cluster_id | term_id | controller_id | controller_epoch | mode      | elected_at | ended_at | superseded_at | gap_ms | gap_kind | certainty
    c          | 1-1     | 1             | 1                | zookeeper | 0          | 10       | 17            | 7000   | crash    | inferred
    c          | 1-2     | 2             | 2                | zookeeper | 17         |          |               |        |          | proved
"""  # fmt: skip
SAME_NODE = VACANCY.replace("1-2     | 2", "1-2     | 1")


@pytest.mark.parametrize(
    ("terms", "clocks", "said"),
    [
        (VACANCY, "", ["for up to 7.0 s, if their clocks agree, after controller 1"]),
        (SAME_NODE, "", ["for up to 7.0 s after controller 1"]),
        # So little is not told.
        (VACANCY, "c | 1 | 2 | 0 | -20 | 40 | false", ["for up to 7.0 s after controller 1"]),
        (
            VACANCY,
            "c | 1 | 2 | 0 | -20 | 900 | false",
            ["for up to 7.0 s, by clocks at most 0.9 s apart, after"],
        ),
        (VACANCY, "c | 1 | 2 | 0 | -3000 | | false", ["for up to 7.0 s, if their clocks agree, after"]),
        # The next one's clock is ahead: it was elected earlier than it says.
        (VACANCY, "c | 1 | 2 | 0 | 1900 | 2100 | false", []),
        (VACANCY, "c | 1 | 2 | 0 | | 2100 | false", []),
        (VACANCY, "c | 1 | 2 | 0 | -2100 | -1900 | false", ["by clocks at most 2.1 s apart"]),
    ],
)
def test_nobody_in_office_is_none_where_clocks_may_explain_it(
    terms: str, clocks: str, said: list[str]
) -> None:
    head = "cluster_id | node_id | other_id | hour_at | low_ms | high_ms | is_step\n"
    none = leadership_states(empty_frame(controller_step.SPEC), empty_frame(node_event.SPEC))
    rows, skew = frame(controller_term.SPEC, terms), frame(clock_skew.SPEC, head + clocks)
    ends = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(400)]})
    led, stays = with_next_state(rows, none), empty_frame(broker_session.SPEC)
    found = no_controller(led, stays, *NO_CONTROLLER_MS, ends, rows, skew, empty_frame(SPEC))
    assert [part for one in found["sentence"] for part in said if part in one] == said
    assert found.height == len(said)
