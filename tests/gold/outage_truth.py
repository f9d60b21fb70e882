"""Outages as ZooKeeper saw them: nobody leads, or the broker that its znode names as leader is not registered."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.gold.lab_runs import changes, failed_disks, noticed_ms, without_controller
from tests.gold.truth import Partition, ms
from tests.lab import Row

UNBORN = -2  # the topic names the partition, and it has no state yet


class Outage(NamedTuple):
    """from_ms: when a controller could notice it, or did; earliest_ms: when it began, at the earliest. until_ms None:
    it goes on. is_unborn: it had no leader yet. is_unseen: it was over before a controller could notice it."""

    partition: Partition
    from_ms: int
    until_ms: int | None
    earliest_ms: int
    is_unborn: bool
    is_unseen: bool = False

    def lasts_over(self, some_ms: int) -> bool:
        return self.until_ms is None or self.until_ms - self.from_ms > some_ms


def outages(cluster: Path) -> list[Outage]:
    """All of them, those of a millisecond included; what is queued for deletion has none."""
    alive: set[int] = set()
    leaders: dict[Partition, int] = {}
    deleting: set[str] = set()
    begun: dict[Partition, tuple[int, bool]] = {}
    found: list[Outage] = []
    for change in changes(cluster):
        follow(change, alive, leaders, deleting)
        for partition in {*begun, *leaders}:
            leader = leaders.get(partition)
            is_out = leader is not None and leader not in alive and partition[0] not in deleting
            if is_out and partition not in begun:
                begun[partition] = change["time_ms"], leader == UNBORN
            elif not is_out and partition in begun:
                from_ms, is_unborn = begun.pop(partition)
                found.append(Outage(partition, from_ms, change["time_ms"], from_ms, is_unborn))
    found += [Outage(one, from_ms, None, from_ms, unborn) for one, (from_ms, unborn) in begun.items()]
    spans = without_controller(cluster)
    return [as_noticed(one, noticed_ms(spans, one.from_ms)) for one in found]


def as_noticed(one: Outage, at_ms: int | None) -> Outage:
    """As the controllers could notice it, from that time on."""
    if at_ms is None:
        return one._replace(is_unseen=True)
    is_unseen = one.until_ms is not None and one.until_ms <= at_ms
    until_ms = at_ms if is_unseen else one.until_ms
    return one._replace(from_ms=at_ms, until_ms=until_ms, is_unseen=is_unseen)


def of_failed_disks(cluster: Path, rows: list[Row]) -> list[Outage]:
    """Told ones by a log directory that failed, while one had: ZooKeeper has the new leader at once, or the old one."""
    return told_outages(
        [
            row
            for row in rows
            if row["root_event"] == "log-dir failure"
            and any(
                row["root_broker_id"] == broker and since <= ms(row["noticed_at"]) <= until
                for broker, since, until in failed_disks(cluster)
            )
        ]
    )


def told_outages(rows: list[Row]) -> list[Outage]:
    """The same from gold.partition_outage."""
    return [
        Outage(
            (row["topic"], row["partition"]),
            ms(row["noticed_at"]),
            ms(row["ended_at"]) if row["ended_at"] else None,
            ms(row["unserved_from_at"] or row["noticed_at"]),
            row["old_leader"] is None,
        )
        for row in rows
    ]


def closest(one: Outage, told: list[Outage]) -> Outage:
    """The told outage of the same partition that begins next to it."""
    same = [other for other in told if other.partition == one.partition]
    return min(same, key=lambda other: abs(other.from_ms - one.from_ms))


def follow(change: Row, alive: set[int], leaders: dict[Partition, int], deleting: set[str]) -> None:
    """What a write to ZooKeeper changes of the brokers, the leaders and the topics to be deleted."""
    op, data = change["op"], change["data"]
    match change["path"].split("/")[1:]:
        case ["brokers", "ids", broker] if op != "set":
            (alive.add if op == "create" else alive.discard)(int(broker))
        case ["admin", "delete_topics", topic]:
            (deleting.add if op == "create" else deleting.discard)(topic)
        case ["brokers", "topics", topic] if op != "delete":
            for number in (data or {}).get("partitions", {}):
                leaders.setdefault((topic, int(number)), UNBORN)
        case ["brokers", "topics", topic]:
            for partition in [one for one in leaders if one[0] == topic]:
                del leaders[partition]
        case ["brokers", "topics", topic, "partitions", number, "state"] if op == "delete":
            leaders.pop((topic, int(number)), None)
        case ["brokers", "topics", topic, "partitions", number, "state"]:
            leaders[topic, int(number)] = data["leader"]


def unmatched(true: list[Outage], told: list[Outage], within_ms: int) -> Iterator[Outage]:
    """Those of `true` that begin and end at no told outage of the partition, to so many milliseconds."""
    for one in true:
        if not any(
            one.partition == other.partition
            and abs(one.from_ms - other.from_ms) <= within_ms
            and is_near(one.until_ms, other.until_ms, within_ms)
            for other in told
        ):
            yield one


def is_near(one: int | None, other: int | None, within_ms: int) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= within_ms
