"""What was done to a lab cluster, by its truth, beside the changes that its logs are said to show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

from pipeline.views.reading.rows import Row
from tests.lab import json_lines

EARLY_MS, LATE_MS = 50, 3_000
# Of what waits: a controller without quorum, or one that cannot write.
WAITS_MS = 60_000
OF_SUBJECT = {
    "create_topic": ("topic_created", "creation_refused"),
    "delete_topic": ("deletion", "deletion_of_nothing", "deletion_refused"),
    "add_partitions": ("topic_grown",),
    "reassign": ("reassignment", "reassignment_overridden", "reassignment_refused", "reassignment_cancelled"),
    "cancel_reassign": ("reassignment_cancelled", "reassignment_refused"),
    "preferred_election": ("preferred_election",),
    "unclean_election": ("unclean_election",),
    "controlled_shutdown": ("controlled_shutdown",),
    "bump_version": ("epoch_rewritten",),
    "delete_controller": ("controller_znode_deleted", "controller_resigned"),
    "delete_topic_znode": ("topic_removed_by_hand",),
    "alter_configs": ("settings",),
    "throttle": ("settings",),
    "unregister_broker": ("broker_unregistered",),
    "wipe": ("metadata_wiped",),
}
ZNODES = {"/controller": "delete_controller"}
TOPIC_ZNODE = "/brokers/topics/"
REASSIGNS = ("reassign", "reassign_to_dead", "reassign_override", "reassign_refused", "reassign_deleted",
             "reassign_without_quorum")  # fmt: skip
THROTTLES = ("throttle", "unthrottle")
TERM_SIGNAL = "SIGTERM"


@dataclass(frozen=True)
class Asked:
    """One thing that was asked for. subjects: topics, brokers or partitions, any of which tells it. is_done: the answer
    says so. is_waiting: it has no answer."""

    what: str
    at_ms: int
    until_ms: int
    subjects: frozenset[str]
    is_done: bool
    is_waiting: bool = False


@dataclass
class Judged:
    """found: has its change. missing: was done and has none. silent: was refused or answered by an error, and has none.
    surplus: changes that nobody asked for."""

    found: list[Asked] = field(default_factory=list)
    missing: list[Asked] = field(default_factory=list)
    silent: list[Asked] = field(default_factory=list)
    surplus: list[Row] = field(default_factory=list)


def asked_of(cluster: Path) -> list[Asked]:
    read = of_kraft if "-kraft-" in cluster.name else of_zookeeper
    return [one for action in json_lines(cluster / "truth" / "actions.jsonl") for one in read(action)]


def of_zookeeper(action: Row) -> Iterator[Asked]:
    kind, path = action["kind"], action.get("path", "")
    if kind == "delete_znode":
        kind = ZNODES.get(path, "delete_topic_znode" if path.startswith(TOPIC_ZNODE) else "other")
    if kind not in OF_SUBJECT and kind not in THROTTLES:
        return
    if kind in THROTTLES:
        for entity in (
            *(f"broker {one}" for one in action["brokers"]),
            *(f"topic {one}" for one in action["topics"]),
        ):
            yield Asked("throttle", action["start_ms"], action["end_ms"], frozenset([entity]), is_ok(action))
        return
    listed = action.get("moves") or action.get("partitions") or []
    parts = [f"{one[0]}-{one[1]}" for one in listed] if isinstance(listed, list) else []
    subjects = {
        "delete_topic_znode": [path.removeprefix(TOPIC_ZNODE)],
        "controlled_shutdown": [str(action.get("broker"))],
    }.get(kind, [action["topic"]] if "topic" in action else parts)
    yield Asked(
        kind,
        action["start_ms"],
        action["end_ms"],
        frozenset(subjects),
        is_ok(action),
        action["result"] != "ok",
    )


def is_ok(action: Row) -> bool:
    return action["result"] == "ok" and not any(one[-1] for one in action.get("reply") or [])


def of_kraft(action: Row) -> Iterator[Asked]:
    kind, args, result = action["kind"], action.get("args") or {}, action.get("result")
    times = (action["start_ms"], action["end_ms"])
    if kind in ("create_topics", "delete_topics"):
        errors = {one["name"]: one["error_code"] for one in result or []}
        for topic in args["topics"]:
            yield Asked(kind[:-1], *times, frozenset([topic]), errors.get(topic) == 0, result is None)
    elif kind == "create_partitions":
        yield Asked("add_partitions", *times, frozenset([args["topic"]]), is_done=True)
    elif kind in REASSIGNS or kind == "cancel_reassignment":
        for move in args["moves"]:
            name = f"{move['topic']}-{move['partition']}"
            what = "cancel_reassign" if move["replicas"] is None else "reassign"
            yield Asked(what, *times, frozenset([name]), (result or {}).get(name) == "NONE", result is None)
    elif kind == "elect_leaders":
        yield Asked(f"{args['type']}_election", *times, frozenset(), is_done=True)
    elif kind == "signal" and args["signal"] == TERM_SIGNAL and "broker" in args["roles"]:
        yield Asked("controlled_shutdown", *times, frozenset([str(args["node"])]), is_done=True)
    elif kind == "alter_configs":
        name = args["name"] if args["resource"] == "topic" else f"broker {args['name']}"
        name = "all brokers" if name == "broker " else name
        yield Asked(
            kind,
            *times,
            frozenset([name]),
            all(one == "OK" for each in (result or {}).values() for one in each.values()),
        )
    elif kind == "unregister_broker":
        yield Asked(kind, *times, frozenset([str(args["node"])]), is_done=True)


def moved_at(cluster: Path) -> frozenset[tuple[str, int]]:
    """Partitions and times (ms) of records of KRaft's metadata log that add or remove replicas: those have lines."""
    file = cluster / "truth" / "metadata-log.jsonl"
    records = json_lines(file) if file.is_file() else []
    names = {one["data"]["topicId"]: one["data"]["name"] for one in records if one["type"] == "TOPIC_RECORD"}
    return frozenset(
        (f"{names[one['data']['topicId']]}-{one['data']['partitionId']}", int(one["timestamp"]))
        for one in records
        if one["type"] == "PARTITION_CHANGE_RECORD"
        and (one["data"].get("addingReplicas") or one["data"].get("removingReplicas"))
    )


def judged(
    asked: Sequence[Asked], rows: Sequence[Row], moved: frozenset[tuple[str, int]] | None = None
) -> Judged:
    """Each request with the first change that is of its kind and subject, and within its time. A change may be of
    several partitions that were asked for apart. moved: of moved_at;
    None: every reassignment has its line."""
    found, used = Judged(), set[int]()
    for one in sorted(asked, key=lambda each: (not each.is_done, each.at_ms)):
        fitting = [index for index, row in enumerate(rows) if is_of(one, row)]
        own = next((index for index in fitting if index not in used or rows[index]["partitions"]), None)
        if own is None:
            is_silent = not one.is_done or is_in_one_step(one, moved)
            (found.silent if is_silent else found.missing).append(one)
        else:
            used.add(own)
            found.found.append(one)
    found.surplus = [
        row
        for index, row in enumerate(rows)
        if index not in used and row["asked_by"] != "broker" and row["kind"] != "migration"
    ]
    return found


def is_in_one_step(one: Asked, moved: frozenset[tuple[str, int]] | None) -> bool:
    """Another order, a replica less, or nothing at all: KRaft has no line for it."""
    if moved is None or one.what != "reassign":
        return False
    return not any(
        name in one.subjects and one.at_ms <= at_ms <= one.until_ms + LATE_MS for name, at_ms in moved
    )


def is_of(one: Asked, row: Row) -> bool:
    waits = WAITS_MS if one.is_waiting or one.what in ("bump_version", "wipe") else 0
    at_ms = row["at"].astimezone(UTC).timestamp() * 1000
    if not one.at_ms - EARLY_MS <= at_ms <= one.until_ms + LATE_MS + waits:
        return False
    return row["kind"] in OF_SUBJECT[one.what] and (not one.subjects or bool(one.subjects & subjects_of(row)))


def subjects_of(row: dict[str, Any]) -> set[str]:
    broker = [str(row["broker_id"])] if row.get("broker_id") is not None else []
    return {
        *(row["topics"] or []),
        *(row["partitions"] or []),
        *broker,
        *([row["resource"]] if row.get("resource") else []),
    }
