"""Nothing vanishes when a line's collection is taken apart: counted by a parser that shares nothing with the builds."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.model.lines.families import family_feeds
from tests.chain import kernel
from tests.rows import broken_rules, declared_rows, records_of

FAMILIES = (
    "assignment",
    "control_request",
    "controller_step",
    "broker_event",
    "reassignment_event",
    "election_event",
)
SAMPLES = ("lab/3.9.1-zk-stock", "public/0.8.2.1-*")
NO_OBJECT = {"none_left", "accepted", "batch", "enabled"}  # steps of lines that name no partition


def one(_: str) -> int:
    return 1


def between(text: str, before: str, after: str = " (kafka") -> str:
    return text.split(before, 1)[1].split(after, 1)[0]


def items(text: str) -> int:
    """Elements of `a,b`, `[a,0],[b,1]`, `Set(a, b)`, each once."""
    inner = re.sub(r"^\w*\(|\)$", "", text.strip())
    found = re.findall(r"\[[^\]]*\]", inner) if inner.startswith("[") else inner.split(",")
    return len({one.strip() for one in found if one.strip()})


def arrows(text: str) -> int:
    return text.count(" -> ")


def leaders(text: str) -> int:
    return len(re.findall(r"[ ,]leader: ", text))


def listed(*between_what: str) -> Callable[[str], int]:
    return lambda text: items(between(text, *between_what))


def holding(*any_of: str) -> Callable[[str], int]:
    return lambda text: int(any(one in text for one in any_of))


def broker_change(text: str) -> int:
    parts = re.split(
        r"(?:Newly added|deleted|bounced|all live) brokers: ", text.split(" (kafka", maxsplit=1)[0]
    )[1:]
    return sum(items(part.strip(", ")) for part in parts)


def znode(text: str) -> int:
    return len(json.loads(between(text, " with ", " for replica assignment"))["partitions"])


def removed(text: str) -> int:
    if "artition [" in text or " partition " in text:
        return 1
    return arrows(text) if "Map" in text else items(between(text, "partitions ", " from the list"))


def resumed(text: str) -> int:
    return (
        arrows(text)
        if "Map" in text
        else items(text.rsplit(": ", maxsplit=1)[-1].split(" (kafka", maxsplit=1)[0])
    )


def pending(text: str) -> int:
    return items(re.split(r"election(?: for partitions)?: ", text)[1].split(" (kafka")[0])


def skipped(text: str) -> int:
    if "due to topic deletion" in text:
        return items(between(text, "deletion: "))
    return items(re.split(r" since | by ", between(text, "partitions "))[0]) if "partitions " in text else 1


def results(text: str) -> int:
    waiting = items(between(text, "waiting: ", ", results")) if "waiting: " in text else 0
    return waiting + arrows(text)


def started(text: str) -> int:
    return items(between(text, "for partitions ").split(" triggered by")[0])


# How many rows the text of a line asks for; every other event of a family gives one a line.
EXPECTED: dict[str, dict[str, Callable[[str], int]]] = {
    "assignment": {
        "topic_change": lambda text: arrows(between(text, "replica assignment [")),
        "partitions_to_be_added": arrows,
        "imbalance_not_preferred": arrows,
        "reassignment_zk_path_updated": znode,
        "partition_transition": holding("with assigned replicas"),
        "partition_created": holding("Registration(", "ControlInfo("),
        "broker_become_leader_noop": holding("since it is already the leader with leader epoch"),
        "broker_become_follower_noop": holding("since it is already a follower with leader epoch"),
    },
    "control_request": {
        "stop_replica_request": lambda text: text.count("Topic="),
        "broker_become_leader_noop": holding("with correlation id"),
        "broker_become_follower_noop": holding("with correlation id"),
    },
    "controller_step": {
        "thread_lifecycle": lambda text: int(
            bool(re.search(r"controller-event-thread|ControllerEventThread", text))
        ),
        "migration_zk_state": holding("changing", "Transitioning"),
    },
    "broker_event": {
        "broker_change": broker_change,
        "broker_change_fired": listed("with children "),
        "broker_startup": listed("callback for "),
        "broker_failure": listed("callback for "),
        "broker_removed_from_shutting_down": listed("Removed ", " from list"),
        "controller_live_brokers": listed("in the cluster: "),
        "controller_shutting_brokers": listed("in the cluster: "),
        "controlled_shutdown_shutting_brokers": listed("brokers: "),
        "controlled_shutdown_live_brokers": listed("brokers: "),
        "controller_broker_epochs": arrows,
        "migration_brokers_changed": lambda text: text.count(" : ("),
        "thread_lifecycle": holding("-send-thread]"),
    },
    "reassignment_event": {"reassignment_removed": removed, "reassignment_resumed_list": resumed},
    "election_event": {
        "preferred_election_started": started,
        "preferred_election_pending_list": pending,
        "preferred_election_skipped": skipped,
        "preferred_election_results": results,
        "leader_isr_update_list": listed("partition(s): ", " (org."),
        "partition_diff": leaders,
        "partition_diff_unclean": leaders,
        "partition_transition": holding(" with leader ", " with state "),
        "partition_transition_failed": holding("to OnlinePartition"),
        "periodic_task_run": holding("task elect"),
    },
}


OTHERS = (
    "lab/1.0.2-zk-stock",
    "lab/3.9.2-kraft-migration-stock",
    "lab/0.11.0.3-zk-stock",
    "lab/2.2.2-zk-stock",
    "lab/2.5.1-zk-stock",
    "lab/2.6.3-zk-*",
    "lab/3.2.3-zk-*",
    "lab/3.3.2-kraft-*",
    "lab/3.9.1-zk-trace",
    "lab/3.9.2-kraft-separate-stock",
    "lab/4.0.0-kraft-*",
    "lab/4.3.1-kraft-combined-trace",
    "lab/4.3.1-kraft-separate-stock",
    "public/*",
)


@pytest.mark.parametrize(
    "clusters", [*SAMPLES, *(pytest.param(one, marks=pytest.mark.soak) for one in OTHERS)]
)
def test_rows_of_a_line_are_its_elements(shared: Path, clusters: str) -> None:
    folders = sorted(one for one in (shared / "corpus").glob(clusters) if one.is_dir())
    assert folders
    for folder in folders:
        wrong = {family: problems(family, records_of(folder)) for family in FAMILIES}
        assert wrong == {family: [] for family in FAMILIES}, folder


def problems(family: str, log_record: pl.DataFrame) -> list[str]:
    """Lines whose rows are not as many as their elements, rows without object, and what breaks the declaration."""
    spec = BY_SHORT_NAME[family].spec
    built = declared_rows(kernel(spec)(log_record), spec)
    rows = built.to_dicts()
    told = Counter((row["file_id"], row["byte_offset"]) for row in rows)
    is_fed = (
        pl.col("event").is_in([feed.event for feed in family_feeds(family)])
        & pl.col("logged_at").is_not_null()
    )
    lines = log_record.filter(is_fed).select("file_id", "byte_offset", "event", "raw")
    found = []
    for file_id, byte_offset, event, raw in lines.rows():
        text = raw.decode("utf-8", "replace")
        wanted = EXPECTED[family].get(event, one)(text.splitlines()[0])
        if told.pop((file_id, byte_offset), 0) != wanted:
            found.append(f"{wanted} expected: {text[:300]}")
    found += [f"rows of no line: {key}" for key in told]
    found += [f"unread: {row}" for row in rows if is_unread(family, row)]
    return found + broken_rules(built, spec)


def is_unread(family: str, row: dict[str, Any]) -> bool:
    """A row of a collection that could not be taken apart has no object."""
    if family in ("controller_step", "control_request"):
        return False
    if family == "broker_event":
        return row["broker_id"] is None
    return row["partition"] is None and row["step"] not in NO_OBJECT
