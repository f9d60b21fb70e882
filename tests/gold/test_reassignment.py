"""Reassignments of the labs, put together from lines, against what was computed by itself and what was asked for."""

import csv
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import frame_of
from schemas.gold.reassignment import STEPS
from tests.chain import built, built_of_many
from tests.gold.lab_runs import rows
from tests.gold.reassignment_lines import LED_BY_1, elected, moving, own, state_change
from tests.lab import Row, built_tables, folder_of, records, rows_of
from tests.rows import records_in

TARGETS = "kafka/open-audits/targets/reassignment.tsv"
FORMS = {"old": "znode", "new": "assignment"}
LABS = ("2.2.2-zk-stock", "3.9.1-zk-stock")
OTHER_LABS = (
    *("0.11.0.3-zk-stock", "1.0.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-stock", "2.6.3-zk-trace"),
    *("3.2.3-zk-stock", "3.2.3-zk-trace", "3.9.1-zk-trace"),
)
RUNS = ("2.2.2-zk-moves", "4.0.0-kraft-combined-moves")
OTHER_RUNS = (
    *("1.0.2-zk-moves", "3.9.1-zk-moves", "2.2.2-zk-redrive", "3.9.1-zk-redrive"),
    "3.9.2-kraft-separate-moves",
)
# What the truth calls otherwise: up to 2.3 a request that is taken away by hand is forgotten at the next fail-over.
SAME = {"cancelled": {"cancelled", "forgotten"}, "open_at_end": {"in_progress"}, "refused": {"failed"}}
SOON_MS = 200
FOLLOWING_MS = 40
# Outcomes that no line shows: requests that change nothing, that ZooKeeper mode refuses in the answer alone, or that a
# controller never saw; what cancels another one has no row of its own.
UNSEEN = {"no_change", "no_answer", "request_to_cancel"}


def quick_and(soak: tuple[str, ...], *quick: str) -> list[Any]:
    return [*quick, *(pytest.param(name, marks=pytest.mark.soak) for name in soak)]


def reassignments(shared: Path, name: str) -> list[Row]:
    return rows_of(built_tables(folder_of(shared, name))["reassignment"])


def ids(text: str) -> list[int]:
    return [int(one) for one in text.strip("[]").split(",") if one]


def at(text: str) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


def number(text: str) -> int | None:
    return int(text) if text else None


def wanted(row: dict[str, str]) -> Row:
    return {
        "topic": row["topic"],
        "partition": int(row["partition"]),
        "form": FORMS[row["form"].split()[0]],
        "original_replicas": ids(row["original"]),
        "target_replicas": ids(row["target"]),
        "adding_replicas": ids(row["adding"]),
        "removing_replicas": ids(row["removing"]),
        "started_at": at(row["started_at"]),
        "caught_up_at": at(row["caught_up_at"]),
        "ended_at": at(row["completed_at"]),
        "copy_ms": number(row["copy_ms"]),
        "switch_ms": number(row["switch_ms"]),
        "total_ms": number(row["total_ms"]),
        "resumed_count": int(row["resumed"]),
        "leader_moved": row["leader"],
        "outcome": row["outcome"],
    }


@pytest.mark.parametrize("name", quick_and(OTHER_LABS, *LABS))
def test_every_row_is_what_a_naive_reading_gives(shared: Path, name: str) -> None:
    targets = csv.DictReader((shared / TARGETS).read_text().splitlines(), delimiter="\t")
    expected = [wanted(row) for row in targets if row["cluster"] == name]
    found = [{key: row[key] for key in expected[0]} for row in reassignments(shared, name)]

    def place(row: Row) -> tuple[Any, ...]:
        return row["topic"], row["partition"], row["started_at"]

    assert sorted(found, key=place) == sorted(expected, key=place)


ALL = range(1, 13)
# Up to 2.5 all twelve; of 2.6 and later the list in ZooKeeper is not used, and metadata is not told by partition.
NUMBERS = {"0.11": ALL, "1.0": ALL, "2.2": ALL, "trace": range(1, 11), "stock": (1, 2, 4, 6, 7, 8, 10)}


@pytest.mark.parametrize(
    "name", quick_and(tuple(one for one in OTHER_LABS if one != "2.5.1-zk-stock"), *LABS)
)
def test_steps_of_moves_that_copied(shared: Path, name: str) -> None:
    copied = [row for row in reassignments(shared, name) if row["copy_ms"] is not None]
    expected = next(own for part, own in NUMBERS.items() if part in name)
    assert [numbers(row) for row in copied] == [set(expected)] * 2
    assert all(0 <= ms <= row["total_ms"] + FOLLOWING_MS for row in copied for _, ms in row["steps"])


@pytest.mark.soak
def test_steps_of_one_asked_for_by_the_list_in_zookeeper_and_of_one_by_the_api(shared: Path) -> None:
    copied = [row for row in reassignments(shared, "2.5.1-zk-stock") if row["copy_ms"] is not None]
    found = [numbers(row) for row in sorted(copied, key=lambda row: row["started_at"])]
    assert found == [set(ALL), set(ALL) - {STEPS["removed"]}]


def numbers(row: Row) -> set[int]:
    return {STEPS[step] for step, _ in row["steps"]}


@pytest.mark.parametrize("name", quick_and(OTHER_RUNS, *RUNS))
def test_every_move_ended_as_it_did(shared: Path, name: str) -> None:
    """Of what was asked for each move with a line is right; the others have none, and no row is of nobody's request."""
    found = reassignments(shared, name)
    verdicts = Counter(verdict(one, found, name) for one in rows(folder_of(shared, name), "moves"))
    assert verdicts["wrong"] == 0, verdicts
    assert verdicts["right"] == len(found)


def test_what_a_controller_without_lines_may_have_ended_is_undetermined(shared: Path) -> None:
    """Both of them were completed by broker 1 (truth/moves.tsv)."""
    read = frame_of(records(folder_of(shared, "2.2.2-zk-moves")))
    found = built(read.filter(pl.col("node_id") != 1), "reassignment")["reassignment"]
    open_ones = found.filter(pl.col("outcome") == "in_progress").sort("partition")
    assert open_ones.select("topic", "certainty").rows() == [("sensor.7", "undetermined")] * 2


def test_what_is_removed_by_hand_is_forgotten_by_the_next_controller_that_lists_nothing(shared: Path) -> None:
    """Controller 1 begins at 04:28:47.003, and nothing is being moved by its list."""
    read = frame_of(records(folder_of(shared, "2.2.2-zk-moves")))
    found = built(read, "reassignment")["reassignment"].filter(pl.col("topic") == "returns")
    ended_at = at("2026-11-26T04:28:47.020")
    assert found.select("outcome", "ended_at").rows() == [("forgotten", ended_at)]


LISTED = own(
    1, "Partitions being reassigned: Map(gone-0 -> ReassignedPartitionsContext(ArrayBuffer(3, 2),null))"
)


@pytest.mark.parametrize(
    ("begin", "outcome"), [("", "skipped"), (LISTED, "skipped"), (moving(1, "gone-0"), "failed")]
)
def test_what_is_taken_off_the_list_as_it_does_not_exist_is_no_completed_move(
    begin: str, outcome: str
) -> None:
    """From 1.1 to 2.3 a controller says so, and removes it from the list in ZooKeeper as it does what is done."""
    ignored = own(2, "Ignoring request to reassign partition gone-0 that doesn't exist.")
    gone = own(2.01, "Removing partition gone-0 from the list of reassigned partitions in zookeeper")
    text = elected(0, 3, 1) + begin + ignored + gone
    found = built(records_in({(3, "controller"): text}), "reassignment")["reassignment"]
    assert found.select("outcome", "reason").rows() == [(outcome, "unknown_partition")]


def verdict(asked: dict[str, str], found: list[Row], name: str) -> str:
    how = asked.get("outcome") or asked["how"]
    own = [
        row for row in found if (row["topic"], row["partition"]) == (asked["topic"], int(asked["partition"]))
    ]
    target = ids(asked["target"]) if asked["target"] != "cancel" else None
    refusal = how == "refused" or asked.get("note", "").startswith("refused")
    started = [row for row in own if is_of(row, asked, target, is_refusal=refusal or how == "skipped")]
    if not started:
        is_unseen = how in UNSEEN or asked.get("one_step") == "yes" or refusal or how == "skipped"
        return "unseen" if is_unseen else "wrong"
    outcomes = {row["outcome"] for row in started}
    expected = SAME.get(how, {how}) | ({"skipped", "failed"} if refusal else set())
    is_back = how == "overridden" and "kraft" in name and outcomes == {"cancelled"}
    return "right" if outcomes <= expected or is_back else "wrong"


def is_of(row: Row, asked: dict[str, str], target: list[int] | None, *, is_refusal: bool) -> bool:
    """The attempt of that request: by its target, and when it was carried out."""
    begun_ms: float = row["started_at"].timestamp() * 1000
    if is_refusal:
        is_no = row["outcome"] in {"skipped", "failed"}
        return is_no and abs(begun_ms - int(asked["asked_ms"])) <= 60_000
    start_ms = int(asked.get("start_ms") or asked["asked_ms"])
    is_target: bool = row["target_replicas"] == target
    return is_target and abs(begun_ms - start_ms) <= SOON_MS


def test_what_goes_on_as_the_metadata_begin_anew_is_gone_with_them() -> None:
    """As it does where its topic is deleted; epochs that begin anew tell which it is."""
    led = state_change(0.5, LED_BY_1).replace("epoch=1", "epoch=4")
    begun = elected(0, 3, 4) + moving(1, "events-9")
    gone = own(3, "Deletion of topic events successfully completed")
    gone = gone.replace("Controller id=", "Topic Deletion Manager ").replace(
        "KafkaController", "TopicDeletionManager"
    )
    stories = {
        "wiped": {(3, "controller"): begun + elected(40, 3, 1), (3, "state-change"): led},
        "deleted": {(3, "controller"): begun + gone + elected(40, 3, 5), (3, "state-change"): led},
    }
    found = built_of_many(stories, "reassignment")["reassignment"].sort("cluster_id")
    assert found.select("cluster_id", "outcome").rows() == [("deleted", "topic_deleted"), ("wiped", "wiped")]
