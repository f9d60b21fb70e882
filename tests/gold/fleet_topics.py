"""What nodes print when topics are created, grow, are moved and deleted."""

from collections.abc import Iterable

from tests.gold.fleet_lines import Partition, assignment, joined
from tests.gold.fleet_sessions import Sessions

ID = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


class Cluster(Sessions):
    def create(self, topic: str, replicas: list[list[int]]) -> None:
        self.topic_ids[topic] = "".join(self.rng.choices(ID, k=22))
        new = [Partition(topic, number, own, own[0], list(own)) for number, own in enumerate(replicas)]
        own = joined((f"{one.name} -> {assignment(one.replicas)}" for one in new), ", ")
        told = f"Set(TopicIdReplicaAssignment({topic},Some({self.topic_ids[topic]}),Map({own})))"
        self.say(
            f"New topics: [Set({topic})], deleted topics: [HashSet()], new partition replica assignment [{told}]"
        )
        self.come_online(new)

    def add_partitions(self, topic: str, replicas: list[list[int]]) -> None:
        before = sum(one.topic == topic for one in self.partitions.values())
        new = [
            Partition(topic, number, own, own[0], list(own)) for number, own in enumerate(replicas, before)
        ]
        own = joined((f"{one.name} -> {assignment(one.replicas)}" for one in new), ", ")
        self.say(f"New partitions to be added HashMap({own})")
        self.come_online(new)

    def come_online(self, new: list[Partition]) -> None:
        self.say(f"New partition creation callback for {joined(one.name for one in new)}")
        for one in new:
            self.changed(
                f"Changed partition {one.name} state from NonExistentPartition to NewPartition with assigned replicas {joined(one.replicas)}"
            )
        for one in new:
            alive = [each for each in one.replicas if each in self.live]
            one.leader, one.isr = alive[0], alive
            self.partitions[one.name] = one
            self.move(one, "NewPartition")
        self.send(new)

    def delete(self, topic: str) -> None:
        """Goes as far as live brokers let it."""
        own = [one for one in self.partitions.values() if one.topic == topic]
        dead = [one.replica(broker) for one in own for broker in one.replicas if broker not in self.live]
        self.say(f"Delete topics listener fired for topics {topic} to be deleted", "DEBUG")
        self.say(f"Starting topic deletion for topics {topic}")
        self.deletion(self.controller, f"Handling deletion for topics {topic}")
        self.deletion(self.controller, f"Deletion of topic {topic} (re)started")
        self.deleting.add(topic)
        self.send_metadata(own)
        if dead:
            self.deletion(self.controller, f"Dead Replicas ({joined(dead)}) found for topic {topic}", "DEBUG")
        for broker in self.up():
            self.leave_isr(broker, [one for one in own if broker in one.replicas])
            self.stop_replicas(broker, [one for one in own if broker in one.replicas])
        if dead:
            self.deletion(self.controller, f"Halted deletion of topics {topic} due to offline replicas")
        for broker in self.up():
            self.replicas_deleted(topic, broker, [one for one in own if broker in one.replicas])
        if dead:
            self.deletion(
                self.controller,
                f"Retrying deletion of topics {topic} since replicas {joined(dead)} were not successfully deleted",
                "DEBUG",
            )
            return
        self.deletion(self.controller, f"Deletion of topic {topic} successfully completed")
        self.say(
            "New topics: [HashSet()], deleted topics: [HashSet()], new partition replica assignment [Set()]"
        )
        self.say("Delete topics listener fired for topics  to be deleted", "DEBUG")
        self.deleting.discard(topic)
        self.partitions = {name: one for name, one in self.partitions.items() if one.topic != topic}

    def replicas_deleted(self, topic: str, broker: int, own: list[Partition]) -> None:
        if not own:
            return
        self.now += self.rng.randrange(2, 30)
        done = joined((f"{one.name} -> NONE" for one in own), ", ")
        self.say(
            f"Delete topic callback invoked on StopReplica response received from broker {broker}: request error = NONE, partition errors = Map({done})",
            "DEBUG",
        )
        replicas = joined(one.replica(broker) for one in own)
        self.deletion(self.controller, f"Deletion successfully completed for replicas {replicas}", "DEBUG")
        self.deletion(self.controller, f"Handling deletion for topics {topic}")

    def reassign(self, name: str, new: list[int]) -> None:
        """To other brokers, or to the same in another order."""
        one = self.partitions[name]
        adding, removing = minus(new, one.replicas), minus(one.replicas, new)
        both = [*new, *removing]
        self.say(
            f"Updating assignment of partition {name} from {assignment(one.replicas)} to {assignment(both, adding, removing)}",
            "DEBUG",
        )
        self.say(
            f"Successfully updated assignment of partition {name} to {assignment(both, adding, removing)}"
        )
        one.replicas = both
        if adding:
            self.new_epoch(one, assignment(both, adding, removing))
            self.passing(self.rng.uniform(0.5, 20))
            for broker in adding:
                self.alter([one], joining=broker)
            self.say(
                f"Target replicas ArrayBuffer({joined(new, ', ')}) have all caught up with the leader for reassigning partition {name}"
            )
        if one.leader in new:
            self.say(
                f"Leader {one.leader} for partition {name} being reassigned, is already in the new list of replicas {joined(new)} and is alive"
            )
            one.replicas = new
            self.new_epoch(one, assignment(new))
        else:
            self.say(
                f"Leader {one.leader} for partition {name} being reassigned, is not in the new list of replicas {joined(new)}. Re-electing leader"
            )
            one.replicas = new
            one.led_by(new[0], one.isr)
            self.move(one, "OnlinePartition")
            self.send([one])
        for broker in removing:
            self.leave_isr(broker, [one])
            self.stop_replicas(broker, [one])
        self.say(f"Successfully updated assignment of partition {name} to {assignment(new)}")

    def new_epoch(self, one: Partition, told: str) -> None:
        self.say(f"Updating leader epoch for partition {one.name}", "DEBUG")
        one.led_by(one.leader, one.isr)
        self.say(
            f"Updated leader epoch for partition {one.name} to {one.leader_epoch}, zkVersion={one.version}"
        )
        self.send([one])
        self.changed(
            f"Sent LeaderAndIsr request {one.short(self.epoch)} with new replica assignment {told} to leader {one.leader} for partition being reassigned {one.name}"
        )


def minus(some: Iterable[int], others: Iterable[int]) -> list[int]:
    return [one for one in some if one not in set(others)]
