"""A KRaft quorum that elects a controller anew time and again: who is to blame, and when nobody is."""

from polars import col

from tests.chain import built, found_by
from tests.gold.quorum_lines import Logs, Row, found_in
from tests.rows import records_in
from tests.rules.rows import fact_texts

AT = "[2026-11-21 00:0{0}] "
ACTIVE = AT + (
    "INFO [QuorumController id={1}] Becoming the active controller at epoch {2}, next write offset 5. "
    "(org.apache.kafka.controller.QuorumController)"
)
GAVE_UP = AT + (
    "WARN [QuorumController id={1}] Renouncing the leadership due to a metadata log event. We were the leader at epoch "
    "{2}, but in the new epoch {3}, the leader is (none). Reverting to last stable offset 7. "
    "(org.apache.kafka.controller.QuorumController)"
)
CREATED = AT + (
    "INFO [QuorumController id={1}] Creating new QuorumController with clusterId x. "
    "(org.apache.kafka.controller.QuorumController)"
)
FETCH = (
    AT
    + "INFO [RaftManager id={1}] Become candidate due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)"
)
MAJORITY = AT + (
    "INFO [RaftManager id={1}] Did not receive fetch request from the majority of the voters within 3000ms. Current "
    "fetched voters are [], and voters are [1, 2, 3] (org.apache.kafka.raft.LeaderState)"
)
SIGNAL = AT + (
    "INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"
)


def ends(count: int = 3) -> Logs:
    """Controllers 1 and 2 in turn, each a minute in office, and give up as they hear of the next epoch."""
    logs: Logs = {1: [ACTIVE.format("0:10,000", 1, 1)], 2: []}
    for one in range(count):
        node, other = (1, 2) if one % 2 == 0 else (2, 1)
        logs[node].append(GAVE_UP.format(f"{one + 1}:10,060", node, 2 * one + 1, 2 * one + 2))
        logs[other].append(ACTIVE.format(f"{one + 1}:11,000", other, 2 * one + 3))
    return logs


RULES = ("quorum_flapping",)


def found(controller: Logs, server: Logs | None = None) -> list[Row]:
    (rows,) = found_in(RULES, (controller, server or {}))
    return rows


def test_rules_alone_find_what_they_find_among_all() -> None:
    """Also where one takes the findings of another for its own."""
    lines = {(node, "controller"): "\n".join(text) for node, text in ends().items()}
    lines[2, "server"] = "\n".join(MAJORITY.format(f"{one}:10,000", 2) for one in (1, 2))
    records = records_in(lines)
    whole = built(records, "finding")["finding"].sort("finding_id")
    assert "quorum_flapping" in whole["rule"] and "no_controller" not in whole["rule"]
    for rules in ({"quorum_flapping"}, {"no_controller"}, {*whole["rule"]}, {"outage"}):
        assert found_by(records, *rules).sort("finding_id").equals(whole.filter(col("rule").is_in(rules)))


EACH = "a controller was elected anew 3 times within 2 min, none after an order to stop; "
LOOK = "look at pauses (GC, disk, CPU) and network of node {}: "
MINUTES = (1, 2, 3)


def test_a_single_voter_that_accuses_a_controller_that_is_there_hung_itself() -> None:
    """Up to 3.9 a frozen standby brings the controller down as it wakes; it prints the time-out of itself."""
    [row] = found(ends(), {3: [FETCH.format(f"{one}:10,000", 3) for one in MINUTES]})
    assert (row["severity"], row["certainty"], row["entity"]) == ("warning", "inferred", "controller")
    assert row["sentence"] == (
        EACH + LOOK.format(3) + "node 3 heard nothing from a controller that was there (3 times)"
    )
    assert fact_texts(row["facts"]) == {
        "elections_count": "3", "causes": "voter_out_of_touch 3", "suspect_id": "3", "lasted_ms": "120000",
    }  # fmt: skip
    assert len(row["evidence"]) == 3 * 3


def test_voters_that_accuse_it_together_outweigh_what_a_controller_says_as_it_wakes() -> None:
    accused = {
        node: [FETCH.format(f"{one}:10,000", node) for one in MINUTES if (one % 2 == 1) == (node == 2)]
        for node in (1, 2)
    }
    both = accused | {3: [FETCH.format(f"{one}:10,010", 3) for one in MINUTES]}
    both[1].append(MAJORITY.format("1:10,050", 1))
    [row] = found(ends(), both)
    assert row["sentence"] == (
        EACH + LOOK.format(1)
        + "voters heard nothing from controller 1 (2 times), voters heard nothing from controller 2"
    )  # fmt: skip


def test_a_controller_alone_says_that_its_voters_are_gone() -> None:
    lost = {1: [MAJORITY.format(f"{one}:10,000", 1) for one in (1, 3)], 2: [MAJORITY.format("2:10,000", 2)]}
    [row] = found(ends(), lost)
    assert "controller 1 heard from most of its voters no more (2 times)" in row["sentence"]
    assert "; find out why their processes ended, or voters were gone: " in row["sentence"]


def test_without_server_log_it_says_which_log_would_tell() -> None:
    [row] = found(ends())
    assert (
        row["sentence"] == EACH + "server.log of the controllers would tell why: no line tells why (3 times)"
    )


NO_FLAPPING: dict[str, tuple[Logs, Logs]] = {
    "two": (ends(2), {}),
    # The third one begins another life of the metadata.
    "two and a new life": (
        {
            1: [*ends(2)[1], GAVE_UP.format("3:10,000", 1, 5, 6)],
            2: [*ends(2)[2], ACTIVE.format("3:11,000", 2, 1)],
        },
        {},
    ),
    "orders to stop": (
        ends(),
        {1: [SIGNAL.format(f"{one}:09,000") for one in (1, 3)], 2: [SIGNAL.format("2:09,000")]},
    ),
    "restarts without server.log": (
        {1: [*ends()[1], CREATED.format("4:00,000", 1)], 2: [*ends()[2], CREATED.format("4:00,000", 2)]},
        {},
    ),
}


def test_what_is_no_flapping() -> None:
    rows = dict(zip(NO_FLAPPING, found_in(RULES, *NO_FLAPPING.values()), strict=True))
    assert [name for name, of in rows.items() if of] == []
