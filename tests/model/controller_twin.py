"""Partitions as controllers hold them, drawn at random, and what they hold by going through line after line."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from pipeline.model.partitions.controller_view import BEFORE
from pipeline.model.partitions.statements import LAST, PARTITION, TRACKED
from pipeline.model.partitions.topic_lives import GONE

EPOCHS, SECONDS, BROKERS = (1, 2, 3), 12, (1, 2, 3)
STATES = ("NewPartition", "OnlinePartition", "OfflinePartition", GONE)
Row = dict[str, Any]
NOTHING: Row = dict.fromkeys(TRACKED)


def said(random: Random) -> Row:
    """What a line says of a partition: most of it nothing."""
    row = NOTHING | {
        "leader": random.choice([None, None, -1, *BROKERS]),
        "replicas": random.choice([None, None, [], [1, 2], [2, 3], [3, 1]]),
        "state": random.choice([None, None, *STATES]),
        "is_deleting": random.choice([None, None, None, True]),
    }
    return row if random.random() < 0.9 else dict(NOTHING)


class Cluster:
    """Intervals of partitions, terms, lines of terms, and what is asked of them; places are (second, epoch, seq)."""

    def __init__(self, random: Random, name: str) -> None:
        """What is random in it comes from one seed."""
        self.partitions = [(name, topic, 1, number) for topic in "ab" for number in range(2)]
        self.begins = {epoch: (random.randint(0, SECONDS), epoch, 0) for epoch in EPOCHS}
        self.intervals = [one for each in self.partitions for one in self.lived(random, each)]
        self.lines = [one for epoch in EPOCHS for one in self.told(random, name, epoch)]
        self.asked = [one for epoch in EPOCHS for one in self.questions(random, name, epoch)]

    def lived(self, random: Random, partition: tuple[Any, ...]) -> Iterable[Row]:
        times = sorted(random.sample(range(SECONDS), random.randint(0, 4)))
        for number, begin in enumerate(times):
            following = [*times, None][number + 1]
            early = random.randint(begin, following or SECONDS)
            state = said(random) | {"is_deleting": random.random() < 0.2}
            yield dict(zip(PARTITION, partition, strict=True)) | state | {
                "interval_seq": number + 1, "valid_from_at": begin, "valid_until_at": random.choice([following, following, early]),
                "controller_epoch": random.choice(EPOCHS), "seq": random.randint(1, 9),
            }  # fmt: skip

    def told(self, random: Random, name: str, epoch: int) -> Iterable[Row]:
        for seq in range(1, random.randint(2, 20), 2):
            is_listing = random.random() < 0.2
            for partition in random.sample(self.partitions, 1 if random.random() < 0.7 else 2):
                stated = dict(NOTHING) if is_listing else said(random)
                yield dict(zip(PARTITION, partition, strict=True)) | stated | {
                    "term_id": f"1-{epoch}", "seq": seq, "cause": random.choice(["move", "other"]),
                    "listed_of": random.choice(BROKERS) if is_listing else None, "cluster_id": name,
                }  # fmt: skip

    def questions(self, random: Random, name: str, epoch: int) -> Iterable[Row]:
        for seq in range(2, 20, random.choice([2, 4, 6])):
            yield {
                "cluster_id": name, "term_id": f"1-{epoch}", "broker_id": random.choice(BROKERS), "seq": seq,
                "listing_seq": random.choice([None, seq - 1]),
            }  # fmt: skip


def states(cluster: Cluster, partition: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], Row]]:
    """(place, state) of one partition in the cluster-wide view, in order."""
    own = [one for one in cluster.intervals if tuple(one[name] for name in PARTITION) == partition]
    found = []
    for one, following in zip(own, [*own[1:], None], strict=False):
        state = {name: one[name] for name in TRACKED}
        found.append(((one["valid_from_at"], one["controller_epoch"], one["seq"]), state))
        end = one["valid_until_at"]
        if end is not None and (following is None or following["valid_from_at"] != end):
            found.append(((end, LAST, one["seq"]), NOTHING | {"state": GONE}))
    return sorted(found, key=lambda each: each[0])


def at_begin(cluster: Cluster, epoch: int) -> dict[tuple[Any, ...], Row]:
    """What the cluster-wide view has of each partition before a term's first line."""
    found = {}
    for partition in cluster.partitions:
        so_far = [state for place, state in states(cluster, partition) if place <= cluster.begins[epoch]]
        found[partition] = so_far[-1] if so_far else dict(NOTHING)
    return found


def views(cluster: Cluster) -> list[Row]:
    """Each line with what is held after and before it."""
    found = []
    for epoch in EPOCHS:
        known = at_begin(cluster, epoch)
        for line in cluster.lines:
            if line["term_id"] == f"1-{epoch}":
                partition = tuple(line[name] for name in PARTITION)
                before = known[partition]
                told = {name: line[name] for name in TRACKED if line[name] is not None}
                known[partition] = before | told
                olden = {f"{name}{BEFORE}": value for name, value in before.items()}
                found.append(line | known[partition] | olden)
    return found


def views_before(cluster: Cluster, seq: int) -> Iterable[Row]:
    """What each term holds of each partition before that place, as rows of state.partition_view."""
    lines = views(cluster)
    for epoch in EPOCHS:
        own = [one for one in lines if one["term_id"] == f"1-{epoch}" and one["seq"] < seq]
        known = at_begin(cluster, epoch) | {tuple(one[name] for name in PARTITION): one for one in own}
        for partition, state in known.items():
            named = dict(zip(PARTITION, partition, strict=True)) | {"term_id": f"1-{epoch}"}
            yield named | {name: state[name] for name in TRACKED}


def preferred(state: Row) -> int | None:
    is_out = state["state"] == GONE or state["is_deleting"] or not state["replicas"]
    return None if is_out else state["replicas"][0]


def is_elsewhere(state: Row) -> bool:
    return state["leader"] is not None and state["leader"] != preferred(state)


def answer(cluster: Cluster, lines: Sequence[Row], question: Row) -> Row:
    """The counts of one question, by looking at every partition as it is held then."""
    epoch, broker_id, seq = int(question["term_id"][2:]), question["broker_id"], question["seq"]
    own = [one for one in lines if one["term_id"] == question["term_id"]]
    known = at_begin(cluster, epoch)
    known |= {tuple(one[name] for name in PARTITION): one for one in own if one["seq"] < seq}
    group = [state for state in known.values() if preferred(state) == broker_id]
    asked = [
        one for one in cluster.asked if (one["term_id"], one["broker_id"]) == (question["term_id"], broker_id)
    ]
    until = min((one["seq"] for one in asked if one["seq"] > seq), default=10**9)
    moved = [
        one for one in own
        if seq < one["seq"] < until and one["cause"] == "move" and one["listed_of"] is None
        if preferred(one) == broker_id == one["leader"] != one[f"leader{BEFORE}"]
    ]  # fmt: skip
    told = [one for one in own if one["seq"] == question["listing_seq"] and one["listed_of"] == broker_id]
    other = [one for one in told if not (preferred(one) == broker_id and is_elsewhere(one))]
    lists: Row = {"listed": None, "agreed": None, "only_kafka": None}
    if question["listing_seq"] is not None:
        names = sorted(f"{one['topic']}-{one['partition']}" for one in other)
        lists = {"listed": len(told), "agreed": len(told) - len(other), "only_kafka": names}
    counts = {"preferred": len(group), "elsewhere": sum(map(is_elsewhere, group)), "moved": len(moved)}
    return question | counts | lists
