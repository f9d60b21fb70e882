"""What became of topics, as targets, ZooKeeper's transactions and metadata logs say, to be compared with the table."""

import csv
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.gold.truth import ms
from tests.lab import Row, json_lines

COMPARED = (
    *("topic", "life", "topic_id", "created_at", "partitions", "replication", "online_ms", "serving_ms"),
    *("partitions_added", "deletion_requested_at", "deletion_started_at", "deletion_completed_at"),
    *("deletion_ms", "put_off_at", "dead_replicas", "failed_replicas", "resumed_at", "resumed_by"),
)


def targets(shared: Path, cluster: str) -> list[dict[str, str]]:
    """Lives of a lab cluster in ZooKeeper mode, as the naive twin read them from its lines."""
    path = shared / "kafka" / "open-audits" / "targets" / "topic_lifecycle.tsv"
    with path.open() as file:
        rows = [one for one in csv.DictReader(file, delimiter="\t") if one["cluster"] == cluster]
    found = []
    for one in rows:
        row = {name: one[name] for name in COMPARED}
        row["put_off_at"] = row["put_off_at"].split(";")[0]
        row["failed_replicas"] = ";".join(sorted(set(filter(None, row["failed_replicas"].split(";")))))
        found.append(row)
    return in_order(found)


def as_targets(lives: Iterable[Row]) -> list[dict[str, str]]:
    """Rows of gold.topic_lifecycle as the targets write them."""
    return in_order(
        {
            "topic": one["topic"],
            "life": str(one["topic_life"]),
            "topic_id": one["topic_id"] or "",
            "created_at": iso(one["created_at"]),
            "partitions": text(one["partition_count"]),
            "replication": ",".join(map(str, one["replication"] or [])),
            "online_ms": text(one["online_ms"]),
            "serving_ms": text(one["serving_ms"]),
            "partitions_added": ";".join(
                f"{iso(part['at'])} {part['from_count']}->{part['to_count']}" for part in one["grown"]
            ),
            "deletion_requested_at": iso(one["deletion_requested_at"]),
            "deletion_started_at": ";".join(map(iso, one["deletion_started_at"])),
            "deletion_completed_at": iso(one["completed_at"]),
            "deletion_ms": text(one["deletion_ms"]),
            "put_off_at": iso(one["put_off_at"]),
            "dead_replicas": replicas(one, "dead_replica"),
            "failed_replicas": replicas(one, "replica_deletion_failed"),
            "resumed_at": ";".join(map(iso, one["resumed_at"])),
            "resumed_by": ";".join(by.removeprefix("broker ") for by in one["resumed_by"]),
        }
        for one in lives
    )


def in_order(rows: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(rows, key=lambda one: (one["topic"], one["life"]))


def replicas(life: Row, blocked_by: str) -> str:
    if life["blocked_by"] != blocked_by:
        return ""
    return ";".join(sorted(f"{one['partition']}/{one['broker_id']}" for one in life["blocking_replicas"]))


def iso(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]


def text(value: Any) -> str:
    return "" if value is None else str(value)


RIGHT, UNDETERMINED, WRONG = "right", "undetermined", "wrong"
SETTLED_MS = 1_000  # between what was done to znodes, or the metadata log, and the line that says so
WAITED = {"failed log directory": "storage_error", "dead broker": "dead_replica"}


def judged(asked: dict[str, str], lives: list[Row]) -> tuple[str, str]:
    """Whether the table tells what became of one deletion (a row of truth/deletions.tsv), and what it tells."""
    outcome = asked.get("outcome") or ("completed" if asked["completed_ms"] else "not_done")
    at_ms = int(asked["completed_ms"] or asked["asked_ms"])
    own = [one for one in lives if one["topic"] == asked["topic"]]
    near = [one for one in own if one["ended_at"] and abs(ms(one["ended_at"]) - at_ms) <= SETTLED_MS]
    if outcome == "not_done":
        ended = [one for one in own if one["ended_at"]]
        return (WRONG, "ended") if ended else (RIGHT, "goes on")
    if not near:
        return WRONG, "no life ends then"
    (life,) = near
    how = {"completed": "deleted", "removed_by_hand": "removed_by_hand", "ignored": None}[outcome]
    said = f"{life['ended_how']}, {life['deletion_state']}, {life['blocked_by']}"
    if life["ended_how"] != how or (how is None and life["deletion_state"] != "ignored_nonexistent"):
        return WRONG, said
    return (RIGHT if is_told_why(asked.get("delayed_by", ""), life) else WRONG), said


def is_told_why(delayed_by: str, life: Row) -> bool:
    """What held it, on which broker and of which partitions where the truth names them."""
    held = [(words, why) for words, why in WAITED.items() if words in delayed_by]
    if not held:
        return life["blocked_by"] is None
    words, why = held[0]
    (broker,) = re.findall(rf"{words} (?:of broker )?(\d+)", delayed_by)
    named = re.findall(r"\(partitions ([\d,]+)\)", delayed_by)
    found = {(one["partition"], one["broker_id"]) for one in life["blocking_replicas"]}
    is_there = {one for _, one in found} == {int(broker)}
    parts = {int(one) for text in named for one in text.split(",")}
    return life["blocked_by"] == why and is_there and (not parts or parts == {part for part, _ in found})


def kraft_topics(cluster: Path) -> dict[str, dict[str, Any]]:
    """By id what the metadata log says of topics: name, at_ms, gone_ms, partitions at first and later."""
    found: dict[str, dict[str, Any]] = {}
    for one in json_lines(cluster / "truth" / "metadata-log.jsonl"):
        data, at_ms = one.get("data") or {}, one["timestamp"]
        if one["type"] == "TOPIC_RECORD":
            found[data["topicId"]] = {
                "name": data["name"], "at_ms": at_ms, "gone_ms": None, "first": set(), "added": set(),
            }  # fmt: skip
        elif one["type"] == "PARTITION_RECORD":
            own = found[data["topicId"]]
            own["first" if at_ms == own["at_ms"] else "added"].add(data["partitionId"])
        elif one["type"] == "REMOVE_TOPIC_RECORD":
            found[data["topicId"]]["gone_ms"] = at_ms
    return found
