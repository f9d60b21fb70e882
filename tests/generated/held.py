"""What a controller holds of a partition, how leaders are chosen, and how a time is written."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

NO_LEADER, DELETED = -1, -2  # LeaderAndIsr.NoLeader, LeaderAndIsr.LeaderDuringDelete
LINES_A_MS = 40  # as brokers of the lab write them


class Held(NamedTuple):
    """version: zkVersion, in KRaft the partition epoch; term: controller epoch that wrote it."""

    leader: int
    epoch: int
    isr: tuple[int, ...]
    version: int
    replicas: tuple[int, ...]
    term: int


def first_of(held: Held, among: Collection[int]) -> int:
    """The first assigned replica in the ISR that is among these brokers; NO_LEADER: none."""
    return next((one for one in held.replicas if one in held.isr and one in among), NO_LEADER)


def led_by(held: Held, leader: int, isr: Sequence[int], term: int) -> Held:
    return Held(leader, held.epoch + 1, tuple(isr), held.version + 1, held.replicas, term)


def elected_offline(held: Held, live: Collection[int], term: int, *, is_unclean: bool) -> Held | None:
    """As OfflinePartitionLeaderElectionStrategy chooses; None: no leader is found."""
    leader = first_of(held, live)
    if leader != NO_LEADER:
        return led_by(held, leader, [one for one in held.isr if one in live], term)
    rest = [one for one in held.replicas if one in live]
    return led_by(held, rest[0], rest[:1], term) if is_unclean and rest else None


def without(held: Held, broker: int, term: int) -> Held:
    """As removeReplicasFromIsr leaves it: a leader that goes is none, the last in-sync replica stays."""
    if broker not in held.isr:
        return held
    isr = [one for one in held.isr if one != broker] if len(held.isr) > 1 else held.isr
    return led_by(held, NO_LEADER if held.leader == broker else held.leader, isr, term)


def with_isr(held: Held, isr: Sequence[int]) -> Held:
    """As its leader writes it: the epoch stays."""
    return held._replace(isr=tuple(isr), version=held.version + 1)


def ids(brokers: Collection[int], between: str = ",") -> str:
    return between.join(map(str, brokers))


@lru_cache(4096)
def commas(brokers: tuple[int, ...]) -> str:
    return ids(brokers)


@lru_cache(4096)
def spaced(brokers: tuple[int, ...]) -> str:
    return ids(brokers, ", ")


@lru_cache(1024)
def stamp(at: int) -> str:
    """A time as log4j's pattern %d prints it, in UTC."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S,") + f"{at % 1000:03}"
