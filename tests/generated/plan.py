"""What a generated cluster goes through: its size, and a list of events that follows from a seed."""

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

BEGIN = int(datetime(2026, 1, 5, tzinfo=UTC).timestamp() * 1000)  # ms; a whole hour
SECOND, HOUR = 1000, 3_600_000
CHECK_SECONDS = 300  # leader.imbalance.check.interval.seconds, Kafka's default
SESSION_SECONDS = 6  # zookeeper.session.timeout.ms of 2.2, Kafka's default
LAG_SECONDS = 10  # replica.lag.time.max.ms of 2.2, Kafka's default
UNCLEAN_TOPIC = "unclean.log"  # of two replicas, with unclean.leader.election.enable
SINGLE_TOPIC = "single.copy"  # of one replica
CREATED_A_SLOT = 300  # topics, in the first slots
# One round of each in turn, so often in ten rounds as it stands here.
ROUNDS = (
    "stop",
    "kill",
    "stop",
    "controller_stop",
    "topic",
    "stop",
    "reassign",
    "controller_kill",
    "kill",
    "stop",
)


@dataclass(frozen=True)
class Event:
    """Something that happens to the cluster. at: ms since 1970; draw: chooses the broker, the topic."""

    at: int
    kind: str
    name: str = ""
    draw: int = 0


@dataclass(frozen=True)
class Plan:
    """All that a generated cluster follows from. rounds: of faults, one a slot; slot_seconds: a multiple of 300."""

    mode: str = "zk"
    seed: int = 1
    brokers: int = 6
    topics: int = 100
    partitions: int = 3000
    rounds: int = 12
    slot_seconds: int = 600

    @property
    def first_round(self) -> int:
        """The slot of the first round: topics are created in those before."""
        return 1 + self.topics // CREATED_A_SLOT

    @property
    def end(self) -> int:
        return BEGIN + (self.first_round + self.rounds + 1) * self.slot_seconds * SECOND

    @property
    def hours(self) -> int:
        return -((BEGIN - self.end) // HOUR)


def timetable(plan: Plan) -> Iterator[Event]:
    """All events in the order of time, and one as each hour begins."""
    hours = (Event(BEGIN + hour * HOUR, "hour") for hour in range(1, plan.hours))
    yield from heapq.merge(happenings(plan), hours, key=lambda event: event.at)


def happenings(plan: Plan) -> Iterator[Event]:
    draws = random.Random(f"{plan.seed} {plan.mode} events")  # noqa: S311 (a seed gives one cluster)
    for broker in range(1, plan.brokers + 1):
        yield Event(BEGIN + (10 + 2 * broker) * SECOND, "start", draw=broker)
    for number, name in enumerate(topic_names(plan)):
        slot, place = divmod(number, CREATED_A_SLOT)
        yield Event(BEGIN + (slot * plan.slot_seconds + 60 + place) * SECOND, "create", name, number)
    for number in range(plan.rounds):
        at = BEGIN + (plan.first_round + number) * plan.slot_seconds * SECOND
        yield from one_round(plan, number, at + draws.randrange(30_000, 60_000), draws)
    yield Event(plan.end, "end")


def one_round(plan: Plan, number: int, at: int, draws: random.Random) -> Iterator[Event]:
    """The events of one slot: at its end all brokers are up."""
    kind, draw = ROUNDS[number % len(ROUNDS)], draws.randrange(1 << 30)
    if kind == "topic":
        yield Event(at, "create", f"new.topic.{number}", number)
        yield Event(at + 60 * SECOND, "delete", f"new.topic.{number}")
    elif kind == "reassign":
        yield Event(at, "reassign", draw=draw)
    elif number == len(ROUNDS) - 2:  # once: the two of UNCLEAN_TOPIC, one after the other
        yield Event(at, "kill_second", UNCLEAN_TOPIC)
        yield Event(at + 40 * SECOND, "kill_first", UNCLEAN_TOPIC)
        yield Event(at + 70 * SECOND, "start_first_killed", UNCLEAN_TOPIC)
        yield Event(at + 100 * SECOND, "start_all")
    else:
        yield Event(at, kind, draw=draw)
        yield Event(at + draws.randrange(60_000, 90_000), "start_all")


def topic_names(plan: Plan) -> list[str]:
    words = ("orders", "payments", "page.views", "clicks_v2", "audit-events", "billing", "inventory", "users")
    names = [f"{words[number % len(words)]}.{number:04}" for number in range(max(1, plan.topics - 2))]
    return [*names, UNCLEAN_TOPIC, SINGLE_TOPIC]


def assignment(plan: Plan, name: str, number: int) -> list[tuple[int, ...]]:
    """The replicas of each partition of a topic, as Kafka spreads them: from a random broker on, one after another."""
    draws = random.Random(f"{plan.seed} {name}")  # noqa: S311
    copies = {UNCLEAN_TOPIC: 2, SINGLE_TOPIC: 1}.get(name, 3)
    ordinary = max(1, plan.topics - 2)
    each, more = divmod(plan.partitions, ordinary)
    count = {UNCLEAN_TOPIC: 2, SINGLE_TOPIC: 2}.get(name, each + (number < more)) or 1
    first, shift = draws.randrange(plan.brokers), draws.randrange(plan.brokers)
    found = []
    for partition in range(count):
        apart = (shift + partition // plan.brokers) % (plan.brokers - 1)
        leader = first + partition
        others = (leader + 1 + (apart + copy) % (plan.brokers - 1) for copy in range(copies - 1))
        found.append(tuple(broker % plan.brokers + 1 for broker in (leader, *others)))
    return found
