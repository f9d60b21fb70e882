"""Brokers of KRaft that were out in lines that are missing, as what stands behind them shows."""

from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from polars import col, lit

from pipeline.gold.controller_term.quorums import without_ended_processes
from pipeline.gold.partition_outage.certainty import is_begin_unknown
from pipeline.gold.partition_outage.decisions import with_root_decision
from pipeline.gold.partition_timeline.kraft_fencing import is_unseen_between
from pipeline.gold.partition_timeline.missing_epochs import before_missing_epochs, unsaid_registration_holes
from schemas.gold import broker_session, controller_term, partition_outage, partition_timeline
from schemas.silver import broker_absence, broker_event, controller_line, process_run
from tests.frames import at, frame


@pytest.mark.parametrize(
    ("leader", "epoch", "empty_at", "expected"),
    [
        (-1, 4, 20, False),
        # Another one led in between.
        (-1, 5, 20, True),
        # The last one in sync went later.
        (-1, 5, 30, False),
        (2, 5, 20, False),
        (2, 6, 20, True),
    ],
)
def test_nobody_leads_since_a_fence_if_the_leader_epoch_says_so(
    leader: int,
    epoch: int,
    empty_at: int,
    expected: bool,  # noqa: FBT001
) -> None:
    fenced = pl.DataFrame(
        {"next_leader": leader, "next_leader_epoch": epoch, "last_leader_epoch": 3, "next_partition_epoch": 7}
        | {"last_partition_epoch": 6, "fenced_at": at(20), "empty_at": at(empty_at), "hole_from_at": None}
    ).cast({"hole_from_at": pl.Datetime("us", "UTC")})
    assert fenced.select(found=is_unseen_between())["found"].to_list() == [expected]


@pytest.mark.parametrize(
    ("step", "expected"),
    [("registered_again", []), ("fenced", [(at(30), at(80))])],
)
def test_an_epoch_of_a_broker_that_no_line_registers_shows_a_hole(step: str, expected: list[Any]) -> None:
    named = frame(
        broker_event.SPEC,
        f"""
        cluster_id | broker_id | broker_epoch | step             | logged_at | file_id | byte_offset
        c          | 2         | 313          | registered       | 10        | f       | 1
        c          | 2         | 170          | registered_again | 20        | g       | 1
        c          | 2         | 703          | {step}           | 90        | f       | 9
        """,
    )
    told = frame(controller_line.SPEC, "cluster_id | logged_at\nc | 5\nc | 30\nc | 80\nc | 200")
    found = unsaid_registration_holes(named, told.select("cluster_id", at="logged_at"))
    assert found.select("hole_from_at", "hole_until_at").rows() == expected


@pytest.mark.parametrize(("day", "expected"), [(0, [20.001]), (1, [])])
def test_a_leader_that_is_no_replica_tells_nothing_of_days_before(day: int, expected: list[float]) -> None:
    states = frame(
        partition_timeline.SPEC,
        """
        cluster_id | topic_id | partition | valid_from_at | leader | leader_epoch | partition_epoch | replicas
        c          | a        | 0         | 20            | 1      | 2            | 2               | 1
        c          | a        | 0         | 60            | 1      | 3            | 4               | 1
        c          | a        | 0         | 70            | 3      | 4            | 5               | 1
        """,
    ).with_columns(state_no=col("leader_epoch"), event=lit("broker_leader_started"))
    moved = states.with_columns(
        at=pl.when(col("leader") == 3)
        .then(col("valid_from_at") + timedelta(days=day))
        .otherwise("valid_from_at")
    ).with_columns(known_at="at")
    no_holes = moved.clear().select("cluster_id", hole_from_at="at", hole_until_at="at")
    found = before_missing_epochs(moved, no_holes)
    assert found["first_at"].to_list() == [at(one) for one in expected]


@pytest.mark.parametrize(
    ("certainty", "event", "how"),
    [
        ("undetermined", "broker_session_timeout", None),
        ("proved", "broker_session_timeout", "uncontrolled"),
        ("undetermined", "broker_shutdown_granted", "controlled"),
        ("proved", "broker_shutdown_granted", "controlled"),
    ],
)
@pytest.mark.parametrize("is_begun", [True, False])
def test_who_is_fenced_and_whose_session_is_in_doubt_may_have_been_let_go_before(
    certainty: str,
    event: str,
    how: str | None,
    is_begun: bool,  # noqa: FBT001
) -> None:
    """Of who may exit nobody knows since when, if no line says that it may begin to."""
    outage = frame(
        partition_outage.SPEC,
        "cluster_id | topic | topic_life | partition | noticed_at | certainty | root_event\nc | a | 1 | 0 | 40 | proved | x",
    ).with_columns(
        line_file_id=lit("f"), line_byte_offset=lit(1, pl.Int64), is_behind_doubt=lit(value=False),
        is_first_known=lit(value=False), is_since_doubt=lit(value=False),
    )  # fmt: skip
    begun = "c | 1 | 35 | 60 | false | false | f | 0 | broker_controlled_shutdown_granted" if is_begun else ""
    absence = frame(
        broker_absence.SPEC,
        f"""
        cluster_id | broker_id | out_at | back_at | is_fence | is_partial | file_id | byte_offset | event
        c          | 1         | 40     | 60      | true     | false      | f       | 1           | {event}
        {begun}
        """,
    )
    sessions = frame(
        broker_session.SPEC, f"cluster_id | broker_id | left_at | certainty\nc | 1 | 40 | {certainty}"
    )
    found = with_root_decision(outage, absence, sessions)
    is_unknown = how == "controlled" and not is_begun
    assert found.select("root_broker_id", "root_left_how", is_unknown=is_begin_unknown()).rows() == [
        (1, how, is_unknown)
    ]


@pytest.mark.parametrize(
    ("end_at", "next_at", "how"),
    [("60", "", None), ("5", "", "open"), ("", "", "open"), ("60", "70", "open")],
)
def test_a_controller_whose_process_says_that_it_ends_is_in_office_no_more(
    end_at: str, next_at: str, how: str | None
) -> None:
    """Who starts again is told by that start."""
    terms = frame(
        controller_term.SPEC,
        "cluster_id | controller_id | mode | elected_at | ended_how\nc | 103 | kraft | 10 | open",
    ).with_columns(began_at="elected_at")
    runs = frame(
        process_run.SPEC,
        f"cluster_id | node_id | last_line_at | end_at | next_started_at\nc | 103 | 61 | {end_at} | {next_at}",
    )
    assert without_ended_processes(terms, runs)["ended_how"].to_list() == [how]
