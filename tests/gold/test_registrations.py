"""A controller that resigned and was elected again itself: its registration tells whether its session had expired."""

from typing import Any

import pytest

from tests.chain import built_of_many
from tests.gold.term_lines import alive, elected, elected_0_10, elected_1_0, line, old, own, resigning
from tests.gold.term_stories import OLD_RESIGNING, OLD_START


def epochs(second: float, epoch: int) -> str:
    return own(1, second, f"Initialized broker epochs cache: HashMap(1 -> {epoch}, 2 -> 7)")


def again(epoch: int | None) -> str:
    """Epoch 2 of controller 1, with the epoch of its registration."""
    listed = alive(1, 12.05, "1, 2")
    return elected(1, 2, 12) + listed + ("" if epoch is None else epochs(12.06, epoch))


FIRST = elected(1, 1, 1) + alive(1, 1.05, "1, 2")
STORIES = {
    "same": FIRST + epochs(1.06, 5) + resigning(1, 10) + again(5),
    "other": FIRST + epochs(1.06, 5) + resigning(1, 10) + again(90),
    "not told": FIRST + resigning(1, 10) + again(None),
    # What was listed before it was elected may be of a registration before.
    "listed before": epochs(0.5, 5) + FIRST + resigning(1, 10) + again(90),
    "1.0": elected_1_0(1, 1, 1) + resigning(1, 10) + elected_1_0(1, 2, 12) + alive(1, 12.05, "1, 2"),
    "seen to join": OLD_START
    + line(
        9.9,
        "[BrokerChangeListener on Controller 1]: Newly added brokers: 1, deleted brokers: , all live brokers: 1,2",
        "kafka.controller.ReplicaStateMachine$BrokerChangeListener",
    )
    + OLD_RESIGNING
    + elected_0_10(1, 2, 12)
    + old(1, 12.05, "Currently active brokers in the cluster: Set(1, 2)"),
    "0.10": OLD_START
    + OLD_RESIGNING
    + elected_0_10(1, 2, 12)
    + old(1, 12.05, "Currently active brokers in the cluster: Set(1, 2)"),
}
ENDS = {
    "same": "znode_gone",
    "other": "session_expired",
    "not told": None,
    "listed before": None,
    "1.0": None,
    "seen to join": "session_expired",
}


@pytest.fixture(scope="module")
def terms() -> dict[str, dict[str, Any]]:
    logs = {name: {(1, "controller"): text} for name, text in STORIES.items()}
    rows = built_of_many(logs, "controller_term")["controller_term"].to_dicts()
    return {row["cluster_id"]: row for row in rows if row["controller_epoch"] == 1}


@pytest.mark.parametrize("name", ENDS)
def test_how_a_term_ended_by_the_registration(terms: dict[str, dict[str, Any]], name: str) -> None:
    """With the lines that tell: of before and after, or the one by which it joined."""
    assert terms[name]["ended_how"] == ENDS[name]
    lines = {"same": 2, "other": 2, "seen to join": 1}.get(name, 0)
    assert len(terms[name]["lines"].get("registration", ())) == lines


def test_who_would_have_said_that_its_session_expired_did_not_lose_it(
    terms: dict[str, dict[str, Any]],
) -> None:
    assert terms["0.10"]["ended_how"] == "znode_gone"


CREATING = "kafka.utils.ZKCheckedEphemeral"
OFFICE = line(11.99, "Creating /controller (is it secure? false)", CREATING)
OF_SERVER_LOG = {
    "by hand": ("1.0", OFFICE, "znode_gone"),
    "expired": (
        "1.0",
        line(9.9, "zookeeper state changed (Expired)", "org.I0Itec.zkclient.ZkClient") + OFFICE,
        "session_expired",
    ),
    "registered": (
        "1.0",
        OFFICE + line(12.2, "Creating /brokers/ids/1 (is it secure? false)", CREATING),
        "session_expired",
    ),
    "read until then": ("1.0", line(5, "Creating /controller (is it secure? false)", CREATING), None),
    "epochs say more": ("other", OFFICE, "session_expired"),
}


def test_its_server_log_tells_whether_who_is_elected_again_had_lost_its_session() -> None:
    """It has how it tried to be elected; then it would have the other, too."""
    logs = {
        name: {(1, "controller"): STORIES[story], (1, "server"): own_log}
        for name, (story, own_log, _) in OF_SERVER_LOG.items()
    }
    rows = built_of_many(logs, "controller_term")["controller_term"].to_dicts()
    found = {row["cluster_id"]: row["ended_how"] for row in rows if row["controller_epoch"] == 1}
    assert found == {name: how for name, (*_, how) in OF_SERVER_LOG.items()}
