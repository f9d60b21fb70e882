"""What a part of the logs must not say, kind by kind: a small input for each that was once another truth."""

from typing import Any

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.stretches import TIME
from pipeline.gold.leader_imbalance.counting import imbalance_shares
from pipeline.gold.partition_timeline.missing_epochs import before_missing_epochs, with_hole_before_next
from pipeline.gold.partition_timeline.silences import unread_returns
from pipeline.gold.partition_timeline.watched import next_witnesses
from pipeline.model.brokers.registration_epochs import with_later_registrations, with_next_registration
from pipeline.model.partitions.service import broker_absences
from pipeline.model.terms.kraft_terms import decisions_in_effect, kraft_terms
from schemas.gold import broker_session, partition_timeline
from schemas.silver import broker_absence, broker_event, term, wording_seen
from tests.chain import built
from tests.frames import at, frame
from tests.rows import records_in

STATES = """
    cluster_id | topic_id | partition | valid_from_at | leader | leader_epoch | isr   | replicas | removing_replicas
    c          | t        | 0         | 10            | 1      | 4            | [1 2] | [1 2 3]  | [1]
    c          | t        | 0         | 900000        | 2      | 9            | [2]   | [2 3]    |
"""
HOLE = {"cluster_id": "c", "hole_from_at": at(60), "hole_until_at": at(800_000)}
KRAFT_SESSION = """
    cluster_id | broker_id | mode  | broker_epoch | joined_at | left_at | left_how
    c          | 1         | kraft | 7            | 10        | 100     | uncontrolled
    c          | 1         | kraft |              | 130       |         |
"""
UNCLEAN = "[2026-11-21 00:00:{:02},000] INFO [QuorumController id=2] UNCLEAN partition change for a-{} with topic ID K49NK58EQyy9-d2Q3eoGjA: isr: [] -> [{}], leader: -1 -> {}, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 3 -> 4, {}lastKnownElr: [1] -> [], partitionEpoch: 8 -> 9 (org.apache.kafka.controller.ReplicationControlManager)\n"
LOG_OF = {1: "controller", 2: "server", 3: "controller", 4: "controller"}
MOVED = "[2026-11-21 00:00:{},000] TRACE [Controller id=2 epoch=4] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)\n"
HEARD = "[2026-11-21 00:00:05,000] TRACE [Broker id={}] Cached leader info PartitionState(leader=1, leaderEpoch=3, isr=[1], zkVersion=2, replicas=[1], offlineReplicas=[]) for partition a-0 in response to UpdateMetadata request sent by controller {} epoch {} with correlation id 7 (state.change.logger)\n"
DELETED = "[2026-11-21 00:00:12,000] INFO [Controller id=2] Starting topic deletion for topics a (kafka.controller.KafkaController)\n"


def states() -> pl.DataFrame:
    return frame(partition_timeline.SPEC, STATES).with_columns(
        at="valid_from_at",
        known_at="valid_from_at",
        state_no=pl.int_range(pl.len()),
        event=lit("broker_leader_started"),
    )


@pytest.mark.parametrize("certainty", ["proved", "inferred"])
def test_nobody_handles_a_bounce_that_no_list_says(certainty: str) -> None:
    """The broker came back in a time of which lines are missing: nothing was without a leader as it was noticed."""
    sessions = frame(
        broker_session.SPEC,
        f"""
        cluster_id | broker_id | joined_at | joined_how | left_at | left_how | certainty
        c          | 1         | 10        | joined     | 100     | bounced  | {certainty}
        c          | 1         | 100       | bounced    |         |          | proved
        """,
    )
    found = broker_absences(sessions.select("cluster_id", "broker_id").unique(), sessions)
    assert found.height == (certainty == "proved")


@pytest.mark.parametrize(("holes", "expected"), [([], 10.001), ([HOLE], 60.001)])
def test_leader_epochs_that_are_missing_are_in_the_hole_of_the_logs(
    holes: list[dict[str, object]], expected: float
) -> None:
    schema: dict[str, Any] = {"cluster_id": pl.String, "hole_from_at": TIME, "hole_until_at": TIME}
    found = before_missing_epochs(states(), pl.DataFrame(holes, schema))
    assert found["first_at"].to_list() == [at(expected)]


def test_who_states_its_epoch_again_goes_on_until_then() -> None:
    again = states()[0].with_columns(
        known_at=lit(at(50), TIME), at=lit(at(50), TIME), state_no=lit(2, pl.Int64)
    )
    schema: dict[str, Any] = {"cluster_id": pl.String, "hole_from_at": TIME, "hole_until_at": TIME}
    each = pl.concat([states(), again]).sort("at")
    found = before_missing_epochs(each, pl.DataFrame([HOLE | {"hole_from_at": at(20)}], schema))
    assert found["first_at"].to_list() == [at(50.001), at(50.001)]


def test_a_hole_is_looked_for_behind_the_last_state_of_a_leader() -> None:
    """The first one is before the leader stated its epoch again, and hides nothing."""
    holes = [
        HOLE | {"hole_from_at": at(first), "hole_until_at": at(last)} for first, last in ((20, 30), (60, 90))
    ]
    led = pl.DataFrame({"cluster_id": "c", "from_at": at(10), "last_at": at(50), "next_at": at(100)})
    assert with_hole_before_next(led, pl.DataFrame(holes))["hole_from_at"].to_list() == [at(60)]


def test_who_is_removed_does_not_tell_what_comes_next() -> None:
    seen = pl.DataFrame({"cluster_id": "c", "broker_id": [1, 2], "watched_from_at": at(0)})
    members = next_witnesses(states(), seen.with_columns(col("broker_id").cast(pl.Int32)))
    assert sorted(members.filter(state_no=0)["broker_id"].to_list()) == [2, 3]


@pytest.mark.parametrize(
    ("step", "second", "epoch", "is_torn"),
    [
        ("fenced", 100.1, 9, True),
        ("fenced", 100.1, 7, False),
        # It registered anew before the next controller had replayed all of it.
        ("registered_again", 100.2, 9, False),
        ("registered_again", 50, 9, True),
        # A process that starts replays what was.
        ("registered_again", 50, 5, False),
    ],
)
def test_a_session_in_which_a_later_registration_is_named_is_several(
    step: str,
    second: float,
    epoch: int,
    is_torn: bool,  # noqa: FBT001
) -> None:
    sessions = frame(broker_session.SPEC, KRAFT_SESSION).with_columns(is_torn=lit(value=False))
    said = frame(
        broker_event.SPEC,
        f"cluster_id | broker_id | said_by | step | broker_epoch | logged_at\nc | 1 | replay | {step} | {epoch} | {second}",
    )
    assert with_later_registrations(sessions, said)["is_torn"].to_list() == [is_torn, False]


@pytest.mark.parametrize(("second", "expected"), [(120, True), (90, False), (140, False)])
def test_who_registers_before_it_is_back_is_another_process(second: int, expected: bool) -> None:  # noqa: FBT001
    said = frame(
        broker_event.SPEC,
        f"cluster_id | broker_id | said_by | step | logged_at\nc | 1 | replay | registered_again | {second}",
    )
    found = with_next_registration(frame(broker_session.SPEC, KRAFT_SESSION), said).sort("joined_at")
    assert found["is_registered_anew"].to_list()[0] is expected


@pytest.mark.parametrize(("epoch", "expected"), [(7, False), (9, True)])
def test_a_controller_that_starts_prints_the_registration_of_the_session_itself_again(
    epoch: int,
    expected: bool,  # noqa: FBT001
) -> None:
    said = frame(
        broker_event.SPEC,
        f"cluster_id | broker_id | said_by | step | broker_epoch | logged_at\nc | 1 | replay | registered | {epoch} | 120",
    )
    found = with_next_registration(frame(broker_session.SPEC, KRAFT_SESSION), said)
    assert found.filter(pl.col("left_at").is_not_null())["is_registered_anew"].to_list() == [expected]


@pytest.mark.parametrize(
    ("leader", "elr", "count"),
    [("1", "", 0), ("3", "elr: [1] -> [], ", 1)],
)
def test_the_return_of_the_last_known_leader_loses_nothing(leader: str, elr: str, count: int) -> None:
    """By the log of a controller that is not in office alone, which tells of the election in a diff."""
    line = UNCLEAN.format(10, 0, leader, leader, elr)
    findings = built(records_in({(2, "controller"): line}), "finding")["finding"]
    assert findings.filter(rule="unclean_election").height == count


def test_a_ratio_is_unsure_for_who_has_a_partition_of_unknown_assignment() -> None:
    counted = pl.DataFrame(
        {
            "replicas": [[2, 1], None, [3]],
            "holders": [[1], [1], [2]],
            "is_counted": [True, None, True],
            "is_elsewhere": [True, False, True],
            "is_stale": [False, False, True],
            "is_unsure": [False, False, True],
        },
        schema_overrides={"replicas": pl.List(pl.Int32), "holders": pl.List(pl.Int32)},
    )
    unsure = imbalance_shares(counted).group_by("broker_id").agg(col("unsure").sum()).sort("broker_id")
    assert unsure.rows() == [(1, 1), (2, 1), (3, 1)]


def test_controller_log_is_of_the_term_that_another_node_names_first() -> None:
    before = HEARD.format(2, 1, 3).replace("00:05", "00:01")
    own = before + MOVED.format(10) + MOVED.format(20)
    logs = {(1, "state-change"): HEARD.format(1, 2, 4), (2, "state-change"): own, (2, "controller"): DELETED}
    found = built(records_in(logs), "controller_line")["controller_line"]
    rows = found.filter(event="topic_deletion_requested").select("term_id", "logged_at").rows()
    assert rows == [("1-4", at(12))]


@pytest.mark.parametrize("back_at", ["", "200"])
@pytest.mark.parametrize(
    ("next_term", "lines", "expected"),
    [
        ("c | 1-2 | 1 | 2 | 1 | kraft |  | 100", {}, [at(12)]),
        ("c | 1-2 | 1 | 2 | 1 | kraft | 100 | 100", {}, []),
        # Nobody is up until the next one.
        ("c | 1-2 | 1 | 2 | 1 | kraft |  | 100", {3: 20}, [at(20)]),
        # Its own lines are the last ones.
        ("", {3: 20}, []),
        ("", {2: 60}, [at(12)]),
        # A controller that goes on has not heard of another one.
        ("", {1: 40, 2: 60}, [at(40)]),
        ("", {1: 70, 2: 60}, []),
        # One that starts later may hear of nobody.
        ("", {4: 40, 2: 60}, [at(12)]),
    ],
)
def test_nobody_prints_a_return_where_the_next_controller_is_not_read(
    next_term: str, lines: dict[int, int], expected: list[object], back_at: str
) -> None:
    told = f"""
        cluster_id | term_id | life | controller_epoch | controller_id | mode  | elected_at   | first_seen_at
        c          | 1-1     | 1    | 1                | 3             | kraft | 5            | 5
        {next_term}
    """
    leaderless = states().filter(col("state_no") == 0).with_columns(leader=lit(-1, pl.Int32))
    stopped = frame(
        broker_absence.SPEC,
        f"""
        cluster_id | broker_id | out_at | silent_from_at | back_at
        c          | 3         | 50     | 12             | {back_at}
        c          | 4         | 30     | 8              | 30
        """,
    )
    written = "\n".join(
        f"c | {node} | {LOG_OF[node]} | {second} | {second}" for node, second in lines.items()
    )
    seen = frame(wording_seen.SPEC, f"cluster_id | node_id | log | first_at | last_at\n{written}")
    found = unread_returns(leaderless, stopped, kraft_terms(frame(term.SPEC, told)), seen)
    assert found["first_at"].to_list() == expected


@pytest.mark.parametrize(("hole_until_at", "count"), [("", 0), ("900000", 1)])
def test_who_gave_up_before_a_hole_may_be_in_office_behind_it(hole_until_at: str, count: int) -> None:
    told = f"""
        cluster_id | term_id | life | controller_epoch | controller_id | mode  | elected_at | first_seen_at | void_from_at | unproved_from_at
        c          | 1-1     | 1    | 1                | 3             | kraft | 5          | 5             | 20           |
        c          | 1-2     | 1    | 2                | 1             | kraft | 30         | 30            |              | {hole_until_at}
    """
    decided = frame(
        broker_event.SPEC, "cluster_id | node_id | broker_id | step | logged_at\nc | 3 | 2 | fenced | 900010"
    )
    assert decisions_in_effect(decided, frame(term.SPEC, told)).height == count
