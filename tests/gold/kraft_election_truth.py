"""Elections as the metadata log of a KRaft cluster has them: records that set the leader of a partition."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.gold.kraft_truth import in_effect
from tests.gold.truth import SETTLED_MS, Partition, ms
from tests.lab import Row

KEPT = -2  # of a change record: the leader stays as it is
NOBODY = -1
KINDS = ("init", "offline", "controlled_shutdown", "reassign", "preferred")
# What each batch that changes a broker does to partitions; of a leader nobody else is told of, see trigger_of.
BATCHES = {
    "fenced": "broker failure",
    "leaving": "controlled shutdown",
    "dirs": "log-dir failure",
    "unfenced": "broker start",
}
PREFERRED = ("automatic rebalance", "preferred election by tool")


class Held(NamedTuple):
    """What the log holds of a partition; eligible: replicas that may lead without loss beside the ISR."""

    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    eligible: tuple[int, ...]


class Elected(NamedTuple):
    """A record that sets another leader than the one before; life: which topic of that name it is, from 1. at_ms: when
    it was committed, written_ms: until then the controller alone says so."""

    partition: Partition
    life: int
    at_ms: int
    written_ms: int
    old_leader: int | None
    leader: int
    leader_epoch: int
    is_unclean: bool
    kind: str
    trigger: str


def elections(cluster: Path) -> Iterator[Elected]:
    names: dict[str, tuple[str, int]] = {}
    lives: Counter[str] = Counter()
    held: dict[tuple[str, int], Held] = {}
    records = list(in_effect(cluster))
    decisions = batches(records)
    for at, record in records:
        kind, data = record["type"], record.get("data") or {}
        if kind == "TOPIC_RECORD":
            lives[data["name"]] += 1
            names[data["topicId"]] = data["name"], lives[data["name"]]
        if kind not in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD"):
            continue
        key = data["topicId"], data["partitionId"]
        before = held.get(key)
        leader = data.get("leader", KEPT)
        epoch = data["leaderEpoch"] if before is None else before.leader_epoch + (leader != KEPT)
        now = Held(before.leader if before and leader == KEPT else leader, epoch, *lists(data, before))
        held[key] = now
        is_taken_over = before is None and epoch > 0  # from ZooKeeper
        if not is_taken_over and (before is None or before.leader != now.leader):
            topic, life = names[key[0]]
            how = of_kind(before, now, decisions.get((record["timestamp"], record["epoch"]), {}))
            is_safe = (
                before is None or how == "reassign" or now.leader in (NOBODY, *before.isr, *before.eligible)
            )
            yield Elected(
                (topic, key[1]),
                life,
                at,
                record["timestamp"],
                before.leader if before else None,
                now.leader,
                epoch,
                not is_safe,
                how,
                trigger_of(how, before, now, decisions.get((record["timestamp"], record["epoch"]), {})),
            )


def lists(data: Row, before: Held | None) -> list[tuple[int, ...]]:
    """replicas, isr and eligible replicas after a record; what a change does not name stays."""
    names = {"replicas": "replicas", "isr": "isr", "eligible": "eligibleLeaderReplicas"}
    return [
        tuple(data[there]) if data.get(there) is not None else getattr(before, here, ())
        for here, there in names.items()
    ]


def batches(records: list[tuple[int, Row]]) -> dict[tuple[int, int], dict[int, str]]:
    """What each batch (time of its append, epoch) did to brokers."""
    found: dict[tuple[int, int], dict[int, str]] = {}
    for _, record in records:
        if record["type"] == "BROKER_REGISTRATION_CHANGE_RECORD":
            data = record["data"]
            did = {1: "fenced", -1: "unfenced"}.get(data.get("fenced", 0), "")
            did = did or ("leaving" if data.get("inControlledShutdown") == 1 else "")
            did = did or ("dirs" if data.get("logDirs") else "")
            found.setdefault((record["timestamp"], record["epoch"]), {}).setdefault(data["brokerId"], did)
    return found


def of_kind(before: Held | None, now: Held, brokers: dict[int, str]) -> str:
    if before is None:
        return "init"
    if before.leader >= 0 and before.leader in brokers:
        # A broker that has leaders to give away is let go step by step; the fence at the end finds none.
        return {"leaving": "controlled_shutdown"}.get(brokers[before.leader], "offline")
    if before.leader not in now.replicas and before.leader >= 0:
        return "reassign"
    if before.leader < 0:
        return "offline"
    return "preferred" if now.leader == now.replicas[0] else "unknown"


def trigger_of(kind: str, before: Held | None, now: Held, brokers: dict[int, str]) -> str:
    """What the controller was doing, as gold.leader_election names it; an election of a partition without a leader in
    a batch that changes no broker is one that somebody asked for."""
    named = {"init": "creation", "reassign": "reassignment", "preferred": "preferred"}
    if kind in named or before is None:
        return named.get(kind, "creation")
    if before.leader >= 0:
        return BATCHES.get(brokers.get(before.leader, ""), "unknown")
    is_back = brokers.get(now.leader) == "unfenced"
    return "broker start" if is_back else "unclean election"


def is_trigger(told: str, true: str) -> bool:
    others = {"preferred": PREFERRED, "creation": ("topic creation", "partitions added")}
    return told in others.get(true, (true,))


def place(row: Row) -> tuple[str, int, str, int]:
    return row["file_id"], row["byte_offset"], row["topic"], row["partition"]


def is_in_gap(one: Elected, rows: list[Row]) -> bool:
    """A later row of the partition says that it does not know of so many epochs before it."""
    own = [row for row in rows if (row["topic"], row["partition"]) == one.partition]
    return any(
        row["missing_epochs"] is None
        or row["leader_epoch"] - row["missing_epochs"] <= one.leader_epoch < row["leader_epoch"]
        for row in own
    )


def in_kraft(cluster: Path, rows: list[Row]) -> list[Row]:
    """Rows from the first partition record on: until then a cluster may have been in ZooKeeper mode. A line may be a
    little before its record; what KRaft creates begins at leader epoch 0."""
    begun = min(at for at, record in in_effect(cluster) if record["type"] == "PARTITION_RECORD")
    return [
        row for row in rows if ms(row["elected_at"]) >= (begun if row["leader_epoch"] else begun - SETTLED_MS)
    ]


def compared(cluster: Path, rows: list[Row]) -> dict[str, Counter[str]]:
    """By what is compared (leader, kind, is_clean, trigger, time): how many are right, undetermined, wrong, missed.

    leader: every change is told at its leader epoch, and none else; no choice is told to be against its rule.
    time: what is put down to a decision is told when its record was written.
    """
    rows = in_kraft(cluster, rows)
    found = {name: Counter[str]() for name in ("leader", "kind", "is_clean", "trigger", "time")}
    matched = set()
    for one, row in paired(cluster, rows):
        if row is None:
            found["leader"]["undetermined" if is_in_gap(one, rows) else "missed"] += 1
            continue
        matched.add(place(row))
        for of, outcome in outcomes(one, row):
            found[of][outcome] += 1
    others = [row for row in rows if place(row) not in matched and row["verdict"] != "undetermined"]
    found["leader"]["wrong"] += len(others)
    return found


def paired(cluster: Path, rows: list[Row]) -> Iterator[tuple[Elected, Row | None]]:
    """Each change of a leader with the row that tells it."""
    told: dict[tuple[Partition, int | None, int], list[Row]] = {}
    for row in rows:
        told.setdefault(((row["topic"], row["partition"]), row["leader_epoch"], row["leader"]), []).append(
            row
        )
    for one in elections(cluster):
        of_epoch = told.get((one.partition, one.leader_epoch, one.leader), [])
        near = of_epoch or told.get((one.partition, None, one.leader), [])
        yield one, min(near, key=partial(distance, one), default=None)


def distance(one: Elected, row: Row) -> int:
    at_ms = ms(row["elected_at"])
    return max(one.written_ms - at_ms, at_ms - one.at_ms, 0)


def outcomes(one: Elected, row: Row) -> Iterator[tuple[str, str]]:
    """(what, outcome) of a change and the row that tells it."""
    verdict, clean = row["verdict"], row["is_clean"]
    yield (
        "leader",
        {"differs": "wrong", "undetermined": "undetermined"}.get(verdict, "right"),
    )
    kind = row["kind"].replace("offline_admin_unclean", "offline")
    yield "kind", outcome(is_right=kind == one.kind, is_told=kind != "unknown")
    is_told = row["trigger"] != "unknown"
    yield "trigger", outcome(is_right=is_trigger(row["trigger"], one.trigger), is_told=is_told)
    is_timed = is_told and row["certainty"] != "undetermined"
    yield "time", outcome(is_right=distance(one, row) <= SETTLED_MS, is_told=is_timed)
    if one.leader >= 0:
        yield "is_clean", outcome(is_right=clean != one.is_unclean, is_told=clean is not None)


def outcome(*, is_right: bool, is_told: bool) -> str:
    return "undetermined" if not is_told else "right" if is_right else "wrong"
