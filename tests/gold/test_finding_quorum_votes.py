"""A KRaft quorum without a majority, as voters say it in server.log: from 4.0 on nothing else tells."""

import polars as pl
import pytest

from pipeline.rules.shared.quorum_states import with_next_state
from schemas.gold import controller_term
from tests.frames import at as second
from tests.frames import frame
from tests.gold.quorum_lines import ACTIVE, AT, FETCH, RAFT, Logs, Row, found_in, refused, timed_out
from tests.rules.rows import fact_texts

CREATED = AT + (
    "[QuorumController id={1}] Creating new QuorumController with clusterId x. "
    "(org.apache.kafka.controller.QuorumController)"
)
MAJORITY = AT + (
    "[RaftManager id={1}] Did not receive fetch request from the majority of the voters within 3000ms. Current fetched "
    "voters are [], and voters are [1, 2, 3] (org.apache.kafka.raft.LeaderState)"
)
SIGNAL = AT + "Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"


def asks_in_vain(node: int, count: int = 5) -> list[str]:
    others = {f"n{one}": "GRANTED" if one == node else "UNRECORDED" for one in (1, 2, 3)}
    return [
        line
        for one in range(count)
        for line in (
            RAFT.format(f"1:{10 + 4 * one},000", node, FETCH),
            timed_out(node, f"1:{12 + 4 * one},000", **others),
        )
    ]


RULES = ("quorum_without_leader", "no_controller")


def found(controller: Logs, server: Logs) -> list[Row]:
    (rows,) = found_in(RULES, (controller, server))
    return rows


RENOUNCED = (
    "[2026-11-21 00:01:08,300] WARN [QuorumController id=1] Renouncing the leadership due to a metadata log event. "
    "We were the leader at epoch 4, but in the new epoch 5, the leader is (none). Reverting to last stable offset 7. "
    "(org.apache.kafka.controller.QuorumController)"
)
NOBODY = AT.format("1:08,400") + (
    "[QuorumController id=2] In the new epoch 5, the leader is (none). (org.apache.kafka.controller.QuorumController)"
)
FIRST = [ACTIVE.format("0:10,000", 1, 4)]
BACK = [CREATED.format("1:31,000", 1)]
NEXT = [ACTIVE.format("1:32,000", 3, 5)]


def test_without_a_majority_votes_tell_since_when_and_who_did_not_answer() -> None:
    logs = {1: [*FIRST, *BACK], 2: [CREATED.format("1:31,100", 2)], 3: NEXT}
    [row] = found(logs, {3: asks_in_vain(3)})
    assert (row["rule"], row["severity"], row["term_id"]) == ("quorum_without_leader", "warning", "1-4")
    assert row["sentence"] == (
        "no controller for at least 22.0 s after controller 1 (epoch 4); node 3 asked for votes, nodes 1 and 2 did "
        "not answer: start them or mend the network"
    )
    assert fact_texts(row["facts"]) == {
        "controller_id": "1", "controller_epoch": "4", "lasted_ms": "22000", "asking_ids": "3", "unanswered_ids": "1,2",
    }  # fmt: skip
    [row] = found(logs, {})
    assert row["rule"] == "no_controller"


def test_a_leader_that_lost_its_majority_says_since_when() -> None:
    server = [MAJORITY.format("1:08,000", 1), *asks_in_vain(1)]
    [row] = found({1: [*FIRST, RENOUNCED], 3: [ACTIVE.format("1:32,000", 3, 6)]}, {1: server})
    assert row["sentence"].startswith("no controller for 24.0 s after controller 1 (epoch 4); node 1 asked")


def test_nobody_answers_at_the_end_of_the_data() -> None:
    [row] = found({1: FIRST}, {3: asks_in_vain(3)})
    assert (row["severity"], row["valid_until_at"]) == ("critical", None)
    assert row["sentence"].startswith(
        "no controller since 00:01:10 at least, still so at the end of the data;"
    )


PULSES = [
    line
    for one in range(6)
    for line in (RAFT.format(f"1:{10 + one * 4},000", 2, FETCH), refused(2, f"1:{10 + one * 4},060"))
]
SLOW = (
    "[2026-11-21 00:01:40,000] ERROR [QuorumController id=1] Exceptionally slow controller event processBrokerHeartbeat "
    "took 3104 ms. (org.apache.kafka.controller.EventPerformanceMonitor)"
)


NO_LOST_QUORUM: dict[str, tuple[Logs, Logs]] = {
    "one election": ({1: [*FIRST, *BACK], 3: NEXT}, {3: asks_in_vain(3, 1)}),
    "cut off while the controller acts": ({1: [*FIRST, SLOW]}, {3: asks_in_vain(3)}),
    "one of two alone": ({1: FIRST}, {3: asks_in_vain(3), 2: [RAFT.format("0:05,000", 2, FETCH)]}),
    "it is being stopped": ({1: FIRST}, {3: [SIGNAL.format("1:05,000"), *asks_in_vain(3)]}),
    "a frozen voter of which the leader knows nothing": (
        {1: [ACTIVE.format("0:10,000", 1, 4), CREATED.format("1:33,000", 1)], 3: [ACTIVE.format("1:33,500", 3, 5)]},
        {2: PULSES, 1: [RAFT.format("1:30,500", 1, "Completed graceful shutdown of RaftClient")]},
    ),
}  # fmt: skip


def test_what_is_no_lost_quorum() -> None:
    rows = dict(zip(NO_LOST_QUORUM, found_in(RULES, *NO_LOST_QUORUM.values()), strict=True))
    lost = [name for name, of in rows.items() for row in of if row["rule"] == "quorum_without_leader"]
    assert lost == []


STATE = AT + "[RaftManager id={1}] Completed transition to {2} (org.apache.kafka.raft.QuorumState)"
FOLLOWS = "FollowerState(fetchTimeoutMs=2000, epoch={0}, leaderId={1}, voters=[1, 2, 3], highWatermark=Optional.empty)"
FOLLOWS_FROM_4 = "FollowerState(fetchTimeoutMs=2000, epoch={0}, leader={1}, leaderEndpoints=Endpoints(endpoints={{}}), voters=[1, 2, 3]) from UnattachedState(epoch=4, leaderId=OptionalInt.empty, voters=[1, 2, 3])"
LEADS = "Leader(localId=3, epoch={0}, epochStartOffset=1588, highWatermark=Optional.empty, voterStates={{}})"
SIGNALS = (
    AT + "Registered signal handlers for TERM, INT, HUP (org.apache.kafka.common.utils.LoggingSignalHandler)"
)
STARTS = SIGNALS.format("1:35,000")


@pytest.mark.parametrize("state", [FOLLOWS, FOLLOWS_FROM_4, LEADS])
def test_server_log_alone_tells_that_it_is_over(state: str) -> None:
    """In the same epoch too: a voter that heard nothing of its leader finds it again."""
    asked = {node: asks_in_vain(node) for node in (2, 3)}
    over = (asked | {3: [*asked[3], STATE.format("1:40,000", 3, state.format(epoch, 1))]} for epoch in (4, 5))
    open_rows, *others = found_in(RULES, *(({}, server) for server in (asked, *over)))
    assert [row["severity"] for row in open_rows] == ["critical"]
    assert others == [[], []]


TERM_1_3 = """
cluster_id | term_id | mode  | controller_epoch | ended_at | vacant_from_at | superseded_at
c          | 1-3     | kraft | 3                | 10       |                |
"""


@pytest.mark.parametrize(("epoch", "at", "over_at"), [(4, 12, 12), (3, 12, None), (4, 9, None)])
def test_a_term_whose_controller_gave_up_is_over_by_a_later_leader(
    epoch: int, at: int, over_at: int | None
) -> None:
    """At WARN no controller prints that it hears of a leader: server.log alone names the next one."""
    term = frame(controller_term.SPEC, TERM_1_3)
    states = pl.DataFrame(
        {"cluster_id": ["c"], "at": [second(at)], "controller_epoch": [epoch], "file_id": ["f"], "byte_offset": [7]}
    )  # fmt: skip
    states = states.cast({"controller_epoch": pl.Int32, "at": pl.Datetime("us", "UTC")})
    (found_at,) = with_next_state(term, states)["superseded_at"].to_list()
    assert found_at == (None if over_at is None else second(over_at))


def test_what_a_process_had_stored_is_no_sign_of_a_leader() -> None:
    stored = STATE.format("1:35,100", 3, FOLLOWS.format(4, 1))
    asked = {2: asks_in_vain(2), 3: [*asks_in_vain(3), STARTS, stored]}
    assert [row["severity"] for row in found({}, asked)] == ["critical"]


def test_one_voter_alone_does_not_know_whether_the_others_have_a_leader() -> None:
    """Nothing goes on: its last line that says so is the end of what is told."""
    [row] = found({}, {3: asks_in_vain(3)})
    assert (row["severity"], row["certainty"]) == ("warning", "undetermined")
    assert row["valid_until_at"] is not None
    assert row["sentence"] == (
        "no controller known to node 3 for at least 18.0 s, and no log that was read tells whether the others had one; "
        "node 3 asked for votes, nodes 1 and 2 did not answer: start them or mend the network"
    )


def test_server_log_of_others_tells_that_a_controller_has_a_successor() -> None:
    logs = {1: [*FIRST, RENOUNCED], 2: [NOBODY]}
    led = [STATE.format("1:08,700", 3, LEADS.format(6)), SIGNALS.format("5:00,000")]
    unled, none, [row] = found_in(
        RULES, (logs, {3: led[1:]}), (logs, {3: led}), (logs, {3: [led[0].replace("1:08", "1:48"), led[1]]})
    )
    assert [one["rule"] for one in unled] == ["no_controller"]
    assert none == []
    assert row["sentence"].startswith("no controller for at least 40.3 s after controller 1 (epoch 4)")
    assert row["valid_until_at"] is not None
