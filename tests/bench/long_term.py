"""The logs of a controller that is in office for many days: deaths of brokers, ISR changes, checks of leader imbalance."""

from random import Random

from tests.oracle.rows import release
from tests.replay.simulator.cluster import Cluster, Partition
from tests.replay.simulator.controller import Controller
from tests.replay.simulator.days import DAY_MS, START_MS
from tests.replay.simulator.disk import text
from tests.replay.simulator.record import Recorder, listed, printed
from tests.replay.simulator.wording import partition_name

RELEASE, SEED = "3.2", 7
CONTROLLER, BROKERS, PARTITIONS, REPLICAS = 1, (1, 2, 3, 4), 12, 3
# Hours of a day; the checks give the leads back that a death took.
DEATHS, CHECKS = (3, 9, 15, 21), range(0, 24, 2)
HOUR_MS, MINUTE_MS, SECOND_MS = 3_600_000, 60_000, 1000
THRESHOLD = 0.1  # leader.imbalance.per.broker.percentage


class Term:
    """A cluster and the one controller that it has."""

    def __init__(self) -> None:
        rng = Random(SEED)  # noqa: S311 - which lines fall into one millisecond
        self.recorder = Recorder(release(RELEASE), rng, START_MS)
        self.cluster = Cluster(BROKERS, set(BROKERS))
        self.controller = Controller(self.cluster, self.recorder, CONTROLLER)
        replicas = [
            [BROKERS[(number + place) % len(BROKERS)] for place in range(REPLICAS)]
            for number in range(PARTITIONS)
        ]
        self.controller.create("orders", {number: Partition(one) for number, one in enumerate(replicas)})

    def say(self, event: str, **values: object) -> None:
        self.recorder.say(CONTROLLER, self.controller.machines.term, event, **values)

    def day(self, number: int) -> None:
        for hour in range(24):
            begin = START_MS + number * DAY_MS + hour * HOUR_MS
            if hour in CHECKS:
                self.recorder.at_ms = begin + MINUTE_MS
                self.check()
            if hour in DEATHS:
                others = [one for one in BROKERS if one != CONTROLLER]
                self.lose(others[(number + hour // 6) % len(others)], begin)

    def lose(self, broker: int, begin_ms: int) -> None:
        """A broker dies, comes back after two minutes, and soon is in sync again."""
        self.recorder.at_ms = begin_ms + 10 * MINUTE_MS
        self.cluster.alive.discard(broker)
        self.controller.broker_died(broker)
        self.recorder.at_ms += 2 * MINUTE_MS
        self.cluster.alive.add(broker)
        self.controller.broker_returned(broker)
        self.recorder.at_ms += 30 * SECOND_MS
        self.catch_up(broker)

    def catch_up(self, broker: int) -> None:
        behind = [
            (topic, number, partition)
            for topic, number, partition in self.cluster.partitions()
            if broker in partition.replicas and broker not in partition.isr
        ]
        names = ", ".join(self.name(topic, number) for topic, number, _ in behind)
        self.say("alter_partition_updating", topic_partitions=f"Set({names})")
        for topic, number, partition in behind:
            partition.isr = [*partition.isr, broker]
            told = {"topic": topic, "partition": number, "zk_version": partition.epoch + 1}
            self.say("alter_partition_updated", isr=listed(partition.isr), **told)

    def check(self) -> None:
        """checkAndTriggerAutoLeaderRebalance."""
        self.say("auto_preferred_election")
        self.say("imbalance_check")
        for broker in BROKERS:
            preferred = [one for one in self.cluster.partitions() if one[2].replicas[0] == broker]
            elsewhere = [one for one in preferred if one[2].leader != broker]
            lists = ", ".join(
                f"{self.name(topic, number)} -> List({', '.join(map(str, one.replicas))})"
                for topic, number, one in elsewhere
            )
            ratio = len(elsewhere) / len(preferred)
            told = {"broker_id": broker, "topics_not_in_preferred_replica": f"HashMap({lists})"}
            self.say("imbalance_not_preferred", **told)
            self.say("imbalance_ratio", broker_id=broker, imbalance_ratio=ratio)
            if ratio > THRESHOLD:
                self.controller.prefer()

    def name(self, topic: str, number: int) -> str:
        return partition_name(self.recorder.version, topic, number)


def long_term_logs(days: int) -> dict[tuple[int, str], str]:
    """Texts by (node_id, log), state-change.log at TRACE: some 300 lines a day."""
    term = Term()
    for number in range(days):
        term.day(number)
    found: dict[tuple[int, str], list[str]] = {}
    for line in printed(term.recorder.lines, lambda _: "TRACE"):
        found.setdefault((line.node, line.log), []).append(text(line))
    return {place: "".join(lines) for place, lines in found.items()}
