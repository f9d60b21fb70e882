"""Reassignments that no line ends are told, all of a cluster as one; what may have ended is not."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.chain import built, built_of_many
from tests.gold.reassignment_lines import (
    BEGUN,
    CALLED_OFF,
    CHECK,
    LED_BY_1,
    QUORUM,
    STUCK,
    UNDONE,
    UPDATED,
    UPDATING,
    active,
    at,
    changed,
    elected,
    fenced,
    in_sync,
    kept,
    lagging,
    left,
    moving,
    of_node,
    own,
    removed,
    state_change,
    there,
)
from tests.gold.term_stories import Logs
from tests.lab import records
from tests.rules.rows import fact_texts

STORIES: dict[str, Logs] = {
    "stuck": of_node(STUCK),
    "no word of replicas": of_node(BEGUN + own(16, CHECK)),
    "two": of_node(BEGUN + moving(2, "events-10", "2,1") + lagging(20, "events-10", "2") + lagging(21, "events-9", "2")),
    "begun anew": of_node(BEGUN + removed(2, "events-9") + moving(5, "events-9", "1,2") + own(25, CHECK)),
    "done": of_node(STUCK + removed(32, "events-9") + own(50, CHECK)),
    "short": of_node(BEGUN + lagging(10, "events-9")),
    "deleted": of_node(STUCK + own(32, "Starting topic deletion for topics events") + own(50, CHECK)),
    "another controller": of_node(STUCK) | {(2, "controller"): elected(33, 2, 2) + own(50, CHECK, 2)},
    "found by another": of_node(STUCK) | {
        (2, "controller"): elected(33, 2, 2)
        + own(33.1, "Partitions being reassigned: Map(events-9 -> Buffer(3, 2))", 2)
        + own(50, CHECK, 2)
    },
    "in a release of 2.4 to 3.9": of_node(elected(0, 3, 1) + own(1, UPDATING).replace("INFO", "DEBUG") + own(25, CHECK)),
    "called off": {
        (1, "controller"): CALLED_OFF,
        (3, "state-change"): kept(2.1, "true"),
    },
    "called off, and only stopped": {
        (1, "controller"): CALLED_OFF,
        (3, "state-change"): kept(2.1, "false"),
    },
    "called off, and made again": {
        (1, "controller"): CALLED_OFF + own(5, UPDATING, 1),
        (3, "state-change"): kept(2.1, "true"),
    },
    "a controller without lines": {
        (1, "controller"): elected(0, 1, 1) + own(1, UPDATING, 1),
        (2, "controller"): elected(20, 2, 3) + own(40, CHECK, 2),
    },
    "without a leader": {
        (3, "controller"): BEGUN + left(2, 1, "2,3") + own(25, CHECK),
        (3, "state-change"): state_change(0.5, LED_BY_1),
    },
    "without a leader for a minute": {
        (3, "controller"): BEGUN + left(24, 1, "2,3") + own(25, CHECK),
        (3, "state-change"): state_change(0.5, LED_BY_1),
    },
    "to a broker that is gone": of_node(elected(0, 3, 1) + moving(1, "events-9", "1,2") + left(2, 2, "1,3") + own(25, CHECK)),
    "to a broker that is gone, 2.4 to 3.9": of_node(elected(0, 3, 1) + own(1, UPDATED) + left(2, 4, "1,2,3") + own(25, CHECK)),
    "in KRaft, to a broker that is gone": {
        (102, "controller"): active(0, 1) + there(0.5, 3) + changed(1, "3", "1") + fenced(2, 3) + active(30, 2)
    },
    "powerless": of_node(BEGUN + own(2, "Controller moved to another broker when processing TopicChange.") + own(25, CHECK)),
    "in KRaft, without a quorum": of_node(
        active(0, 1)
        + changed(1, "3", "1")
        + at(30, "[QuorumController id=102] In the new epoch 2, the leader is (none).", QUORUM),
        102,
    ),
    "in KRaft": of_node(active(0, 1) + changed(1, "3", "1") + active(30, 2), 102),
    "in KRaft, a replica more": of_node(
        active(0, 1) + changed(1, "3", "1").replace("[1]", "null") + active(30, 2),
        102,
    ),
    "in KRaft, a replica more, done": of_node(
        active(0, 1)
        + changed(1, "3", "1").replace("[1]", "null")
        + changed(2, "", "x").replace("[x]", "null")
        + active(30, 2),
        102,
    ),
    "in KRaft, undone by another target, in 4.3": of_node(UNDONE + active(10, 2), 102),
    "in KRaft, undone by another target, and called off": of_node(UNDONE + changed(9, "", "") + active(30, 2), 102),
    "in KRaft, one of two new replicas in sync": of_node(
        active(0, 1) + changed(1, "3, 2", "").replace("[]", "null") + in_sync(2, "1", "1, 3") + active(10, 2),
        102,
    ),
    "in KRaft, both, of which the first is not read": of_node(
        active(0, 1) + UNDONE.split("\n", 2)[2] + active(10, 2),
        102,
    ),
    "in KRaft, done": of_node(active(0, 1) + changed(1, "3", "1") + changed(2, "", "") + active(30, 2), 102),
}  # fmt: skip
HALTS = "; until then no leader of the cluster is moved back automatically (KAFKA-10149)"  # up to 3.3
ENDLESS = "added and removed at once, which Kafka from 4.3 on never completes; cancel, and ask for the wanted replicas anew"
LAGGING = "replicas 3 and 2 have not caught up; look at the fetchers of 3 and 2"
TOLD = {
    "stuck": ("warning", f"reassignment of events-9 to [3, 2] has been open for 30 min: {LAGGING}{HALTS}"),
    "no word of replicas": ("info", f"reassignment of events-9 to [3, 2] has been open for 15 min{HALTS}"),
    "two": (
        "warning",
        "2 reassignments have been open for 20 min (longest events-9 to [3, 2]): replica 2 has not caught up; look at the "
        f"fetchers of 2{HALTS}",
    ),
    "begun anew": ("info", f"reassignment of events-9 to [1, 2] has been open for 20 min{HALTS}"),
    "in a release of 2.4 to 3.9": ("info", "reassignment of events-9 to [3, 2] has been open for 24 min"),
    "without a leader": (
        "warning",
        "reassignment of events-9 to [3, 2] has been open for 24 min: nobody leads it, so there is nothing to copy from; "
        f"start broker 1{HALTS}",
    ),
    "without a leader for a minute": (
        "info",
        "reassignment of events-9 to [3, 2] has been open for 24 min: nobody leads it, so there is nothing to copy from; "
        f"start broker 1{HALTS}",
    ),
    "to a broker that is gone": (
        "warning",
        "reassignment of events-9 to [1, 2] has been open for 24 min: broker 2 is gone; start it (up to 2.3 nothing can "
        f"be cancelled){HALTS}",
    ),
    "to a broker that is gone, 2.4 to 3.9": (
        "warning",
        "reassignment of events-9 to [4, 2] has been open for 24 min: broker 4 is gone; start it, or cancel, but only "
        "while an old replica is live and in sync (KAFKA-14424)",
    ),
    "in KRaft, to a broker that is gone": (
        "warning",
        "reassignment of events-9 to [3, 2] has been open for 29 min: broker 3 is gone; start it, or cancel the "
        "reassignment",
    ),
    "powerless": (
        "warning",
        f"reassignment of events-9 to [3, 2] has been open for 24 min: controller 3 can write nothing to ZooKeeper{HALTS}",
    ),
    "in KRaft, without a quorum": (
        "info",
        "reassignment of events-9 to [3, 2] has been open for 29 min: the quorum of controllers has no leader",
    ),
    "found by another": (
        "warning",
        f"reassignment of events-9 to [3, 2] has been open for 49 min: {LAGGING}{HALTS}",
    ),
    "in KRaft, undone by another target, in 4.3": (
        "warning",
        f"reassignment of events-9 to [1, 2] has been open for 8 min: broker 3 is {ENDLESS}",
    ),
    "in KRaft, both, of which the first is not read": (
        "warning",
        f"reassignment of events-9 to [1, 2] has been open for 8 min: a broker is {ENDLESS}",
    ),
    "in KRaft, a replica more": ("info", "reassignment of events-9 to [3, 2, 1] has been open for 29 min"),
    "in KRaft": ("info", "reassignment of events-9 to [3, 2] has been open for 29 min"),
}


@pytest.fixture(scope="module")
def findings() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = built_of_many(STORIES, "finding")["finding"].to_dicts()
    return rows


@pytest.fixture
def found(findings: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["cluster_id"]: row for row in findings if row["rule"] == "stuck_reassignment"}


def test_a_broker_that_was_to_delete_its_copy_and_did_not(findings: list[dict[str, Any]]) -> None:
    """KAFKA-13972: until the replica is brought there again."""
    left = {row["cluster_id"]: row for row in findings if row["rule"] == "replica_left_on_disk"}
    said = (
        "broker 3 may keep the log of events-9 after a cancelled reassignment: it ignored the request to delete it "
        "(KAFKA-13972)"
    )
    assert {name: (row["sentence"], row["severity"]) for name, row in left.items()} == {
        "called off": (said, "info"),
        "called off, and made again": (said, "info"),
    }
    ends = [left[name]["valid_until_at"] for name in ("called off", "called off, and made again")]
    assert ends == [None, datetime(2026, 11, 21, 10, 5, tzinfo=UTC)]
    files = [one["file_id"].split("/")[1] for one in left["called off"]["evidence"]]
    assert files == ["1-controller", "3-state-change", "1-controller"]


def test_the_next_record_of_kraft_shows_whether_one_had_ended() -> None:
    """Replica 1, which it takes away, is among those that the next one begins with, or is not."""
    first = active(0, 1) + changed(1, "3", "1")
    stories = {
        "overridden": of_node(first + changed(2, "4", "1, 3").replace("[3, 2, 1]", "[4, 2, 1, 3]")),
        "lines_missing": of_node(first + changed(2, "1", "3").replace("[3, 2, 1]", "[1, 3, 2]")),
    }
    found = built_of_many(stories, "reassignment")["reassignment"].sort("started_at")
    ends = found.unique("cluster_id", keep="first").select("cluster_id", "outcome")
    assert dict(ends.rows()) == {name: name for name in stories}


def test_what_no_line_ends_is_told(found: dict[str, dict[str, Any]]) -> None:
    assert {name: (row["severity"], row["sentence"]) for name, row in found.items()} == TOLD


def test_its_lines_begin_it_and_say_who_lags(found: dict[str, dict[str, Any]]) -> None:
    offsets = [one["byte_offset"] for one in found["stuck"]["evidence"]]
    assert offsets == [len(elected(0, 3, 1)), len(BEGUN)]
    assert fact_texts(found["stuck"]["facts"]) == {
        "partitions_count": "1", "topic": "events", "partition": "9", "target_replicas": "3,2",
        "waiting_for": "broker_lagging", "lagging_replicas": "3,2",
    }  # fmt: skip
    assert [len(found[name]["evidence"]) for name in ("in KRaft", "two")] == [1, 4]


def test_one_that_waits_for_its_replicas_for_half_an_hour(shared: Path) -> None:
    """cases/reassignment-stuck: expected.md there."""
    findings = built(records(shared / "cases" / "reassignment-stuck"), "finding")["finding"]
    assert findings.select("rule", "severity", "sentence").rows() == [("stuck_reassignment", *TOLD["stuck"])]
