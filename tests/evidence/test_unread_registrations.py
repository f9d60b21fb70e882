"""Brokers of KRaft that were out in lines that are missing, as what stands behind them shows."""

from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from polars import col, lit

from pipeline.gold.partition_outage import with_root_decision
from pipeline.gold.partition_timeline.kraft_fencing import is_unseen_between
from pipeline.gold.partition_timeline.missing_epochs import before_missing_epochs, unsaid_registration_holes
from schemas.gold import partition_outage, partition_timeline
from schemas.silver import broker_absence, broker_event, controller_line
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


@pytest.mark.parametrize(("is_behind_doubt", "how"), [(True, None), (False, "uncontrolled")])
def test_who_is_fenced_behind_a_doubt_may_have_been_let_go_before(
    is_behind_doubt: bool,  # noqa: FBT001
    how: str | None,
) -> None:
    outage = frame(
        partition_outage.SPEC,
        "cluster_id | topic | topic_life | partition | noticed_at | certainty\nc | a | 1 | 0 | 40 | proved",
    ).with_columns(
        line_file_id=lit("f"), line_byte_offset=lit(1, pl.Int64), is_behind_doubt=lit(is_behind_doubt)
    )
    absence = frame(
        broker_absence.SPEC,
        "cluster_id | broker_id | out_at | is_fence | is_partial | file_id | byte_offset\nc | 1 | 40 | true | false | f | 1",
    )
    found = with_root_decision(outage, absence)
    assert found.select("root_broker_id", "root_left_how").rows() == [(1, how)]
