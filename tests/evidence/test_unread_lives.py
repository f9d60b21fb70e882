"""Which life, and which process, a line is of where lines are missing."""

from datetime import timedelta

import polars as pl
import pytest
from polars import col, lit

from pipeline.gold.controller_term.deposed import is_before_unread_election
from pipeline.gold.request_trace.pairing import fitting_channels
from pipeline.model.brokers.end_reasons import with_end_reason
from pipeline.silver.term.unelected_terms import with_next_life
from schemas.gold import controller_term
from schemas.silver import node_event, process_run, term, wording_seen
from tests.frames import at, frame


@pytest.mark.parametrize(("second", "life"), [(20, 1), (950, None), (1010, None)])
def test_an_epoch_named_long_before_its_election_in_a_later_life_is_of_the_life_then(
    second: int, life: int | None
) -> None:
    """A clock of another node may be a little ahead of the election."""
    named = frame(
        wording_seen.SPEC,
        f"cluster_id | controller_id | controller_epoch | node_id | first_at | last_at\nc | 1 | 3 | 2 | {second} | {second}",
    )
    elected = frame(
        term.SPEC,
        """
        cluster_id | controller_id | controller_epoch | mode      | life | elected_at
        c          | 3             | 2                | zookeeper | 1    | 10
        c          | 2             | 1                | zookeeper | 2    | 990
        c          | 1             | 3                | zookeeper | 2    | 1000
        """,
    )
    assert with_next_life(named, elected)["next_life"].to_list() == [life]


@pytest.mark.parametrize(
    ("back_at", "next_at", "reason"), [(60, 90, "unknown"), (60, 58, "killed"), (120, 90, "killed")]
)
def test_who_is_there_again_before_its_next_process_had_another_one_meanwhile(
    back_at: int, next_at: int, reason: str
) -> None:
    """That the process of a stay was killed is told by the start of the next one alone."""
    stays = pl.DataFrame(
        {"begin_at": [at(10), at(back_at)], "end_at": [at(50), None]},
        schema_overrides={"end_at": pl.Datetime("us", "UTC")},
    ).with_columns(
        cluster_id=lit("c"), node_id=lit(2), mode=lit("kraft"), came_at="begin_at",
        silent_from_at=lit(at(50)), gone_from_at=lit(at(50)), is_fenced=lit(value=False), is_bounced=lit(value=False),
    )  # fmt: skip
    runs = frame(
        process_run.SPEC,
        f"""
        cluster_id | node_id | started_at | first_line_at | in_service_at | last_line_at | next_started_at | end_reason | end_at
        c          | 2       | 5          | 5             | 8             | 40           | {next_at}       | killed     | {next_at}.5
        """,
    )
    found = with_end_reason(stays.cast({"node_id": pl.Int32}), runs, frame(node_event.SPEC, "cluster_id"))
    assert found.filter(col("begin_at") == at(10))["end_reason"].to_list() == [reason]


@pytest.mark.parametrize(("day", "count"), [(0, 1), (1, 1), (12, 0)])
def test_requests_of_another_life_are_none_of_a_channel(day: int, count: int) -> None:
    """Its ids and epochs may be the same ones; zones and clocks are no days apart."""
    sent = pl.DataFrame(
        {"cluster_id": "c", "term_id": "1-3", "broker_id": 2, "channel_seq": 0, "controller_id": 1}
        | {
            "controller_epoch": 3,
            "correlation_id": [1, 2],
            "request": "UPDATE_METADATA",
            "partition_count": 4,
        }
        | {"is_connected": True, "logged_at": at(10)}
    )
    heard = sent.select(
        "cluster_id", "broker_id", "controller_id", "correlation_id", "request", "controller_epoch",
        receipt_channel=lit(1), printed_count="partition_count", received_at=col("logged_at") + timedelta(days=day),
    )  # fmt: skip
    assert fitting_channels(sent, heard).height == count


@pytest.mark.parametrize(
    ("ended", "own", "expected"),
    [("", "", [True, False]), ("30", "", [False, False]), ("", "50", [False, False])],
)
def test_what_a_controller_did_last_may_be_of_its_next_term_whose_election_is_not_read(
    ended: str, own: str, expected: list[bool]
) -> None:
    terms = frame(
        controller_term.SPEC,
        f"""
        cluster_id | mode      | life | controller_id | controller_epoch | elected_at | ended_at
        c          | zookeeper | 1    | 3             | 2                | 10         | {ended}
        c          | zookeeper | 1    | 1             | 3                | 20         |
        c          | zookeeper | 1    | 3             | 5                | {own}      |
        """,
    )
    found = terms.with_columns(may_be_of_next=is_before_unread_election())
    assert found.filter(controller_id=3)["may_be_of_next"].to_list() == expected


@pytest.mark.parametrize(("said_at", "reason"), [(-900, "unknown"), (980, "sigterm"), (1040, "sigterm")])
def test_a_signal_from_long_before_a_broker_is_listed_is_none_of_its_session(
    said_at: int, reason: str
) -> None:
    """The line of the start between both is missing: all lines seem to be of one process."""
    stays = pl.DataFrame({"begin_at": [at(1000)], "end_at": [at(1045)]}).with_columns(
        cluster_id=lit("c"), node_id=lit(2, pl.Int32), mode=lit("zookeeper"), came_at=lit(None, pl.Datetime("us", "UTC")),
        silent_from_at=lit(at(1000)), gone_from_at=lit(at(1045)), is_fenced=lit(value=False), is_bounced=lit(value=False),
    )  # fmt: skip
    runs = frame(
        process_run.SPEC,
        f"""
        cluster_id | node_id | started_at | first_line_at | in_service_at | last_line_at | next_started_at | end_reason | end_at
        c          | 2       | -990       | -990          | -980          | 1042         | 1060            | sigterm    | {said_at}
        """,
    )
    found = with_end_reason(stays, runs, frame(node_event.SPEC, "cluster_id"))
    assert found["end_reason"].to_list() == [reason]
