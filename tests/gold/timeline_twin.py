"""Intervals of partitions as anyone would note them down by hand: line after line, what is known of each partition."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

GONE = "NonExistentPartition"
Partition = tuple[str, str, int, int]


@dataclass(frozen=True)
class Line:
    """One line of a controller about one partition, or of the end of a topic (partition null); null: not said.

    at: milliseconds. how: changed (a move of the partition), asked (a request to a broker), assigned, deleted.
    """

    cluster: str
    place: int
    at: int
    controller_epoch: int
    how: str
    topic: str
    partition: int | None
    state: str | None = None
    leader: int | None = None
    leader_epoch: int | None = None
    isr: tuple[int, ...] | None = None
    replicas: tuple[int, ...] | None = None


Known = tuple[str | None, int | None, int | None, tuple[int, ...] | None, tuple[int, ...] | None]
NEW = "NewPartition"
NOTHING: Known = (None, None, None, None, None)


@dataclass(frozen=True)
class Noted:
    """One interval; until is null while it is open. known: state, leader, leader epoch, ISR, replicas."""

    begun: int
    until: int | None
    place: int
    known: Known


def intervals(lines: Iterable[Line]) -> dict[Partition, list[Noted]]:
    """By partition and life of its topic, in order; none while it is gone."""
    steps: dict[Partition, list[tuple[int, int, Known]]] = defaultdict(list)
    highest: dict[Partition, int] = {}
    lives: dict[tuple[str, str], int] = defaultdict(lambda: 1)
    for line in sorted(lines, key=lambda one: (one.cluster, one.at, one.controller_epoch, one.place)):
        life = lives[line.cluster, line.topic]
        if line.partition is None:
            for key in [one for one in steps if one[:3] == (line.cluster, line.topic, life)]:
                note(steps[key], line, (GONE, None, None, None, None))
            lives[line.cluster, line.topic] += 1
            continue
        key = (line.cluster, line.topic, life, line.partition)
        if line.state == NEW:
            highest[key] = 0
        if line.leader_epoch is not None and line.leader_epoch < highest.get(key, 0):
            continue  # a deposed controller
        highest[key] = max(highest.get(key, 0), line.leader_epoch or 0)
        note(steps[key], line, (line.state, line.leader, line.leader_epoch, line.isr, line.replicas))
    return {key: list(between(rows)) for key, rows in steps.items()}


def note(steps: list[tuple[int, int, Known]], line: Line, said: Known) -> None:
    """What is known after the line; nothing where it says nothing new."""
    before = steps[-1][2] if steps else NOTHING
    if line.state == NEW:
        before = (before[0], None, None, None, before[4])  # no leader of before
    now = cast(Known, tuple(old if new is None else new for new, old in zip(said, before, strict=True)))
    if not steps or now != steps[-1][2]:
        steps.append((line.at, line.place, now))


def between(steps: list[tuple[int, int, Known]]) -> Iterable[Noted]:
    for (at, place, known), following in zip(steps, [*steps[1:], None], strict=True):
        if known[0] != GONE:
            yield Noted(at, following[0] if following else None, place, known)
