"""Elections: by which rule each leader is chosen, who it prescribes, what is clean, and why others failed."""

import inspect

import polars as pl
import pytest
from polars import col, lit

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import empty_frame
from pipeline.gold.leader_election import leader_selectors
from pipeline.gold.leader_election.election_attempts import is_noted_clean, is_noted_unclean
from pipeline.model.brokers.candidates import online_brokers
from schemas.bronze import log_record
from schemas.gold.leader_election import SPEC
from tests.chain import built_of_many, inputs_of, kernel
from tests.frames import at, frame
from tests.gold.election_stories import BORN, BORN_DEAD, EXPIRED, NO_REPLICA, SENT, START, lines
from tests.rows import same_rows

# The leader by the ISR before, and by the one after. 9: none of the sample's brokers.
CHOICES = """
    kind                | replicas | target_replicas | live_brokers | shutting_down_brokers | isr_before | is_isr_before_certain | isr     | expected | expected_after
    init                | [2 1 3]  |                 | [1 3]        |                       |            |                       | [1 3]   | 1        | 1
    init                | [2 1 3]  |                 | [2 1 3]      | [2]                   |            |                       | [1 3]   | 1        | 1
    init                | [2 1 3]  |                 |              |                       |            |                       | [1 3]   |          | 1
    offline             | [2 1 3]  |                 | [1 3]        |                       | [2 3]      | true                  | [3]     | 3        | 3
    offline             | [2 1 3]  |                 | [1 3]        |                       | [2 3]      | false                 | [3]     |          | 3
    offline             | [2 1 3]  |                 | [1 3]        | [1]                   | [2 1 3]    | true                  | [3]     | 3        | 3
    offline             | [2 1 3]  |                 | [1 3]        |                       | [2]        | true                  | [1]     | 1        | 1
    offline             | [2 1 3]  |                 |              |                       | [2 3]      | true                  | [3]     |          | 3
    offline             |          |                 | [1 3]        |                       | [2 3]      | true                  | [3]     |          |
    preferred           | [2 1 3]  |                 | [1 2 3]      |                       | [1 2]      | true                  | [1 2]   | 2        | 2
    preferred           | [2 1 3]  |                 | [1 2 3]      |                       | [1 3]      | false                 | [1 3]   |          | 2
    reassign            | [2 1 3]  | [3 1]           | [1 2 3]      |                       | [2 1 3]    | true                  | [2 1 3] | 3        | 3
    reassign            | [2 1 3]  | [3 1]           | [1 2]        |                       | [2 1]      | true                  | [2 1]   | 1        | 1
    reassign            | [2 1 3]  |                 | [1 2 3]      |                       | [2 1 3]    | true                  | [2 1 3] |          |
    controlled_shutdown | [2 1 3]  |                 | [1 2 3]      | [2]                   | [2 3 1]    | true                  | [3 1]   | 1        | 1
    controlled_shutdown | [2 1 3]  |                 | [1 2 3]      | []                    | [2 3 1]    | true                  | [3 1]   |          | 1
    controlled_shutdown | [2 1 3]  |                 | [1 2 3]      | [1 2]                 | [2 3 1]    | true                  | [3]     | 3        | 3
"""


def test_who_is_prescribed() -> None:
    cases = CHOICES.replace("expected_after", "leader_epoch").replace("expected ", "expected_leader ")
    given = frame(SPEC, cases)
    found = given.with_columns(
        online=online_brokers(), choices=leader_selectors.selectable_replicas()
    ).with_columns(
        expected_leader=leader_selectors.expected_by_isr(), leader_epoch=leader_selectors.expected_by_result()
    )
    names = ("kind", "replicas", "isr_before", "isr", "expected_leader", "leader_epoch")
    same_rows(found, given, *names)


# Up to 1.0 the selector says it, from 3.2 the state elected; between only an ISR that is certain tells, or one that
# has more than the leader.
CLEAN = """
    selector                                                             | kind                | from_state       | outcome | leader | isr   | isr_before | is_isr_before_certain | is_clean
                                                                         | init                | NewPartition     | done    | 1      | [1]   |            |                       | true
    selector_unclean_elected elected_unclean                             | offline             | OfflinePartition | done    | 1      | [1]   | [2]        | false                 | false
    selector_isr_elected elected                                         | offline             | OfflinePartition | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   | [1]        | false                 |
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   |            |                       |
                                                                         | offline             | OfflinePartition | done    | 1      | [1 3] | [2]        | false                 | true
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   | [1 2]      | true                  | true
                                                                         | offline             | OfflinePartition | done    | 1      | [1]   | [2]        | true                  | false
    partition_transition elected_unclean                                 | offline             | OfflinePartition | done    | 1      | [1]   | [1]        | true                  | false
                                                                         | offline             | OfflinePartition | failed  |        |       | [2]        | true                  |
                                                                         | preferred           | OnlinePartition  | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | preferred           | OfflinePartition | done    | 1      | [1]   | [2]        | false                 |
                                                                         | reassign            | OnlinePartition  | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | controlled_shutdown | OnlinePartition  | done    | 1      | [1]   | [2]        | false                 | true
                                                                         | isr_removal         |                  | done    | 1      | [1]   | [1 2]      | true                  |
                                                                         | isr_removal         |                  | done    | -1     | [1]   | [1]        | true                  |
"""


def test_what_is_clean() -> None:
    given = frame(SPEC, CLEAN)
    event, choice = (col("selector").str.split(" ").list.get(place) for place in (0, 1))
    noted = given.with_columns(said_event=event, said_choice=choice)
    found = noted.with_columns(
        is_unclean_said=is_noted_unclean().fill_null(value=False),
        is_clean_said=is_noted_clean().fill_null(value=False),
    ).with_columns(is_clean=leader_selectors.is_clean_election())
    same_rows(found, given, *("selector", "kind", "from_state", "isr", "isr_before", "is_clean"))


NO_ISR = "No broker in ISR for partition [a,0] is alive. Live brokers are: [Set(1, 2)], ISR brokers are: [3]"
NOT_IN_ISR = "encountered error while electing leader for partition [a,0] due to: Preferred replica 2 for partition [a,0] is either not alive or not in the isr."
ABORTED = "encountered error while electing leader for partition [a,0] due to: aborted leader election for partition [a,0] since the LeaderAndIsr path was already written by another controller."
UNDER = "Failed to elect leader for partition a-0 under strategy %s"
FAILURES: list[tuple[str, str, list[int] | None, str]] = [
    # kind, message, live brokers (assigned: 2 and 3), failure
    ("offline", NO_REPLICA, None, "no_live_assigned"),
    ("offline", NO_ISR, None, "no_live_in_isr"),
    ("preferred", NOT_IN_ISR, None, "preferred_unavailable"),
    ("preferred", ABORTED, None, "superseded"),
    ("init", BORN_DEAD, None, "no_live_assigned"),
    ("preferred", EXPIRED, [1, 2], "session_expired"),
    ("offline", UNDER % "OfflinePartitionLeaderElectionStrategy(false)", [1, 2], "no_live_in_isr"),
    ("offline", UNDER % "OfflinePartitionLeaderElectionStrategy", [1], "no_live_assigned"),
    ("offline", UNDER % "OfflinePartitionLeaderElectionStrategy", None, "undetermined"),
    (
        "preferred",
        UNDER % "PreferredReplicaPartitionLeaderElectionStrategy",
        [1, 2],
        "preferred_unavailable",
    ),
    (
        "controlled_shutdown",
        UNDER % "ControlledShutdownPartitionLeaderElectionStrategy",
        [1, 2],
        "only_shutting_down_in_isr",
    ),
    ("offline", "KeeperErrorCode = BadVersion for /brokers/topics/a/partitions/0/state", None, "zookeeper_error"),
    ("offline", "something else", None, "other"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "message", "live", "failure"), FAILURES)
def test_why_it_failed(kind: str, message: str, live: list[int] | None, failure: str) -> None:
    ids = pl.List(pl.Int32)
    given = pl.DataFrame({"kind": [kind], "message": [message]}).with_columns(
        exception_class=lit(None, pl.String),
        outcome=lit("failed"),
        online=lit(live, ids),
        choices=lit([2, 3], ids),
        strategy=col("message").str.extract(leader_selectors.STRATEGY, 1),
    )
    assert given.select(leader_selectors.failure_reason()).item() == failure


# 2 and 3 go at once: the request tells the last removal alone, and the leader epoch that there were two. Another
# request of the batch tells less, and the last one nothing new.
TWO_GONE = f"""
    {BORN.format(at="01,001", name="a-0", replicas="2,3", leader=2, isr="2, 3", end="zkVersion=0")}
    02,001 Changed state of replica 3 for partition a-0 from OnlineReplica to OfflineReplica
    02,002 Changed state of replica 2 for partition a-0 from OnlineReplica to OfflineReplica
    02,003 {SENT.format(-1, 2, 2, "a-0")}
    02,004 {SENT.format(2, 1, 2, "a-0")}
    02,005 {SENT.format(-1, 2, 2, "a-0")}
"""
REMOVALS = """
    elected_at | kind        | old_leader | isr_before | leader | isr   | leader_epoch | verdict                 | certainty
    1.001      | init        |            |            | 2      | [2 3] | 0            | as_prescribed           | proved
    2.001      | isr_removal | 2          | [2 3]      | 2      | [2]   | 1            | as_prescribed_by_result | inferred
    2.002      | isr_removal | 2          | [2]        | -1     | [2]   | 2            | as_prescribed_by_result | inferred
"""


def test_two_removals_in_one_request() -> None:
    logs = {
        (1, "controller"): lines(START, "[Controller id=1] ", "kafka.controller.KafkaController"),
        (1, "state-change"): lines(TWO_GONE, "[Controller id=1 epoch=1] ", "state.change.logger"),
    }
    found = built_of_many({"c": logs}, "leader_election")["leader_election"]
    names = ("elected_at", "kind", "old_leader", "isr_before", "leader", "isr", "leader_epoch", "verdict")
    same_rows(found, frame(SPEC, REMOVALS), *names, "certainty")
    assert found.sort("elected_at")["evidence"].list.len().to_list() == [1, 2, 2]


# 2 goes offline; hours later a request tells that nobody leads: of that a later line has told, which is not there.
LONG_GONE = f"""
    {BORN.format(at="01,001", name="a-0", replicas="2,3", leader=2, isr="2, 3", end="zkVersion=0")}
    02,001 Changed state of replica 2 for partition a-0 from OnlineReplica to OfflineReplica
    03,001 {SENT.format(-1, 1, 3, "a-0")}
"""


@pytest.mark.parametrize(("hour", "elected_at"), [("00", 2.001), ("03", 3 * 3600 + 3.001)])
def test_a_request_tells_of_a_replica_that_just_went_offline(hour: str, elected_at: float) -> None:
    told = lines(LONG_GONE, "[Controller id=1 epoch=1] ", "state.change.logger")
    logs = {
        (1, "controller"): lines(START, "[Controller id=1] ", "kafka.controller.KafkaController"),
        (1, "state-change"): told.replace("00:00:03,001", f"{hour}:00:03,001"),
    }
    found = built_of_many({"c": logs}, "leader_election")["leader_election"]
    assert found.sort("elected_at")["elected_at"].to_list() == [at(1.001), at(elected_at)]


def test_no_lines_are_no_elections() -> None:
    build, given = kernel(SPEC), inputs_of(empty_frame(log_record.SPEC))
    names = inspect.signature(build).parameters
    assert build(
        **{name: given[name] if name in given else empty_frame(BY_SHORT_NAME[name].spec) for name in names}
    ).is_empty()
