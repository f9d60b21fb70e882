"""The truth beside the logs of a lab cluster in ZooKeeper mode, and how tables compare with it."""

import gzip
import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from tests.gold.lab_runs import changes, kept_its_session, wiped_ms
from tests.lab import Row, json_lines

Partition = tuple[str, int]
Value = int | tuple[int, ...] | str | None  # of a partition at an instant; None: no such partition
Change = tuple[int, Value]  # time in ms UTC, value from then on
UNKNOWN = "not claimed"
ENDINGS = {
    "kill": "crashed",
    "controlled_shutdown": "shutdown",
    "sigstop": "session_expired",
    "delete_znode": "znode_gone",
}
NOBODY = -1
TRUNCATED = re.compile(r"partition=(\S+?), dir=\S+\] Truncating to offset \d+|Truncating log (\S+) to offset")
SETTLED_MS = 1_000  # logs follow ZooKeeper by some ms, by several hundred in a burst


class Term(NamedTuple):
    epoch: int
    controller_id: int
    ended_how: str


def terms(cluster: Path) -> list[tuple[Term, int]]:
    """Every term with the time of its election, ms; how it ended by what was last done to its controller."""
    elected: dict[int, tuple[int, int]] = {}
    holder, created_ms = -1, 0
    for change in changes(cluster):
        if change["path"] == "/controller" and change["op"] == "create":
            holder, created_ms = change["data"]["brokerid"], change["time_ms"]
        elif change["path"] == "/controller_epoch" and change["data"]:
            elected.setdefault(change["data"], (holder, created_ms))
    found = []
    epochs = sorted(elected)
    for epoch in epochs:
        controller_id, from_ms = elected[epoch]
        until_ms = elected[epoch + 1][1] if epoch + 1 in elected else None
        found.append((Term(epoch, controller_id, ending(cluster, controller_id, from_ms, until_ms)), from_ms))
    return found


def ending(cluster: Path, controller_id: int, from_ms: int, until_ms: int | None) -> str:
    """By the last action on the controller; who had none and left all the same did so by itself."""
    if until_ms is None:
        return "open"
    done = [
        ENDINGS[act["kind"]]
        for act in json_lines(cluster / "truth" / "actions.jsonl")
        if act["kind"] in ENDINGS
        and from_ms <= act["start_ms"] < until_ms
        and (act.get("broker") == controller_id or act.get("path") == "/controller")
        and not (act["kind"] == "sigstop" and kept_its_session(cluster, controller_id, act["start_ms"]))
    ]
    return done[-1] if done else "forced"


def true_values(cluster: Path, column: str) -> dict[Partition, list[Change]]:
    """Every change of leader, ISR (in order of ids) or assigned replicas that ZooKeeper saw, in order.

    ISR and replicas of a topic that is queued for deletion are left open: its partitions may be gone already (from
    2.1 on they go first) while their znodes wait for a replica.
    """
    found: dict[Partition, list[Change]] = defaultdict(list)
    of_topic = assigned if column == "replicas" else stated
    for change in changes(cluster):
        parts = change["path"].split("/")[1:]
        if parts[:2] == ["admin", "delete_topics"] and len(parts) == 3 and change["op"] == "create":
            ended = [] if column == "leader" else [one for one in found if one[0] == parts[2]]
            said: list[tuple[Partition, Value]] = [(partition, UNKNOWN) for partition in ended]
        else:
            said = list(of_topic(change, parts, column, list(found)))
        for partition, value in said:
            known = found[partition]
            is_open = bool(known) and known[-1][1] == UNKNOWN and value is not None
            if not is_open and (not known or known[-1][1] != value):
                known.append((change["time_ms"], value))
    return found


def stated(
    change: Row, parts: list[str], column: str, _: list[Partition]
) -> Iterator[tuple[Partition, Value]]:
    """What a write to the state of a partition says of it."""
    if parts[:2] == ["brokers", "topics"] and len(parts) == 6 and parts[5] == "state":
        value = comparable(change["data"][column]) if change["op"] != "delete" else None
        yield (parts[2], int(parts[4])), value


def assigned(
    change: Row, parts: list[str], _: str, known: list[Partition]
) -> Iterator[tuple[Partition, Value]]:
    """The assigned replicas that a write to a topic says."""
    if parts[:2] == ["brokers", "topics"] and len(parts) == 3:
        if change["op"] == "delete":
            yield from ((partition, None) for partition in known if partition[0] == parts[2])
        else:
            entries = (change["data"] or {}).get("partitions", {})
            yield from (((parts[2], int(number)), tuple(replicas)) for number, replicas in entries.items())


def comparable(value: int | list[int]) -> Value:
    return tuple(sorted(value)) if isinstance(value, list) else value


def told_values(timeline: list[Row], column: str) -> dict[Partition, list[Change]]:
    """The same from gold.partition_timeline; None also after the last interval of a life."""
    changes: dict[Partition, list[Change]] = defaultdict(list)
    for row in sorted(timeline, key=lambda row: (row["topic_life"], row["interval_seq"])):
        known = changes[row["topic"], row["partition"]]
        is_stale = row.get({"isr": "is_isr_stale", "replicas": "is_assignment_stale"}.get(column, ""))
        is_claimed = row["certainty"] != "undetermined" and not is_stale
        told = value_of(row, column) if is_claimed else UNKNOWN
        known.append((ms(row["valid_from_at"]), told))
        if row["valid_until_at"] is not None:
            known.append((ms(row["valid_until_at"]), None))
    return changes


def value_of(row: Row, column: str) -> Value:
    value = row[column]
    if column == "replicas":
        return tuple(value or ()) or None
    return None if value is None else comparable(value)


def wrong_values(
    cluster: Path, timeline: list[Row], column: str
) -> Iterator[tuple[Partition, int, Value, Value]]:
    """(partition, instant, truth, told) wherever they differ more than SETTLED_MS away from a true change.

    Nobody leads where the leader is -1 and where there is no such partition: a state znode outlives its
    partition while a deletion is stuck, and comes only with the first leader. What is marked as stale is not claimed.
    """
    told = told_values(timeline, column)
    true = true_values(cluster, column)
    for partition in sorted(true.keys() | told.keys()):
        changes = true.get(partition, [])
        for instant in sorted({at + SETTLED_MS + 1 for at, _ in [*changes, *told.get(partition, [])]}):
            if any(abs(at - instant) <= SETTLED_MS for at, _ in changes):
                continue
            expected, found = at_instant(changes, instant), at_instant(told.get(partition, []), instant)
            if UNKNOWN not in (expected, found) and (expected or NOBODY) != (found or NOBODY):
                yield partition, instant, expected, found


def at_instant(changes: list[Change], instant: int) -> Value:
    """The value in force; of several changes in one millisecond the last one."""
    place = bisect_right([at for at, _ in changes], instant)
    return changes[place - 1][1] if place else None


def end_state(cluster: Path) -> dict[Partition, tuple[int, tuple[int, ...]]]:
    """Leader and assigned replicas of every partition at the end; topics that are being deleted are left out."""
    name = "final.json" if wiped_ms(cluster) is None else "final-life1.json"
    final = json.loads((cluster / "truth" / name).read_text())
    return {
        (one["topic"], one["partition"]): (one["leader"], tuple(one["replicas"]))
        for one in final["partitions"]
        if one["topic"] not in final["deleting"]
    }


def told_end_state(timeline: list[Row]) -> dict[Partition, tuple[int, tuple[int, ...]]]:
    return {
        (row["topic"], row["partition"]): (row["leader"], tuple(row["replicas"] or ()))
        for row in timeline
        if row["valid_until_at"] is None
    }


class Ratio(NamedTuple):
    """One of Kafka's ratio lines: its value, ours, and whether its controller had a successor by then."""

    epoch: int
    broker_id: int
    kafka_ratio: float
    ratio: float | None
    is_zombie: bool


def ratios(observed: list[Row], lines: list[Row], imbalance: list[Row], tenures: list[Row]) -> list[Ratio]:
    """Each ratio line beside the interval of its broker that was in force just before the line.

    Order: time, then term and place in the term, as that of gold.leader_imbalance; times alone leave lines
    and changes of one millisecond undecided.
    """
    places = {(row["file_id"], row["byte_offset"]): place_of(row) for row in lines}
    by_broker = defaultdict(list)
    for row in imbalance:
        opened = row["evidence"][0]
        place = places[opened["file_id"], opened["byte_offset"]]
        by_broker[row["broker_id"]].append(((row["valid_from_at"], *place[1:]), row["imbalance_ratio"]))
    superseded = {row["controller_epoch"]: row["superseded_at"] for row in tenures}
    found = []
    for row in sorted(observed, key=lambda row: places[row["file_id"], row["byte_offset"]]):
        place = places[row["file_id"], row["byte_offset"]]
        before = [ratio for at, ratio in sorted(by_broker[row["broker_id"]]) if at < place]
        epoch = place[1]
        is_zombie = superseded[epoch] is not None and row["checked_at"] > superseded[epoch]
        ratio = before[-1] if before else None
        found.append(Ratio(epoch, row["broker_id"], row["kafka_ratio"], ratio, is_zombie))
    return found


def place_of(line: Row) -> tuple[datetime, int, int]:
    return line["ordered_at"], int(line["term_id"].split("-")[1]), line["seq"]


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def given_alone(cluster: Path) -> dict[str, int]:
    """How many records a partition was given by the action before its leader, the last in sync, was killed."""
    given: dict[str, int] = {}
    for line in (cluster / "truth" / "actions.jsonl").read_text().splitlines():
        action = json.loads(line)
        if action["kind"] == "produce" and action["partition"] is not None:
            given.setdefault(f"{action['topic']}-{action['partition']}", action["acked"])
    return given


def truncated(cluster: Path) -> set[str]:
    """Partitions of which a broker cut off records, by its server.log; but for the quorum's own log, which raft
    leads."""
    found = set()
    for path in cluster.glob("*/server.log*"):
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found |= {match[1] or match[2] for match in TRUNCATED.finditer(text.decode(errors="replace"))}
    return found - {"__cluster_metadata-0"}
