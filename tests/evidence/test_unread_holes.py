"""Lines that are missing within what is read: a small input for each kind that was another truth."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.gold.controller_term.quorums import with_leaderless_epochs
from pipeline.gold.leader_election.judging import election_certainty
from pipeline.gold.partition_outage.certainty import with_its_end
from pipeline.gold.partition_outage.unserved import with_following
from pipeline.gold.partition_timeline.missing_epochs import before_missing_epochs
from pipeline.model.partitions.partition_states import states_by_epoch
from pipeline.model.partitions.replayed_removals import replayed_removals
from pipeline.model.terms.missing_terms import with_doubts_by_deposed
from pipeline.model.terms.term_steps import with_succession
from schemas.gold import partition_outage, partition_timeline
from schemas.silver import controller_step, partition_state, term
from tests.chain import built
from tests.frames import at, frame
from tests.gold.term_lines import elected, line, stop
from tests.rows import records_in


@pytest.mark.parametrize(
    ("told", "are_read", "doubt"),
    [
        # Only others name it: its own lines are missing, in a log that is there.
        (" | ", "true", 4),
        ("11 | 16", "true", None),
        ("11 | 16", "false", 4),
    ],
)
def test_a_deposed_controller_without_lines_may_write_until_others_name_it_last(
    told: str, are_read: str, doubt: int | None
) -> None:
    terms = frame(
        term.SPEC,
        f"""
        cluster_id | term_id | life | controller_id | controller_epoch | mode      | elected_at | told_from_at | told_until_at | first_seen_at | last_seen_at | are_moves_read
        c          | 1-4     | 1    | 2             | 4                | zookeeper | 11         | {told} | 11            | 26           | {are_read}
        c          | 1-5     | 1    | 3             | 5                | zookeeper | 22         | 22           | 90            | 22            | 90           | true
        """,
    )
    stated = frame(
        partition_timeline.SPEC,
        """
        cluster_id | topic | partition | valid_from_at | leader | leader_epoch | controller_epoch | term_id
        c          | a     | 0         | 22.1          | 3      | 2            | 5                | 1-5
        c          | a     | 0         | 27            | 1      | 4            | 5                | 1-5
        """,
    ).with_columns(at="valid_from_at", leader_doubt_epoch=lit(None))
    found = with_doubts_by_deposed(
        stated.cast({"leader_doubt_epoch": stated.schema["controller_epoch"]}), terms
    )
    assert found.sort(col("at"))["leader_doubt_epoch"].to_list() == [doubt, None]


@pytest.mark.parametrize(
    ("epoch", "event", "expected"),
    [
        (9, "broker_follower_started", []),
        (10, "broker_follower_started", []),
        (11, "broker_follower_started", [20]),
        (9, "broker_become_follower_noop", [20]),
    ],
)
def test_a_leader_is_in_doubt_where_changes_are_left_out_before_the_next(
    epoch: int, event: str, expected: list[int]
) -> None:
    """No hole of the logs is known; brokers apply two changes at once, and print none twice."""
    states = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic_id | partition | valid_from_at | leader | leader_epoch | partition_epoch
        c          | a        | 0         | 20            | 2      | 0            | 8
        c          | a        | 0         | 60            | 3      | 1            | {epoch}
        """,
    ).with_columns(
        at="valid_from_at", known_at="valid_from_at", state_no=col("leader_epoch"), event=lit(event)
    )
    no_holes = states.clear().select("cluster_id", hole_from_at="at", hole_until_at="at")
    found = before_missing_epochs(states, no_holes)
    assert found["first_at"].to_list() == [at(one + 0.001) for one in expected]


@pytest.mark.parametrize(("epoch", "expected"), [(0, 2), (5, None)])
def test_a_change_that_names_no_leader_leaves_it_as_before_in_the_same_leader_epoch_alone(
    epoch: int, expected: int | None
) -> None:
    printed = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic | topic_id | partition | valid_from_at | leader | isr   | leader_epoch | partition_epoch
        c          | a     | a        | 0         | 1             | 2      | 1 2 3 | 0            | 0
        c          | a     | a        | 0         | 40            |        | 1 3   | {epoch}      | 8
        """,
    ).with_columns(
        lit(None, pl.List(pl.Int32)).alias("adding_replicas"),
        lit(None, pl.List(pl.Int32)).alias("removing_replicas"),
        at="valid_from_at",
        is_change=col("leader").is_null(),
        first_seq=lit(None, pl.Int64),
        known_certainty=lit(None, pl.String),
        event=lit("changed"),
        file_id=lit("f"),
        byte_offset=col("partition_epoch"),
    )
    assert states_by_epoch(printed)["leader"].to_list() == [2, expected]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Its record comes again just before: that node starts, and prints all there was.
        (["created | 1 | 101", "created | 60 | 101", "removed | 60.1 | 101"], ["a"]),
        (["created | 1 | 101", "removed | 50 | 102", "created | 60 | 101", "removed | 60.1 | 101"], []),
        (["created | 1 | 101", "created | 1.2 | 102", "removed | 5 | 102"], []),
        (["created | 1 | 101", "created | 60 | 101", "removed | 90 | 101"], []),
    ],
)
def test_when_a_topic_was_removed_is_not_known_where_a_start_alone_replays_it(
    lines: list[str], expected: list[str]
) -> None:
    printed = frame(
        partition_state.SPEC,
        "\n".join(["step | logged_at | node_id", *lines]),
    ).with_columns(
        cluster_id=lit("c"),
        topic_id=lit("a"),
        at="logged_at",
        is_decided=lit(value=False),
        file_id=lit("f"),
        byte_offset=lit(1),
    )
    removed, born = (printed.filter(step=step) for step in ("removed", "created"))
    assert replayed_removals(removed, born)["topic_id"].to_list() == expected


@pytest.mark.parametrize(("certainty", "expected"), [("undetermined", True), ("proved", False)])
def test_an_outage_behind_a_doubt_may_have_begun_in_it(certainty: str, expected: bool) -> None:  # noqa: FBT001
    led = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | leader | state           | is_served | certainty
        c          | a     | 1          | 0         | 1            | 0        | 10            | 30             | 3      | OnlinePartition |           | {certainty}
        c          | a     | 1          | 0         | 2            | 0        | 30            | 31             | -1     | OnlinePartition | false     | proved
        """,
    )
    assert with_following(led)["is_behind_doubt"].to_list() == [False, expected]


@pytest.mark.parametrize(("second", "ended_how"), [(20, None), (40, "shutdown")])
def test_who_stops_behind_the_first_sign_of_the_next_was_out_of_office_before(
    second: int, ended_how: str | None
) -> None:
    sign = line(
        second,
        "[Controller id=2 epoch=2] Changed partition a-0 from OnlinePartition to OnlinePartition with leader 2",
        "state.change.logger",
        "TRACE",
    )
    logs = {(1, "controller"): elected(1, 1, 1) + stop(1, 30, "1,2"), (2, "state-change"): sign}
    terms = built(records_in(logs), "controller_term")["controller_term"]
    first = terms.filter(term_id="1-1").row(0, named=True)
    assert (first["ended_how"], first["ended_at"] is None) == (ended_how, ended_how is None)


@pytest.mark.parametrize(
    ("how", "until", "expected"),
    [("deleted", 10.5, "undetermined"), ("deleted", 30, "inferred"), ("elected", 10.5, "inferred")],
)
def test_what_a_deletion_ends_at_once_may_be_its_first_step(how: str, until: float, expected: str) -> None:
    outage = frame(
        partition_outage.SPEC,
        f"cluster_id | noticed_at | ended_at | ended_how | certainty\nc | 10 | {until} | {how} | inferred",
    )
    assert outage.select(certainty=with_its_end())["certainty"].to_list() == [expected]


@pytest.mark.parametrize(("leader", "is_succeeded"), [("", True), ("101", False)])
def test_an_epoch_that_anybody_says_was_led_is_a_term_that_is_missing(
    leader: str,
    is_succeeded: bool,  # noqa: FBT001
) -> None:
    """Another one says before the election that nobody leads it."""
    terms = frame(
        term.SPEC,
        """
        cluster_id | term_id | life | mode  | controller_id | controller_epoch | elected_at | first_seen_at | last_seen_at
        c          | 1-1     | 1    | kraft | 103           | 1                | 1          | 1             | 10
        c          | 1-3     | 1    | kraft | 103           | 3                | 100        | 100           | 190
        """,
    )
    heard = frame(
        controller_step.SPEC,
        f"""
        cluster_id | node_id | logged_at | event                      | controller_epoch | active_controller_id
        c          | 101     | 11        | controller_observed_leader | 2                |
        c          | 103     | 12        | controller_observed_leader | 2                | {leader}
        """,
    )
    found = with_leaderless_epochs(with_succession(terms), heard)
    assert found.filter(term_id="1-1")["is_succeeded"].to_list() == [is_succeeded]


@pytest.mark.parametrize(
    ("how", "doubt", "expected"),
    [
        ("implied", "lines_missing", "undetermined"),
        ("implied", None, "inferred"),
        ("move", "lines_missing", "proved"),
    ],
)
def test_what_a_request_alone_implies_may_have_been_before_missing_lines(
    how: str, doubt: str | None, expected: str
) -> None:
    attempt = pl.DataFrame({"how": [how], "doubt": pl.Series([doubt], dtype=pl.String)})
    assert attempt.select(certainty=election_certainty())["certainty"].to_list() == [expected]


def test_a_signal_from_before_the_term_before_is_no_reason_of_the_next() -> None:
    """Of the election of the third term no line is read."""
    signal = (
        "[2026-11-21 00:00:00,100] INFO starting (kafka.server.KafkaServer)\n"
        "[2026-11-21 00:00:05,000] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)\n"
        "[2026-11-21 00:00:49,000] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n"
        "[2026-11-21 00:00:55,000] INFO starting (kafka.server.KafkaServer)\n"
    )
    named = line(
        30,
        "[Broker id=2] Received LeaderAndIsr request from controller 3 epoch 3",
        "state.change.logger",
        "TRACE",
    )
    act = line(
        31,
        "[Controller id=3 epoch=3] Changed partition a-0 from OnlinePartition to OnlinePartition with leader 2",
        "state.change.logger",
        "TRACE",
    )
    logs = {
        (1, "controller"): elected(1, 1, 1) + elected(1, 4, 50),
        (2, "controller"): elected(2, 2, 20),
        (3, "state-change"): named + act,
        (3, "server"): signal,
    }
    terms = built(records_in(logs), "controller_term")["controller_term"]
    assert terms.filter(term_id="1-3")["end_reason"].to_list() == ["unknown"]
