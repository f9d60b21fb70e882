"""Days of a cluster from a seed: what happens to it, at random, and all that its controllers wrote."""

from dataclasses import dataclass
from random import Random

from tests.oracle.rows import Release, release
from tests.replay.simulator.cluster import Cluster, Partition
from tests.replay.simulator.controller import Controller
from tests.replay.simulator.record import Died, Line, Recorder, Term, printed, stock_level

START_MS = 1_709_251_200_000  # 2024-03-01 00:00 UTC
DAY_MS = 86_400_000
EVENTS_A_DAY = 60
BROKERS = (1, 2, 3, 4, 5)
TOPICS = ("orders", "payments", "clicks", "audit_log", "page.views", "geo-points")
MISHAPS = ("wipe", "die_midway")


@dataclass(frozen=True)
class Simulated:
    """All that happened, in order; `level` is that of state.change.logger, and says what was printed of it.

    `release`, `seed`, `days` made it. `cut_short`: terms whose controller died in the midst of its work.
    """

    release: str
    seed: int
    days: float
    level: str
    lines: tuple[Line, ...]
    cut_short: frozenset[Term]

    @property
    def version(self) -> Release:
        return release(self.release)

    def printed(self) -> list[Line]:
        return printed(self.lines, lambda _: self.level)


def simulated(
    name: str, seed: int, days: float = 1.0, *, level: str = "", mishaps: tuple[str, ...] = ()
) -> Simulated:
    """Days of a cluster of that release. `level`: as shipped if not given. `mishaps`: of MISHAPS, now and then."""
    play = Play(release(name), seed)
    for number in range(round(days * EVENTS_A_DAY)):
        play.recorder.at_ms = max(play.recorder.at_ms + 1, START_MS + round(number * DAY_MS / EVENTS_A_DAY))
        if mishaps and play.rng.random() < 0.1:
            play.mishap(play.rng.choice(mishaps))
        else:
            play.event()
    lines = tuple(play.recorder.lines)
    return Simulated(name, seed, days, level or stock_level(release(name)), lines, frozenset(play.cut_short))


class Play:
    """A cluster, its controller of the moment, and the dice."""

    def __init__(self, version: Release, seed: int) -> None:
        self.rng = Random(seed)  # noqa: S311  (dice, not secrets)
        self.recorder = Recorder(version, self.rng, START_MS)
        self.cluster = Cluster(BROKERS, set(BROKERS))
        self.controller = Controller(self.cluster, self.recorder, self.rng.choice(BROKERS))
        self.cut_short: set[Term] = set()
        for _ in range(4):
            self.create()

    def event(self) -> None:
        """One thing that happens to clusters, then some answers that were due."""
        kinds = (
            self.create,
            self.delete,
            self.die,
            self.come_back,
            self.prefer,
            self.reassign,
            self.catch_up,
        )
        weights = (3, 3, 3, 4, 2, 3, 3)
        self.rng.choices((*kinds, self.shut_down, self.fail_over), (*weights, 2, 2))[0]()
        self.answer(self.rng.choice((0, 1, 3, 99)))

    def mishap(self, name: str) -> None:
        {"wipe": self.wipe, "die_midway": self.die_midway}[name]()

    def die_midway(self) -> None:
        """The controller dies while it works on something: ZooKeeper keeps what was done by then."""
        self.recorder.left = self.rng.randrange(20)
        try:
            self.event()
        except Died:
            self.cut_short.add((self.cluster.life, self.cluster.epoch))
            if len(self.cluster.alive) > 2:
                self.cluster.alive.discard(self.controller.node)
            self._elect()
        self.recorder.left = None

    def create(self) -> None:
        """Dead brokers may get replicas too."""
        cluster = self.cluster
        cluster.created += 1
        again = [name for name in TOPICS if name not in cluster.topics]
        topic = self.rng.choice(again) if again else f"{self.rng.choice(TOPICS)}-{cluster.created}"
        factor = self.rng.choice((1, 2, 3, 3))
        partitions = {
            number: Partition(self.rng.sample(cluster.brokers, factor))
            for number in range(self.rng.randint(1, 6))
        }
        self.controller.create(topic, partitions)

    def delete(self) -> None:
        """No topic that is being reassigned; up to 1.1 none with a partition that never had a leader (items 4 to 6)."""
        able = [
            topic
            for topic, partitions in self.cluster.topics.items()
            if topic not in self.cluster.queued
            and not any(one.target for one in partitions.values())
            and (
                self.recorder.version >= (2, 0) or all(one.leader is not None for one in partitions.values())
            )
        ]
        if able:
            self.controller.delete(self.rng.choice(able))

    def die(self) -> None:
        if len(self.cluster.alive) < 3:
            return
        broker = self.rng.choice(sorted(self.cluster.alive))
        self.cluster.alive.discard(broker)
        if broker == self.controller.node:
            self._elect()
        else:
            self.controller.broker_died(broker)

    def shut_down(self) -> None:
        """A clean stop; the controller's own ends its term."""
        if len(self.cluster.alive) < 3:
            return
        broker = self.rng.choice(sorted(self.cluster.alive))
        self.controller.broker_shuts_down(broker)
        self.cluster.alive.discard(broker)
        if broker == self.controller.node:
            self.controller.resigned()
            self._elect()
        else:
            self.controller.broker_died(broker)

    def come_back(self) -> None:
        dead = sorted(set(self.cluster.brokers) - self.cluster.alive)
        if not dead:
            return
        broker = self.rng.choice(dead)
        self.cluster.alive.add(broker)
        self.controller.broker_returned(broker)
        for topic, _, partition in self.cluster.partitions():
            is_led = partition.leader in self.cluster.alive and topic not in self.cluster.queued
            if (
                broker in partition.replicas
                and broker not in partition.isr
                and is_led
                and not partition.target
            ):
                partition.isr = [*partition.isr, broker]

    def prefer(self) -> None:
        self.controller.prefer()

    def reassign(self) -> None:
        able = [
            (topic, number, partition)
            for topic, number, partition in self.cluster.partitions()
            if topic not in self.cluster.queued
            and partition.leader in self.cluster.alive
            and not partition.target
        ]
        if able:
            topic, number, partition = self.rng.choice(able)
            target = self.rng.sample(sorted(self.cluster.alive), min(2, len(self.cluster.alive)))
            if set(target) != set(partition.replicas):
                self.controller.reassign(topic, number, target)

    def catch_up(self) -> None:
        """Reassignments whose target replicas are all alive finish."""
        for topic, number, partition in list(self.cluster.partitions()):
            is_led = partition.leader in self.cluster.alive
            if partition.target and set(partition.target) <= self.cluster.alive and is_led:
                self.controller.reassigned(topic, number)

    def fail_over(self) -> None:
        """/controller is deleted: everybody lives on, somebody is elected, perhaps the same broker."""
        self.controller.resigned()
        self._elect()

    def _elect(self) -> None:
        self.controller = Controller(self.cluster, self.recorder, self.rng.choice(sorted(self.cluster.alive)))

    def answer(self, count: int) -> None:
        """Some of the brokers asked to delete replicas answer, now and then with an error."""
        for _ in range(count):
            waiting = [one for one in self.controller.deletion.waiting() if one[0] in self.cluster.alive]
            if not waiting:
                return
            broker, topic = self.rng.choice(waiting)
            self.controller.deletion.answered(broker, topic, is_error=self.rng.random() < 0.1)

    def wipe(self) -> None:
        """Somebody empties ZooKeeper: topics are gone, and epochs begin again."""
        self.controller.resigned()
        self.cluster.wipe()
        self._elect()
