"""What a lab cluster held at any time by ZooKeeper's transactions, or by the records of the metadata log."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from tests.gold.lab_runs import wiped_ms
from tests.lab import Row, json_lines

STEP_MS, NEAR_MS = 250, 1_000
LATE_MS = 5_000  # a controller that has lost its quorum goes on appending for so long at most
SETS = ("live_broker", "topic", "queued_for_deletion", "being_reassigned")
NOBODY = -1
Value = frozenset[str] | int | None
Values = dict[str, Value]
Change = tuple[int, Values]


class Score(NamedTuple):
    """Samples: equal at once, equal within NEAR_MS, not told by the logs or by the truth, wrong."""

    at_once: int
    near: int
    undetermined: int
    wrong: int


class Held:
    """Brokers, topics, partitions as they are while changes are applied to them."""

    def __init__(self) -> None:
        self.live: set[str] = set()
        self.fenced: set[str] = set()
        self.queued: set[str] = set()
        self.replicas: dict[tuple[str, int], list[int]] = {}
        self.leaders: dict[tuple[str, int], int] = {}
        self.isr: dict[tuple[str, int], list[int]] = {}
        self.added: dict[tuple[str, int], list[int]] = {}
        self.moving: set[tuple[str, int]] = set()
        self.topics: set[str] = set()
        self.names: dict[str, str] = {}  # by topic id
        self.lists: dict[
            tuple[str, int], Row
        ] = {}  # by topic id and partition: what is being added and removed

    def values(self) -> Values:
        led = {
            one: leader
            for one, leader in self.leaders.items()
            if one[0] not in self.queued and one in self.replicas
        }
        named = frozenset(f"{topic}-{partition}" for topic, partition in self.moving)
        return {
            "live_broker": frozenset(self.live),
            "topic": frozenset(self.topics),
            "queued_for_deletion": frozenset(self.queued),
            "being_reassigned": named,
            "ActiveBrokerCount": len(self.live),
            "FencedBrokerCount": len(self.fenced),
            "OfflinePartitionsCount": sum(
                leader == NOBODY or str(leader) not in self.live for leader in led.values()
            ),
            "PreferredReplicaImbalanceCount": sum(
                self.is_imbalanced(one, leader) for one, leader in led.items()
            ),
            "GlobalTopicCount": len(self.topics),
            "GlobalPartitionCount": len(self.replicas),
            "TopicsToDeleteCount": len(self.queued),
        }

    def is_imbalanced(self, partition: tuple[str, int], leader: int) -> bool:
        """A head that is being added counts once it is in sync (ZooKeeper, from 2.4)."""
        head = self.replicas[partition][0]
        return head in self.isr[partition] if head in self.added.get(partition, ()) else leader != head


def changes(cluster: Path) -> list[Change]:
    """(ms, what is held from then on), in order of time."""
    is_kraft = (cluster / "truth" / "metadata-log.jsonl").is_file()
    return list(of_kraft(cluster) if is_kraft else of_zookeeper(cluster))


def of_zookeeper(cluster: Path) -> Iterator[Change]:
    held = Held()
    is_old = tuple(int(one) for one in cluster.name.split("-")[0].split(".")[:2]) < (2, 4)
    emptied_ms = wiped_ms(cluster)
    for change in json_lines(cluster / "truth" / "znodes_txn.jsonl"):
        if emptied_ms is not None and change["time_ms"] >= emptied_ms:
            held, emptied_ms = Held(), None
        parts, data = change["path"].split("/")[1:], change["data"]
        is_gone, fields = change["op"] == "delete", data if isinstance(data, dict) else {}
        match parts:
            case ["brokers", "ids", broker]:
                (held.live.discard if is_gone else held.live.add)(broker)
            case ["admin", "delete_topics", topic]:
                (held.queued.discard if is_gone else held.queued.add)(topic)
            case ["admin", "reassign_partitions"] if is_old:
                asked = [] if is_gone else fields.get("partitions", [])
                held.moving = {(one["topic"], one["partition"]) for one in asked}
            case ["brokers", "topics", topic]:
                apply_topic(held, topic, is_gone, fields, is_old)
            case ["brokers", "topics", topic, "partitions", partition, "state"]:
                if is_gone:
                    held.leaders.pop((topic, int(partition)), None)
                else:
                    held.leaders[topic, int(partition)] = fields["leader"]
                    held.isr[topic, int(partition)] = fields["isr"]
            case _:
                continue
        yield change["time_ms"], held.values()


def apply_topic(held: Held, topic: str, is_gone: bool, fields: Row, is_old: bool) -> None:  # noqa: FBT001
    (held.topics.discard if is_gone else held.topics.add)(topic)
    held.replicas = {one: replicas for one, replicas in held.replicas.items() if one[0] != topic}
    if not is_gone:
        held.replicas |= {(topic, int(number)): ids for number, ids in fields.get("partitions", {}).items()}
    if not is_old:
        lists = [fields.get(name) or {} for name in ("adding_replicas", "removing_replicas")]
        moved = {(topic, int(number)) for one in lists for number, replicas in one.items() if replicas}
        held.added |= {
            (topic, int(number)): lists[0].get(number) or [] for number in fields.get("partitions", {})
        }
        held.moving = {one for one in held.moving if one[0] != topic} | (set() if is_gone else moved)


def of_kraft(cluster: Path) -> Iterator[Change]:
    held = Held()
    for record in json_lines(cluster / "truth" / "metadata-log.jsonl"):
        apply = RECORDS.get(record["type"])
        if apply is not None:
            apply(held, record.get("data") or {})
            yield record["timestamp"], held.values()


def registered(held: Held, data: Row) -> None:
    fence(held, str(data["brokerId"]), is_fenced=data.get("fenced", True))


def unregistered(held: Held, data: Row) -> None:
    held.live.discard(str(data["brokerId"]))
    held.fenced.discard(str(data["brokerId"]))


def changed_broker(held: Held, data: Row) -> None:
    if data.get("fenced", 0):
        fence(held, str(data["brokerId"]), is_fenced=data["fenced"] > 0)


def fence(held: Held, broker: str, *, is_fenced: bool) -> None:
    (held.live.discard if is_fenced else held.live.add)(broker)
    (held.fenced.add if is_fenced else held.fenced.discard)(broker)


def topic_added(held: Held, data: Row) -> None:
    held.names[data["topicId"]] = data["name"]
    held.topics.add(data["name"])


def topic_removed(held: Held, data: Row) -> None:
    name = held.names[data["topicId"]]
    held.topics.discard(name)
    held.replicas = {one: replicas for one, replicas in held.replicas.items() if one[0] != name}
    held.leaders = {one: leader for one, leader in held.leaders.items() if one[0] != name}
    held.moving = {one for one in held.moving if one[0] != name}


def partition_changed(held: Held, data: Row) -> None:
    own = (held.names[data["topicId"]], data["partitionId"])
    now = held.lists.setdefault((data["topicId"], data["partitionId"]), {})
    now |= {name: data[name] for name in ("addingReplicas", "removingReplicas") if data.get(name) is not None}
    if data.get("replicas"):
        held.replicas[own] = data["replicas"]
    if data.get("leader", -2) >= NOBODY:
        held.leaders[own] = data["leader"]
    is_moving = any(now.get(name) for name in ("addingReplicas", "removingReplicas"))
    (held.moving.add if is_moving else held.moving.discard)(own)


RECORDS: dict[str, Callable[[Held, Row], None]] = {
    "REGISTER_BROKER_RECORD": registered,
    "UNREGISTER_BROKER_RECORD": unregistered,
    "BROKER_REGISTRATION_CHANGE_RECORD": changed_broker,
    "TOPIC_RECORD": topic_added,
    "REMOVE_TOPIC_RECORD": topic_removed,
    "PARTITION_RECORD": partition_changed,
    "PARTITION_CHANGE_RECORD": partition_changed,
}


class Series:
    """A value over time."""

    def __init__(self, steps: list[tuple[int, Any]], before: Any) -> None:
        self.times, self.steps = [at for at, _ in steps], [before, *(value for _, value in steps)]

    def at(self, ms: int) -> Any:
        return self.steps[bisect_right(self.times, ms)]

    def near(self, ms: int) -> list[Any]:
        """All that it was within NEAR_MS."""
        first, last = bisect_left(self.times, ms - NEAR_MS), bisect_right(self.times, ms + NEAR_MS)
        return self.steps[first : last + 1]


def uncommitted(cluster: Path) -> list[tuple[int, int]]:
    """KRaft: from the last LATE_MS of an epoch to the first record of the next one. Records are stamped as they are
    appended: what loses its quorum then is committed by the next epoch, and nobody knows of it before."""
    log = cluster / "truth" / "metadata-log.jsonl"
    records = json_lines(log) if log.is_file() else []
    ends = [
        (one["timestamp"], two["timestamp"]) for one, two in pairwise(records) if one["epoch"] != two["epoch"]
    ]
    return [(until - LATE_MS, following + NEAR_MS) for until, following in ends]


def score(true: Series, ours: Series, period: Iterable[int], unsure: Sequence[tuple[int, int]] = ()) -> Score:
    counts = [0, 0, 0, 0]
    for ms in period:
        said, held = ours.at(ms), true.at(ms)
        place = 0 if said == held else 2 if said is None else 1
        if place == 1 and said not in true.near(ms) and held not in ours.near(ms):
            place = 2 if any(first <= ms <= last for first, last in unsure) else 3
        counts[place] += 1
    return Score(*counts)
