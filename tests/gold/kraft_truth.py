"""The truth beside the logs of a lab cluster in KRaft mode: its metadata log, and how tables compare with it."""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from tests.gold.truth import SETTLED_MS, ms
from tests.lab import Row, json_lines

Partition = tuple[str, int]
UNTOLD = "untold"  # no row, or a row that says so: what the partition is then is not known


class State(NamedTuple):
    """What holds of a partition from a time on (ms UTC); leader None: there is no such partition.

    written_at: when its record was written. Until it is committed the controller that wrote it says so, and no broker
    knows of it: both are right.
    """

    at: int
    leader: int | None
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    written_at: int


class Stretch(NamedTuple):
    """A stretch of time more than a second away from true changes in which truth and table each say one thing."""

    partition: Partition
    from_ms: int
    until_ms: int
    true: Any
    told: Any

    @property
    def seconds(self) -> float:
        return (self.until_ms - self.from_ms) / 1000


GONE = (None, (), ())


def true_states(cluster: Path) -> dict[Partition, list[State]]:
    """Every state of every partition that was appended to the metadata log, in order."""
    names: dict[str, str] = {}
    now: dict[tuple[str, int], State] = {}
    found: dict[Partition, list[State]] = defaultdict(list)
    for at, record in in_effect(cluster):
        kind, data = record["type"], record.get("data") or {}
        if kind == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
        elif kind == "REMOVE_TOPIC_RECORD":
            for key in [one for one in now if one[0] == data["topicId"]]:
                del now[key]
                found[names[key[0]], key[1]].append(State(at, *GONE, record["timestamp"]))
        elif kind in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD"):
            key = data["topicId"], data["partitionId"]
            before = now.get(key, State(at, *GONE, at))
            lists = {name: tuple(data[name]) for name in ("isr", "replicas") if data.get(name) is not None}
            leader = data.get("leader", -2)
            changed = lists if leader == -2 else lists | {"leader": leader}
            now[key] = before._replace(at=at, written_at=record["timestamp"], **changed)
            found[names[key[0]], key[1]].append(now[key])
    return found


def in_effect(cluster: Path) -> Iterator[tuple[int, Row]]:
    """Records with the time from which they hold: when they were appended; while most controllers are dead or frozen
    nothing is committed, and no broker hears of what was appended until another controller finds the next one."""
    records = json_lines(cluster / "truth" / "metadata-log.jsonl")
    joined = [record["timestamp"] for record in records if record["type"] == "REGISTER_CONTROLLER_RECORD"]
    lost = without_quorum(cluster)
    for record in records:
        at = record["timestamp"]
        is_lost = lost[bisect_right([since for since, _ in lost], at) - 1][1]
        later = [one for one in joined if one > at]
        yield (later[0] if is_lost and later else at), record


def without_quorum(cluster: Path) -> list[tuple[int, bool]]:
    """(time, whether from then on fewer than most of the controllers were running), in order."""
    run = json.loads((cluster / "truth" / "run.json").read_text())
    voters = {node["id"] for node in run["nodes"] if "controller" in node["roles"]}
    running, found = set(voters), [(0, False)]
    for act in json_lines(cluster / "truth" / "actions.jsonl"):
        args = act.get("args", {})
        if act["kind"] not in ("start", "signal") or args.get("node") not in voters:
            continue
        is_up = act["kind"] == "start" or args["signal"] == "SIGCONT"
        running = running | {args["node"]} if is_up else running - {args["node"]}
        at = act["end_ms"] if args.get("signal") == "SIGTERM" else act["start_ms"]
        found.append((at, len(running) * 2 <= len(voters)))
    return sorted(found)


def end_ms(cluster: Path) -> int:
    """The last record: what happened afterwards no controller wrote down."""
    return max(int(record["timestamp"]) for record in json_lines(cluster / "truth" / "metadata-log.jsonl"))


def begin_ms(cluster: Path) -> int:
    return min(one[0].at for one in true_states(cluster).values())


def told_steps(timeline: list[Row], of: Callable[[Row], Any]) -> dict[Partition, list[tuple[int, Any]]]:
    steps: dict[Partition, list[tuple[int, Any]]] = defaultdict(list)
    in_kraft = [row for row in timeline if row["topic_id"] is not None]
    for row in sorted(
        in_kraft, key=lambda row: (row["valid_from_at"], row["topic_life"], row["interval_seq"])
    ):
        own = steps[row["topic"], row["partition"]]
        own.append((ms(row["valid_from_at"]), of(row)))
        if row["valid_until_at"] is not None:
            own.append((ms(row["valid_until_at"]), None))
    return steps


def told_leader(row: Row) -> Any:
    return UNTOLD if row["leader"] is None or row["certainty"] == "undetermined" else row["leader"]


def told_isr(row: Row) -> Any:
    is_claimed = row["isr"] is not None and not row["is_isr_stale"] and row["certainty"] != "undetermined"
    return tuple(sorted(row["isr"])) if is_claimed else UNTOLD


def told_replicas(row: Row) -> Any:
    return UNTOLD if row["replicas"] is None or row["is_assignment_stale"] else tuple(row["replicas"])


ASPECTS: dict[str, tuple[Callable[[State], Any], Callable[[Row], Any]]] = {
    "leader": (lambda state: state.leader, told_leader),
    "isr": (lambda state: None if state.leader is None else tuple(sorted(state.isr)), told_isr),
    "replicas": (lambda state: None if state.leader is None else state.replicas, told_replicas),
}


def stretches(cluster: Path, timeline: list[Row], aspect: str) -> Iterator[Stretch]:
    """All of the time from the first record to the last but what is within a second of a true change of the aspect: of
    the time from when it was written to when it was committed."""
    of_truth, of_row = ASPECTS[aspect]
    end, told = end_ms(cluster), told_steps(timeline, of_row)
    truths = true_states(cluster)
    for partition in sorted(truths.keys() | told.keys()):
        true = changes([(state.at, of_truth(state)) for state in truths.get(partition, [])])
        own = told.get(partition, [])
        written = {state.at: state.written_at for state in reversed(truths.get(partition, []))}
        unsure = [(written[at] - SETTLED_MS, at + SETTLED_MS) for at, _ in true]
        edges = {edge for one in unsure for edge in one} | {at for at, _ in own} | {end}
        first = min(at for at, _ in [*true, *own])
        for left, right in pairwise(sorted(one for one in edges if first <= one <= end)):
            if not any(begin < right and until > left for begin, until in unsure):
                yield Stretch(partition, left, right, at_instant(true, left), at_instant(own, left))


def changes(steps: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Steps that change the value; of several in one millisecond the last one."""
    found: list[tuple[int, Any]] = []
    for at, value in dict(steps).items():
        if not found or found[-1][1] != value:
            found.append((at, value))
    return found


def at_instant(steps: list[tuple[int, Any]], instant: int) -> Any:
    place = bisect_right([at for at, _ in steps], instant)
    return steps[place - 1][1] if place else None


def sums(found: list[Stretch]) -> tuple[float, float, float]:
    """Partition-seconds right, undetermined and wrong, of the time in which there is such a partition."""
    right = sum(one.seconds for one in found if one.true is not None and one.told == one.true)
    unsure = sum(one.seconds for one in found if one.told == UNTOLD)
    return right, unsure, sum(one.seconds for one in wrong(found))


def wrong(found: list[Stretch]) -> list[Stretch]:
    return [one for one in found if one.told not in (UNTOLD, one.true)]


class Imbalance(NamedTuple):
    """What a broker answered (describe) of another, and the table at that time: (led elsewhere, preferred).

    is_settled: nothing had changed for a second and nothing did for another.
    """

    at_ms: int
    broker_id: int
    described: tuple[int, int]
    told: tuple[int, int] | None
    certainty: str | None
    is_settled: bool


def imbalances(cluster: Path, imbalance: list[Row]) -> Iterator[Imbalance]:
    truths = true_states(cluster).values()
    changed = sorted({state.at for states in truths for state in states})
    for one in json_lines(cluster / "truth" / "describe.jsonl"):
        counts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for topic in one["topics"].values():
            for state in topic["partitions"].values():
                own = counts[state["replicas"][0]]
                own[0] += state["leader"] != state["replicas"][0]
                own[1] += 1
        at = one["start_ms"]
        rows = {row["broker_id"]: row for row in imbalance if is_in_force(row, at)}
        is_settled = all(abs(at - each) > SETTLED_MS for each in changed)
        for broker, (elsewhere, preferred) in sorted(counts.items()):
            row = rows.get(broker)
            told = (row["led_elsewhere_count"], row["preferred_count"]) if row else None
            certainty = row["certainty"] if row else None
            yield Imbalance(at, broker, (elsewhere, preferred), told, certainty, is_settled)


def is_in_force(row: Row, at: int) -> bool:
    until = row["valid_until_at"]
    return ms(row["valid_from_at"]) <= at and (until is None or at < ms(until))


def report(cluster: Path, timeline: list[Row], shown: int = 12) -> None:
    """Prints partition-seconds by aspect, and the worst that is wrong."""
    for aspect in ASPECTS:
        found = list(stretches(cluster, timeline, aspect))
        right, unsure, off = sums(found)
        print(
            f"  {aspect:9} right {right:9.1f}  undetermined {unsure:7.1f}  wrong {off:7.1f}  ({len(wrong(found))})"
        )
        for one in sorted(wrong(found), key=lambda one: -one.seconds)[:shown]:
            print("     ", json.dumps(one), round(one.seconds, 3))
