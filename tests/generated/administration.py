"""What a controller of Kafka 2.2 does as a topic is deleted and a partition reassigned."""

from tests.generated.changes import Changes
from tests.generated.held import DELETED, Held, ids, led_by, with_isr, without
from tests.generated.output import CONTROLLER, SERVER, STATE, TRACES, times_of
from tests.generated.sender import NONE, OFFLINE, ONLINE

GONE = ("OfflineReplica", "ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "NonExistentReplica")
DELETION = "kafka.controller.TopicDeletionManager"


class Administration(Changes):
    """TopicDeletionManager, and KafkaController.onPartitionReassignment."""

    def deletion_says(self, *texts: str) -> None:
        lines = [text.partition(" ") for text in texts]
        manager = f"[Topic Deletion Manager {self.controller}], "
        self.say(
            self.controller, *((CONTROLLER, level, manager + text, DELETION) for level, _, text in lines)
        )

    def delete(self, topic: str) -> None:
        names = [name for name in self.held if name.rpartition("-")[0] == topic]
        replicas = [(name, broker) for name in names for broker in self.held[name].replicas]
        self.told(
            f"DEBUG Delete topics listener fired for topics {topic} to be deleted",
            f"INFO Starting topic deletion for topics {topic}",
        )
        self.deletion_says(
            f"INFO Handling deletion for topics {topic}",
            f"INFO Deletion of topic {topic} (re)started",
            f"INFO Topic deletion callback for {topic}",
        )
        at = self.free
        moves = [
            (name, before, to, None) for before, to in ((ONLINE, OFFLINE), (OFFLINE, NONE)) for name in names
        ]
        self.moved(moves)
        gone = {name: self.held[name]._replace(leader=DELETED) for name in names}
        for name, shown in zip(names, times_of(at, moves)[len(names) :], strict=True):
            self.truth.leader(name, DELETED, at, shown)
        self.send(items=list(gone.items()))
        self.deletion_says(f"INFO Partition deletion callback for {','.join(names)}")
        brokers = sorted({broker for _, broker in replicas})
        self.moved(replicas=[(*one, "OnlineReplica", GONE[0]) for one in replicas])
        for broker in brokers:
            self.stop_replicas(broker, [name for name, one in replicas if one == broker])
        named = ",".join(replica_text(*one) for one in replicas)
        self.deletion_says(f"DEBUG Deletion started for replicas {named}")
        self.moved(replicas=[(*one, *GONE[:2]) for one in replicas])
        for broker in brokers:
            self.stop_replicas(broker, [name for name, one in replicas if one == broker], is_deleting=True)
        for name, broker in replicas:
            self.told(
                f"DEBUG Delete topic callback invoked for StopReplicaResponse(responses={{{name}=NONE}}, error=NONE)"
            )
            self.deletion_says(
                f"DEBUG Deletion successfully completed for replicas {replica_text(name, broker)}"
            )
            self.moved(replicas=[(name, broker, *GONE[1:3])])
            self.deletion_says(f"INFO Handling deletion for topics {topic}")
        self.moved(replicas=[(*one, *GONE[2:]) for one in replicas])
        self.deletion_says(f"INFO Deletion of topic {topic} successfully completed")
        for name, broker in replicas:
            del self.hosted[broker][name]
            self.forget(broker, name)
        for name in names:
            del self.held[name]

    def reassign(self, draw: int) -> None:
        """One follower of one partition is replaced by a broker that has no replica of it."""
        names = [
            name
            for name, held in self.held.items()
            if 2 < len(held.replicas) < len(self.live) and held.leader > 0
        ]
        if not names:
            return
        name = names[draw % len(names)]
        old = self.held[name]
        follower = next(one for one in reversed(old.replicas) if one != old.leader)
        spare = [one for one in sorted(self.live) if one not in old.replicas]
        added = spare[draw % len(spare)]
        target = tuple(added if one == follower else one for one in old.replicas)
        self.told(
            f"INFO Handling reassignment of partition {name} to new replicas {ids(target)}",
            f"INFO New replicas {ids(target)} for partition {name} being reassigned not yet caught up with the leader",
            f"INFO Updated assigned replicas for partition {name} being reassigned to {ids((*target, follower))}",
        )
        wide = old._replace(replicas=(*target, follower))
        wider = self.with_new_epoch(name, wide, wide)
        self.moved(replicas=[(name, added, "NonExistentReplica", "NewReplica")])
        self.hosted[added][name] = None
        self.request_stale(name, wide, [added], is_new=True)
        self.told(
            f"INFO Waiting for new replicas {ids(target)} for partition {name} being reassigned to catch up with the leader",
            "INFO Removing partitions Set() from the list of reassigned partitions in zookeeper",
            f"INFO {len(target) - 1}/{len(target)} replicas have caught up with the leader for partition {name} being "
            f"reassigned. Replica(s) {added} still need to catch up",
        )
        self.free += 700
        self.complete(name, wider, wide, (target, added, follower))

    def complete(self, name: str, wider: Held, wide: Held, moving: tuple[tuple[int, ...], int, int]) -> None:
        """The new replica is in sync: the old one goes. wide: what the controller has in its cache."""
        target, added, follower = moving
        grown = with_isr(wider, (*wider.isr, added))
        text = (
            f"[Partition {name} broker={wide.leader}] Expanding ISR from {ids(wider.isr)} to {ids(grown.isr)}"
        )
        self.say(wide.leader, (SERVER, "INFO", text, "kafka.cluster.Partition"))
        self.told(
            f"INFO {len(target)}/{len(target)} replicas have caught up with the leader for partition {name} being "
            "reassigned. Resuming partition reassignment"
        )
        for replica in target:
            state = "NewReplica" if replica == added else "OnlineReplica"
            self.moved(replicas=[(name, replica, state, "OnlineReplica")])
            if replica != added:
                self.request_stale(name, wide, [replica])
        self.told(
            f"INFO Leader {wide.leader} for partition {name} being reassigned, is already in the new list of replicas "
            f"{ids(target)} and is alive"
        )
        narrow = grown._replace(replicas=target)
        self.held[name] = self.with_new_epoch(name, narrow, wide._replace(replicas=target), follower)
        self.remove_replica(name, follower)
        self.told(
            f"INFO Updated assigned replicas for partition {name} being reassigned to {ids(target)}",
            f"INFO Removing partitions Set({name}) from the list of reassigned partitions in zookeeper",
            "INFO No more partitions need to be reassigned. Deleting zk path /admin/reassign_partitions",
        )
        self.request([name], recipients=())

    def with_new_epoch(self, name: str, held: Held, cached: Held, *more: int) -> Held:
        """updateLeaderEpochAndSendRequest: UpdateMetadata still says what the controller has in its cache."""
        self.told(f"DEBUG Updating leader epoch for partition {name}")
        found = led_by(held, held.leader, held.isr, self.term)
        self.told(f"INFO Updated leader epoch for partition {name} to {found.epoch}")
        self.request_of(name, found, cached, (*found.replicas, *more))
        text = (
            f"[Controller id={self.controller} epoch={self.term}] Sent LeaderAndIsr request (Leader:{found.leader},"
            f"ISR:{ids(found.isr)},LeaderEpoch:{found.epoch},ControllerEpoch:{found.term}) with new assigned replica list "
            f"{ids(found.replicas)} to leader {found.leader} for partition being reassigned {name}"
        )
        self.say(self.controller, (STATE, "TRACE", text, TRACES))
        return found

    def request_stale(self, name: str, cached: Held, to: list[int], *, is_new: bool = False) -> None:
        self.request_of(name, cached, cached, to, is_new=is_new)

    def remove_replica(self, name: str, broker: int) -> None:
        """stopOldReplicasOfReassignedPartition."""
        self.moved(replicas=[(name, broker, "OnlineReplica", GONE[0])])
        self.held[name] = without(self.held[name], broker, self.term)
        self.request([name])
        self.stop_replicas(broker, [name])
        self.moved(replicas=[(name, broker, *GONE[:2])])
        self.stop_replicas(broker, [name], is_deleting=True)
        self.moved(replicas=[(name, broker, *GONE[1:3]), (name, broker, *GONE[2:])])
        del self.hosted[broker][name]
        self.forget(broker, name)


def replica_text(name: str, broker: int) -> str:
    return "[Topic={},Partition={},Replica={}]".format(*name.rsplit("-", 1), broker)
