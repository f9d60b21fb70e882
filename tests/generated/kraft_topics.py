"""Topics of a cluster of Kafka 3.9 in KRaft mode: they are made and removed, their partitions change."""

from collections.abc import Iterable, Sequence

from tests.generated.held import DELETED, Held, ids, spaced, with_isr
from tests.generated.kraft_steps import Delta
from tests.generated.output import SERVER
from tests.generated.plan import SECOND, assignment
from tests.generated.quorum import QUORUM, REPLICATION, Quorum, uuid_of
from tests.generated.steps import Say


class Topics(Quorum):
    """ReplicationControlManager."""

    def change_isr(self, names: Sequence[str], broker: int) -> None:
        """Leaders add a broker to their ISR (AlterPartition)."""
        at, lines = self.free, dict[int, list[tuple[str, str, str, str]]]()
        for name in names:
            held = self.held[name] = with_isr(self.held[name], (*self.held[name].isr, broker))
            text = f"[Partition {name} broker={held.leader}] ISR updated to {ids(held.isr)}  and version updated to {held.version}"
            lines.setdefault(held.leader, []).append((SERVER, "INFO", text, "kafka.cluster.Partition"))
        for leader, said in lines.items():
            self.put(Say(self.free, leader, said))
        if names:
            self.apply(names, at)

    def balance(self) -> None:
        """maybeBalancePartitionLeaders."""
        found = [
            name
            for name, held in self.held.items()
            if held.leader != held.replicas[0]
            and held.leader > 0
            and held.replicas[0] in self.active
            and held.replicas[0] in held.isr
        ]
        for begin in range(0, len(found), ELECTIONS_A_CHECK):
            batch, at = found[begin : begin + ELECTIONS_A_CHECK], self.free
            for name in batch:
                self.held[name] = changed(self.held[name], self.held[name].replicas[0], self.held[name].isr)
            self.offset += len(batch)
            self.told(
                (
                    "INFO",
                    f"maybeBalancePartitionLeaders: generated {len(batch)} records in 762 microseconds.",
                    QUORUM,
                )
            )
            self.apply(batch, at)

    def create(self, topic: str, number: int) -> None:
        self.topics[topic] = uuid_of(f"{topic} {self.free}")
        found = {
            f"{topic}-{partition}": Held(replicas[0], 0, replicas, 0, replicas, 0)
            for partition, replicas in enumerate(assignment(self.plan, topic, number))
        }
        copies = len(next(iter(found.values())).replicas)
        asked = f"CreatableTopic(name='{topic}', numPartitions={len(found)}, replicationFactor={copies}, assignments=[], configs=[])"
        at = self.free
        self.told(("INFO", f"CreateTopics result(s): {asked}: SUCCESS", REPLICATION))
        self.replayed(
            f"Replayed TopicRecord for topic {topic} with topic ID {self.topics[topic]}.",
            *(self.partition_text(name, held) for name, held in found.items()),
        )
        self.held |= found
        for name, held in found.items():
            for broker in held.replicas:
                self.hosted[broker][name] = None
        self.apply(found, at)

    def delete(self, topic: str) -> None:
        names = [name for name in self.held if name.rpartition("-")[0] == topic]
        at, deleted = self.free, dict[int, int]()
        self.replayed(f"Replayed RemoveTopicRecord for topic {topic} with ID {self.topics.pop(topic)}.")
        for name in names:
            self.truth.leader(name, DELETED, at, self.free + SECOND)
            for broker in self.held.pop(name).replicas:
                deleted[broker] = deleted.get(broker, 0) + 1
                del self.hosted[broker][name]
                self.known.get(broker, {}).pop(name, None)
        self.put(Delta(self.free, {}, {one: count for one, count in deleted.items() if one in self.up}))

    def reassign(self, draw: int) -> None:
        """One follower of one partition is replaced by a broker that has no replica of it."""
        names = [
            name
            for name, held in self.held.items()
            if 2 < len(held.replicas) < len(self.up) and held.leader > 0
        ]
        if not names:
            return
        name = names[draw % len(names)]
        old = self.held[name]
        follower = next(one for one in reversed(old.replicas) if one != old.leader)
        spare = [one for one in sorted(self.up) if one not in old.replicas]
        added = spare[draw % len(spare)]
        target = tuple(added if one == follower else one for one in old.replicas)
        both, at = (*target, follower), self.free
        self.told(("INFO", "Successfully altered 1 out of 1 partition reassignment(s).", REPLICATION))
        self.replayed(self.assignment_text(name, old.replicas, both, (added,), (follower,)))
        self.held[name] = old._replace(replicas=both, version=old.version + 1)
        self.hosted[added][name] = None
        self.apply([name], at, moving=((added,), (follower,)), late=frozenset([name]))
        self.free += 700
        grown, at = with_isr(self.held[name], (*old.isr, added)), self.free
        isr = tuple(one for one in grown.isr if one != follower)
        done = changed(grown._replace(replicas=target, version=grown.version - 1), old.leader, isr)
        self.held[name] = done._replace(epoch=old.epoch + 1)
        text = f"AlterPartition request from node {old.leader} for {name} completed the ongoing partition reassignment."
        self.told(("INFO", text, REPLICATION))
        self.replayed(self.assignment_text(name, target, target, isr=isr, leader=old.leader))
        said = f"[Partition {name} broker={old.leader}] ISR updated to {ids(isr)}  and version updated to {self.held[name].version}"
        self.put(Say(self.free, old.leader, [(SERVER, "INFO", said, "kafka.cluster.Partition")]))
        del self.hosted[follower][name]
        self.known[follower].pop(name, None)
        self.apply([name], at, deleted={follower: 1})

    def assignment_text(
        self,
        name: str,
        placed: tuple[int, ...],
        replicas: tuple[int, ...],
        adding: tuple[int, ...] = (),
        removing: tuple[int, ...] = (),
        isr: tuple[int, ...] = (),
        leader: int = -2,
    ) -> str:
        """A PartitionChangeRecord. placed: replicas whose directory is known."""
        topic, _, partition = name.rpartition("-")
        directories = ", ".join(uuid_of(str(one)) if one in placed else UNASSIGNED for one in replicas)
        return (
            f"Replayed partition assignment change PartitionChangeRecord(partitionId={partition}, "
            f"topicId={self.topics[topic]}, isr={f'[{spaced(isr)}]' if isr else 'null'}, leader={leader}, "
            f"replicas=[{spaced(replicas)}], removingReplicas=[{spaced(removing)}], addingReplicas=[{spaced(adding)}], "
            f"leaderRecoveryState=-1, directories=[{directories}], eligibleLeaderReplicas=null, lastKnownElr=null) for topic "
            f"{topic}"
        )


ELECTIONS_A_CHECK = 1000  # MAX_ELECTIONS_PER_IMBALANCE, then the next at once
UNASSIGNED = "AAAAAAAAAAAAAAAAAAAAAA"  # DirectoryId.UNASSIGNED


def changed(held: Held, leader: int, isr: Iterable[int]) -> Held:
    """A record that changes a partition: the leader epoch grows with a new leader (metadata.version from 3.6 on)."""
    epoch = held.epoch + (leader != held.leader)
    return held._replace(leader=leader, epoch=epoch, isr=tuple(isr), version=held.version + 1)
