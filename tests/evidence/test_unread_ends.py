"""Ends that stand in lines that are missing: a small input for each kind that was another truth."""

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.gold.client_impact.silences import waiting_for_followers
from pipeline.gold.partition_timeline.own_stops import state_lines, undecided_stops
from pipeline.gold.reassignment.doubts import with_unseen_term_doubt
from pipeline.model.brokers.outage_bounds import unserved_in_zookeeper
from pipeline.rules.refused_registration.rule import find as refused_registration
from schemas.gold import broker_session, partition_timeline
from schemas.silver import broker_absence, controller_step, partition_state, process_run, term
from tests.chain import built
from tests.frames import at, frame
from tests.gold.term_lines import elected, line, own, resigning
from tests.rows import records_in

LISTED = "Newly added brokers: {}, deleted brokers: {}, bounced brokers: , all live brokers: {}"


@pytest.mark.parametrize(
    ("lists", "certainty"),
    [
        ([("2", "", "1,2"), ("", "1", "2")], "proved"),
        # 3 is gone without a word, and joins though it is there.
        ([("3", "", "1,3"), ("", "1", "")], "undetermined"),
        ([("3", "", "1,3"), ("3", "1", "3")], "undetermined"),
    ],
)
def test_lists_that_do_not_follow_one_another_show_that_some_are_missing(
    lists: list[tuple[str, str, str]], certainty: str
) -> None:
    """In them a broker may have left and come back."""
    alive = own(1, 0.2, "Currently active brokers in the cluster: Set(1)")
    said = "".join(own(1, 10 + place, LISTED.format(*one)) for place, one in enumerate(lists))
    logs = {(1, "controller"): elected(1, 1, 0) + alive + said}
    sessions = built(records_in(logs), "broker_session")["broker_session"]
    assert sessions.filter(broker_id=1)["certainty"].to_list() == [certainty]


@pytest.mark.parametrize(("epoch_said", "ended_how"), [("with a version", "znode_gone"), ("without", None)])
def test_who_resigns_and_is_there_still_may_have_registered_anew(
    epoch_said: str, ended_how: str | None
) -> None:
    """Up to 2.0 no epoch of brokers tells."""
    first = elected(1, 1, 1) if epoch_said == "with a version" else (
        own(1, 1, "1 successfully elected as the controller") + own(1, 1.1, "Incremented epoch to 1")
    )  # fmt: skip
    alive = own(2, 12.2, "Currently active brokers in the cluster: Set(1, 2)")
    logs = {(1, "controller"): first + resigning(1, 10), (2, "controller"): elected(2, 2, 12) + alive}
    terms = built(records_in(logs), "controller_term")["controller_term"]
    assert terms.filter(term_id="1-1")["ended_how"].to_list() == [ended_how]


@pytest.mark.parametrize(
    ("third", "told_until", "outcome"),
    [
        # Its own lines are read; other nodes alone name it; they do behind its last line.
        ("30 | 30", 39, "forgotten"),
        (" | ", 39, "lines_missing"),
        ("30 | 30", 35, "lines_missing"),
    ],
)
def test_a_move_may_be_done_in_a_term_that_is_not_read(third: str, told_until: int, outcome: str) -> None:
    terms = frame(
        term.SPEC,
        f"""
        cluster_id | term_id | life | controller_id | controller_epoch | mode      | elected_at | told_from_at | told_until_at | first_seen_at | last_seen_at
        c          | 1-2     | 1    | 1             | 2                | zookeeper | 0          | 0            | 29            | 0             | 29
        c          | 1-3     | 1    | 3             | 3                | zookeeper | {third}    | {told_until}           | 30            | 39
        c          | 1-4     | 1    | 2             | 4                | zookeeper | 40         | 40           | 60            | 40            | 60
        """,
    )
    attempts = pl.DataFrame(
        {"cluster_id": ["c"], "outcome": ["forgotten"], "last_at": [at(20)], "ended_at": [at(41)]}
    )
    assert with_unseen_term_doubt(attempts, terms)["outcome"].to_list() == [outcome]


@pytest.mark.parametrize(("begun", "elected_at", "high"), [(30, None, None), (30, 30, 19), (-60, None, 19)])
def test_what_a_controller_finds_as_it_starts_has_no_bound_where_its_election_is_not_read(
    begun: float, elected_at: float | None, high: float | None
) -> None:
    """It may have been so since before the last line of the controller before."""
    row = pl.DataFrame(
        {
            "noticed_at": [at(40)],
            "begun_at": [at(0) if begun < 0 else at(begun)],
            "elected_at": pl.Series(
                [None if elected_at is None else at(elected_at)], dtype=pl.Datetime("us", "UTC")
            ),
            "last_seen_before_at": pl.Series([None], dtype=pl.Datetime("us", "UTC")),
            "root_left_how": pl.Series([None], dtype=pl.String),
            "root_event": ["unknown"],
            "old_leader": [1],
            "is_absent": [False],
            "session_seconds": [18.0],
        }
    )
    if begun < 0:
        row = row.with_columns(noticed_at=pl.lit(at(0)) + pl.duration(minutes=5))
    since = row.select(one=(pl.col("noticed_at") - unserved_in_zookeeper()).dt.total_seconds())["one"].item()
    assert (since is None) == (high is None)


RUNS = """
    cluster_id | node_id | run_seq | started_at | last_line_at | next_started_at | end_reason | end_at
    c          | 1       | 1       | 0          | 20           | 30              | killed     | 30
"""


@pytest.mark.parametrize(
    ("decided", "count"),
    [
        ("", 1),
        ("c | 1 | 28 | 31 | true | false", 0),
        ("c | 1 | 55 | 58 | true | false", 1),
        # Of this one, and of the process before.
        ("c | 1 | 28 | | true | false", 0),
        ("c | 1 | -9 | | true | false", 1),
    ],
)
def test_of_a_process_that_was_killed_a_controller_says_that_it_is_out(decided: str, count: int) -> None:
    """Where it does not, its lines are missing: the broker serves nothing from its last line on."""
    absences = frame(
        broker_absence.SPEC,
        f"cluster_id | broker_id | out_at | back_at | is_fence | is_partial\n{decided}",
    )
    lines = empty_frame(partition_state.SPEC).with_columns(at="logged_at")
    stops = undecided_stops(frame(process_run.SPEC, RUNS), state_lines(lines), absences)
    assert stops["silent_from_at"].to_list() == [at(20)] * count


@pytest.mark.parametrize(("is_stale", "from_at"), [("true", 12), ("false", 20)])
def test_an_isr_may_have_been_so_since_a_change_that_no_line_tells(is_stale: str, from_at: float) -> None:
    states = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | leader | isr   | is_isr_stale | certainty
        c          | a     | 1          | 0         | 1            | 0             | 20             | 1      | [1]   | {is_stale}   | proved
        c          | a     | 1          | 0         | 2            | 20            | 40             | 1      | [1 2] | false        | proved
        """,
    ).with_columns(
        doubt_at=pl.lit(None, pl.Datetime("us", "UTC")),
        file_id=pl.lit("f"),
        byte_offset=pl.lit(0, pl.Int64),
    )
    silence = {"dead_from_at": at(12), "dead_latest_at": at(13), "left_at": at(30), "back_at": None}
    gone = pl.DataFrame(
        {"cluster_id": ["c"], **{name: [value] for name, value in silence.items()}, "is_frozen": [False]}
    ).with_columns(
        pl.col("back_at").cast(pl.Datetime("us", "UTC")),
        broker_id=pl.lit(2, pl.Int32),
        hangs_until_at=pl.lit(None, pl.Datetime("us", "UTC")),
        file_id=pl.lit("f"),
        byte_offset=pl.lit(0, pl.Int64),
    )
    assert waiting_for_followers(states, gone)["from_at"].to_list() == [at(from_at)]


@pytest.mark.parametrize(("certainty", "entity"), [("proved", "broker 2"), ("undetermined", "brokers")])
def test_whom_a_controller_refused_is_not_known_where_another_one_may_be_it(
    certainty: str, entity: str
) -> None:
    refusals = frame(
        controller_step.SPEC,
        """
        cluster_id | node_id | logged_at | step         | exception_class
        c          | 103     | 20        | event_failed | DuplicateBrokerRegistrationException
        """,
    )
    sessions = frame(
        broker_session.SPEC,
        f"""
        cluster_id | broker_id | joined_at | left_at | certainty
        c          | 2         | 0         | 25      | proved
        c          | 1         | 0         |         | {certainty}
        """,
    )
    assert refused_registration(refusals, sessions)["entity"].to_list() == [entity]
    assert refused_registration(empty_frame(controller_step.SPEC), sessions).is_empty()


START_LIST = "[PartitionStateMachine controllerId=1] Started partition state machine with initial state -> Map(a-0 -> OfflinePartition)"


@pytest.mark.parametrize(
    ("later", "until"),
    [
        (own(1, 20, "Starting the controller scheduler"), None),
        (own(1, 20, LISTED.format("2", "", "1,2")), 20),
    ],
)
def test_who_is_offline_stays_so_until_somebody_can_lead(later: str, until: float | None) -> None:
    """Up to 2.5 no line of INFO tells an election."""
    listed = line(5, START_LIST, "kafka.controller.ZkPartitionStateMachine")
    at_error = line(
        5.1,
        "[Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state for partition a-0 from OfflinePartition "
        "to OnlinePartition",
        "state.change.logger",
        level="ERROR",
    )
    logs = {(1, "controller"): elected(1, 1, 0) + listed + later, (1, "state-change"): at_error}
    rows = built(records_in(logs), "partition_outage")["partition_outage"]
    certain = rows.filter(pl.col("certainty") != "undetermined")
    assert certain["ended_at"].to_list() == [None if until is None else at(until)]
