"""A KRaft quorum that elects no leader, epoch after epoch: one finding, and none where that is how Raft elects."""

from tests.gold.quorum_lines import Logs, Row, found_in
from tests.rules.rows import fact_texts

NODE = "[2026-11-21 00:0{0}] INFO [QuorumController id={1}] "
NONE = NODE + "In the new epoch {2}, the leader is (none). (org.apache.kafka.controller.QuorumController)"
LEADS = NODE + "In the new epoch {2}, the leader is {3}. (org.apache.kafka.controller.QuorumController)"
ACTIVE = (
    NODE
    + "Becoming the active controller at epoch {2}, next write offset 5. (org.apache.kafka.controller.QuorumController)"
)
RENOUNCED = (
    "[2026-11-21 00:0{0}] WARN [QuorumController id={1}] Renouncing the leadership due to a metadata log event. We were "
    "the leader at epoch {2}, but in the new epoch {3}, the leader is (none). Reverting to last stable offset 7. "
    "(org.apache.kafka.controller.QuorumController)"
)
REFUSED = (
    "[2026-11-21 00:0{0}] INFO [RaftManager id={1}] Insufficient remaining votes to become leader (rejected by {2}). We "
    "will backoff before retrying election again (org.apache.kafka.raft.KafkaRaftClient)"
)
BEGUN = [ACTIVE.format("0:01,000", 1, 4), RENOUNCED.format("0:30,000", 1, 4, 5)]


def race(node: int, count: int = 6, first: int = 5, each_s: int = 3) -> list[str]:
    return [NONE.format(f"0:{30 + each_s * one},500", node, first + one) for one in range(count)]


RULES = ("quorum_without_leader", "no_controller")


def found(logs: Logs, server: Logs | None = None) -> list[Row]:
    """The findings of a missing controller."""
    (rows,) = found_in(RULES, (logs, server or {}))
    return rows


def test_it_goes_on_at_the_end_of_the_data() -> None:
    [row] = found({1: [*BEGUN, *race(1)], 2: race(2)})
    assert (row["rule"], row["severity"], row["valid_until_at"], row["term_id"]) == (
        "quorum_without_leader", "critical", None, "1-4",
    )  # fmt: skip
    assert (
        row["sentence"]
        == "no controller since 00:00:30, 6 epochs without a leader, still so at the end of the data; server.log of "
        "the controllers would tell why"
    )
    assert fact_texts(row["facts"]) == {"epochs_count": "6", "first_epoch": "5", "last_epoch": "10"}


def test_logs_that_begin_in_it() -> None:
    [row] = found({3: race(3)})
    assert row["sentence"] == (
        "no controller since 00:00:30 at least, 6 epochs without a leader, still so at the end of the data; "
        "server.log of the controllers would tell why"
    )


def test_over_and_who_refused_whom() -> None:
    after = [LEADS.format("0:50,000", 2, 11, 1)]
    server = {1: [REFUSED.format("0:31,000", 1, "[2]")], 2: [REFUSED.format("0:33,000", 2, "[1]")]}
    [row], [half] = found_in(
        RULES,
        ({1: [*BEGUN, *race(1), ACTIVE.format("0:50,500", 1, 11)], 2: [*race(2), *after]}, server),
        ({1: [*BEGUN, *race(1)], 2: [*race(2), *after]}, {1: server[1]}),
    )
    assert (row["severity"], row["sentence"]) == (
        "warning",
        "no controller for 20.0 s, 6 epochs without a leader; nodes 1, 2 reject each other's votes: if it lasts, raise "
        "controller.quorum.election.timeout.ms",
    )  # fmt: skip
    assert half["sentence"].endswith(
        "; node 2 refused votes to node 1: its log is behind, or it asks too early"
    )


NO_RACE: dict[str, Logs] = {
    "few epochs": {1: [*BEGUN, *race(1, 4)], 2: race(2, 4)},
    "a few seconds": {1: [*BEGUN, *race(1, each_s=1)], 2: race(2, each_s=1)},
    "one is cut off": {1: BEGUN[:1], 2: [LEADS.format("0:01,100", 2, 4, 1)], 3: race(3)},
    "one led in between": {
        1: [*BEGUN, *race(1, 3), ACTIVE.format("0:38,000", 1, 8), *race(1, 3, 9)],
        2: [*race(2, 3), *race(2, 3, 9)],
    },
}


def test_what_is_no_race() -> None:
    rows = dict(zip(NO_RACE, found_in(RULES, *((logs, {}) for logs in NO_RACE.values())), strict=True))
    assert [name for name, of in rows.items() for row in of if row["rule"] == "quorum_without_leader"] == []


def test_the_leader_is_known_from_others_where_its_own_log_begins_later() -> None:
    """Voters name node 3 for half a minute; its own log begins after a restart."""
    heard = [NONE.format("0:30,110", 2, 5), LEADS.format("0:30,220", 2, 6, 3), NONE.format("1:00,000", 2, 7)]
    next_one = ACTIVE.format("1:00,500", 2, 7)
    later = [LEADS.format("5:00,000", 3, 7, 2)]
    names_it = NONE.format("0:30,150", 3, 6)
    of_others: Logs = {1: BEGUN, 2: [*heard, next_one]}
    *none, named = found_in(RULES, *((of_others | {3: own}, {}) for own in ([], later, [names_it, *later])))
    assert none == [[], []]
    assert [row["rule"] for row in named] == ["no_controller"]
