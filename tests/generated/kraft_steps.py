"""What brokers of Kafka 3.9 in KRaft mode write as they apply a change of the metadata."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.generated.held import Held, commas, spaced
from tests.generated.output import Output, after

APPLIED = 300  # ms after a controller's decision, about as in the lab


@dataclass(frozen=True)
class Applied:
    """One partition on one broker. before: leader and epoch as it knew, None: it had no replica in memory."""

    name: str
    held: Held
    topic_id: str
    before: tuple[int, int] | None
    moving: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def is_known(self) -> bool:
        return self.before is not None and self.before[1] == self.held.epoch


@dataclass(frozen=True)
class Delta:
    """What brokers apply of one change, each by itself. deleted: how many partitions, by broker."""

    at: int
    applied: Mapping[int, Sequence[Applied]]
    deleted: dict[int, int] = field(default_factory=dict)
    late: frozenset[str] = frozenset()  # partitions that are there before the broker hears of their topic

    @property
    def shown(self) -> int:
        """When the last line of it is written."""
        return after(self.at + APPLIED, 2 * max(map(len, self.applied.values()), default=0) + 6) + 1

    @property
    def end(self) -> int:
        return self.shown + 1

    def write(self, out: Output) -> None:
        at, info = self.at + APPLIED, f"INFO [Broker id={out.node}] "
        if out.node in self.deleted:
            out.lines(at, info, [f"Deleting {self.deleted[out.node]} partition(s)."])
        if out.node in self.applied:
            mine = self.applied[out.node]
            leads = [one for one in mine if one.held.leader == out.node]
            follows = [one for one in mine if one.held.leader != out.node]
            missing = [one for one in mine if one.before is None and one.name in self.late]
            out.lines(
                at,
                f"ERROR [Broker id={out.node}] ",
                (
                    f"Expected partition {one.name} with topic id {one.topic_id} to exist, but it was missing. Creating..."
                    for one in missing
                ),
            )
            out.lines(at, info, [*self.of_leaders(leads), *self.of_followers(follows)])

    def of_leaders(self, leads: Sequence[Applied]) -> Iterator[str]:
        if leads:
            yield f"Transitioning {len(leads)} partition(s) to local leaders."
        for one in leads:
            name, held = one.name, one.held
            isr = commas(held.isr)
            if one.before is None:
                yield f"Creating new partition {name} with topic id {one.topic_id}."
            if one.is_known():
                adding, removing = map(commas, one.moving)
                yield (
                    f"Skipped the become-leader state change for {name} with topic id Some({one.topic_id}) and partition state "
                    f"{state_text(one)} since it is already the leader with leader epoch {held.epoch}. Current high watermark "
                    f"0, ISR [{isr}], adding replicas [{adding}] and removing replicas [{removing}]."
                )
            else:
                leader, epoch = one.before or (None, -1)
                before = "None" if leader is None else f"Some({leader})"
                yield (
                    f"Leader {name} with topic id Some({one.topic_id}) starts at leader epoch {held.epoch} from offset 0 with "
                    f"partition epoch {held.version}, high watermark 0, ISR [{isr}], adding replicas [] and removing replicas "
                    f"[] . Previous leader {before} and previous leader epoch was {epoch}."
                )

    def of_followers(self, follows: Sequence[Applied]) -> Iterator[str]:
        started = sum(not one.is_known() for one in follows)
        if follows:
            yield f"Transitioning {len(follows)} partition(s) to local followers."
        for one in follows:
            name, held = one.name, one.held
            if one.before is None and name not in self.late:
                yield f"Creating new partition {name} with topic id {one.topic_id}."
            if one.is_known():
                yield (
                    f"Skipped the become-follower state change for {name} with topic id Some({one.topic_id}) and partition "
                    f"state {state_text(one)} since it is already a follower with leader epoch {held.epoch}."
                )
            else:
                yield (
                    f"Follower {name} starts at leader epoch {held.epoch} from offset 0 with partition epoch {held.version} and "
                    f"high watermark 0. Current leader is {held.leader}. Previous leader Some({held.leader}) and previous "
                    f"leader epoch was {held.epoch}."
                )
        if started:
            yield f"Stopped fetchers as part of become-follower for {started} partitions"
            yield f"Started fetchers as part of become-follower for {started} partitions"


def state_text(one: Applied) -> str:
    """A partition's state as KRaft brokers print it."""
    topic, _, partition = one.name.rpartition("-")
    held, (adding, removing) = one.held, one.moving
    return (
        f"LeaderAndIsrPartitionState(topicName='{topic}', partitionIndex={partition}, controllerEpoch=-1, "
        f"leader={held.leader}, leaderEpoch={held.epoch}, isr=[{spaced(held.isr)}], partitionEpoch={held.version}, "
        f"replicas=[{spaced(held.replicas)}], addingReplicas=[{spaced(adding)}], removingReplicas=[{spaced(removing)}], "
        "isNew=false, leaderRecoveryState=0)"
    )
