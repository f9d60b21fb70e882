"""A fleet's normal week, told by a seed: clusters with restarts, deletions and moves, and incidents in a few of them."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.gold.fleet_controller import BROKERS
from tests.gold.fleet_topics import Cluster

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
Logs = dict[tuple[int, str], str]
Act = Callable[[Cluster], None]


@dataclass(frozen=True)
class Week:
    """One cluster's logs; incident: the name of what is seeded, with the rule and the entity that must tell it."""

    cluster_id: str
    logs: Logs
    check_seconds: int
    incident: str | None = None


def fleet(number: int, seed: int = 1) -> list[Week]:
    return [week(seed * 1000 + one, one) for one in range(number)]


def week(seed: int, number: int) -> Week:
    """The logs of half of the clusters begin with their first start, those of the others in the middle of a term."""
    check_seconds = 300 if number in LOST_HOUR or number % 10 == 0 else 3600
    cluster = Cluster(seed, check_seconds, now=-HOUR if number % 2 else MINUTE)
    start(cluster)
    incident = INCIDENTS[number] if number < len(INCIDENTS) else None
    lost = (0, 0, 0)
    for at, act in sorted(plan(cluster, number, incident), key=lambda one: one[0]):
        cluster.until(at)
        if LOST_HOUR.get(number) is act:
            lost = (cluster.controller, at - HOUR // 2, at + HOUR // 2)
        act(cluster)
    cluster.until(7 * DAY - MINUTE)
    name = incident.__name__ if incident else None
    return Week(f"fleet-{number:02d}", cluster.texts(lost), cluster.check_ms // 1000, name)


def start(cluster: Cluster) -> None:
    for broker in cluster.rng.sample(BROKERS, 3):
        cluster.began(broker)
        cluster.passing(cluster.rng.uniform(1, 30))
    for topic in ("__consumer_offsets", "orders", "payments", "clicks"):
        cluster.create(topic, layout(cluster, cluster.rng.randrange(2, 5)))
        cluster.passing(cluster.rng.uniform(1, 60))


def layout(cluster: Cluster, partitions: int, copies: int = 3) -> list[list[int]]:
    first = cluster.rng.randrange(3)
    return [[BROKERS[(first + one + copy) % 3] for copy in range(copies)] for one in range(partitions)]


def plan(cluster: Cluster, number: int, incident: Act | None) -> list[tuple[int, Act]]:
    """Days 1 to 5 are what all do; incidents come on the sixth day, when nothing else does."""
    rng = cluster.rng

    def at(day: int, hour: float) -> int:
        return round(day * DAY + (hour + rng.uniform(0, 2)) * HOUR)

    acts: list[tuple[int, Act]] = [(2 * DAY + 10 * HOUR, rolling_restart)]
    if number % 2 == 0:
        acts += [(at(1, 9), new_topic), (at(3, 9), old_topic)]
    if number % 3 == 0:
        acts += [(at(4, 9), reordered), (at(4, 13), moved)]
    if number % 4 == 0:
        acts += [(at(1, 14), grown), (at(3, 14), slow_follower)]
    if number % 5 == 4:
        acts += [(at(0, 5), single_copy)]
    if incident:
        acts += [(at(5, 9), incident)]
    return acts


def rolling_restart(cluster: Cluster) -> None:
    """Each broker in turn, the controller last as a rule; some minutes lie between two."""
    others = [one for one in BROKERS if one != cluster.controller]
    order = [*others, cluster.controller] if cluster.rng.random() < 0.7 else [cluster.controller, *others]
    for broker in order:
        cluster.shut_down(broker)
        cluster.passing(cluster.rng.uniform(8, 90))
        cluster.began(broker)
        cluster.passing(cluster.rng.uniform(0.5, 45))
        cluster.caught_up(broker)
        cluster.passing(cluster.rng.uniform(30, 600))


def new_topic(cluster: Cluster) -> None:
    cluster.create("trial", layout(cluster, 2))


def old_topic(cluster: Cluster) -> None:
    cluster.delete("trial")


def grown(cluster: Cluster) -> None:
    cluster.add_partitions("orders", layout(cluster, 2))


def reordered(cluster: Cluster) -> None:
    one = cluster.partitions["payments-0"]
    cluster.reassign(one.name, [*one.replicas[1:], one.replicas[0]])


def moved(cluster: Cluster) -> None:
    """A topic with two copies goes from one pair of brokers to another."""
    cluster.create("moved", [[1, 2], [2, 3]])
    cluster.passing(600)
    cluster.reassign("moved-0", [3, 2])
    cluster.reassign("moved-1", [2, 1])


def slow_follower(cluster: Cluster) -> None:
    """A follower falls behind and catches up, a few times."""
    broker = cluster.rng.choice(BROKERS)
    for _ in range(3):
        for leader in cluster.up():
            led = [one for one in cluster.of_broker(broker) if one.leader == leader != broker]
            cluster.alter(led, leaving=broker)
        cluster.passing(cluster.rng.uniform(5, 40))
        cluster.caught_up(broker)
        cluster.passing(cluster.rng.uniform(60, 3000))


def single_copy(cluster: Cluster) -> None:
    """A topic that somebody made with one copy; restarts take it away for a while."""
    cluster.create("scratch", layout(cluster, 1, copies=1))


def follower_of(cluster: Cluster) -> int:
    return cluster.rng.choice([one for one in BROKERS if one != cluster.controller])


def lone_copy_lost(cluster: Cluster) -> None:
    """A broker dies that has the only copy of a partition, and comes back hours later."""
    broker = follower_of(cluster)
    cluster.create("receipts", [[broker]])
    cluster.passing(900)
    cluster.crash(broker)
    cluster.passing(3 * 3600)
    cluster.began(broker)
    cluster.passing(20)
    cluster.caught_up(broker)


def unclean(cluster: Cluster) -> None:
    """Of two copies the one behind comes back first."""
    behind, ahead = (one for one in BROKERS if one != cluster.controller)
    cluster.unclean.add("audit")
    cluster.create("audit", [[ahead, behind]])
    cluster.passing(900)
    for broker in (behind, ahead):
        cluster.crash(broker)
        cluster.passing(120)
    for broker in (behind, ahead):
        cluster.began(broker)
        cluster.passing(15)
        cluster.caught_up(broker)


def frozen_controller(cluster: Cluster) -> None:
    cluster.frozen(47)


def stuck_deletion(cluster: Cluster) -> None:
    """A broker dies for good, and a topic of which it has copies is deleted."""
    broker = follower_of(cluster)
    cluster.create("retired", layout(cluster, 2))
    cluster.passing(900)
    cluster.crash(broker)
    cluster.passing(600)
    cluster.delete("retired")


INCIDENTS: tuple[Act, ...] = (lone_copy_lost, unclean, frozen_controller, stuck_deletion)
FOUND_BY = {
    "lone_copy_lost": ("outage", "warning"),
    "unclean": ("unclean_election", "warning"),
    "frozen_controller": ("controller_outlived", "warning"),
    "stuck_deletion": ("stuck_deletion", "warning"),
}
# What the active controller's logs of an hour would have told.
LOST_HOUR: dict[int, Act] = {7: rolling_restart, 18: reordered}
