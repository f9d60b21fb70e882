"""The two state machines of one controller: what they ask, refuse, do and say, as the releases differ."""

from collections.abc import Iterable, Sequence

from tests.oracle.rows import Release
from tests.replay.naive import VALID_PREVIOUS
from tests.replay.simulator.cluster import Cluster, Partition
from tests.replay.simulator.record import Move, Recorder, Term, Thing, listed
from tests.replay.simulator.wording import leader_and_isr, partition_name

Replica = tuple[str, int, int]
OFFLINE, PREFERRED, REASSIGN, SHUTDOWN = (
    "OfflinePartitionLeaderElectionStrategy",
    "PreferredReplicaPartitionLeaderElectionStrategy",
    "ReassignPartitionLeaderElectionStrategy",
    "ControlledShutdownPartitionLeaderElectionStrategy",
)


class Machines:
    """The states that one controller holds in memory; they end with its term."""

    def __init__(self, cluster: Cluster, recorder: Recorder, node: int) -> None:
        self.cluster, self.recorder, self.node = cluster, recorder, node
        self.version: Release = recorder.version
        self.term: Term = (cluster.life, cluster.epoch)
        self.state: dict[Thing, str] = {}
        self.shutting_down: set[int] = set()
        self.replica_machine = VALID_PREVIOUS["R1" if self.version < (2, 3) else "R2"]

    def partition(self, thing: Thing) -> Partition:
        return self.cluster.topics[thing[0]][thing[1]]

    def name(self, thing: Thing) -> str:
        return partition_name(self.version, thing[0], thing[1])

    def electable(self) -> set[int]:
        return self.cluster.alive - self.shutting_down

    def replicas(self, things: Iterable[Replica], target: str) -> None:
        """handleStateChanges of the replica machine."""
        for thing in sorted(things, key=lambda one: (one[2], one)):
            self.recorder.live()
            held = self.state.setdefault(thing, "NonExistentReplica")
            if held not in self.replica_machine[target]:
                self._refuse_replica(thing, held, target)
            elif target == "OfflineReplica" and self.partition(thing).leader is None:
                self._offline_without_leader(thing, held)
            elif (
                target == "OnlineReplica"
                and held != "NewReplica"
                and self.partition(thing).leader is None
                and self.version < (1, 1)
            ):
                self.recorder.silent(self.node, self.term, Move(thing, held, target, "done"))  # item 1
                self.state[thing] = target
            else:
                if target == "OfflineReplica":
                    self._leave_isr(thing)
                self.done(thing, held, target)

    def done(self, thing: Thing, held: str, target: str, **values: object) -> None:
        self.recorder.move(self.node, self.term, Move(thing, held, target, "done"), values)
        self.state[thing] = target
        if target == "NonExistentReplica":
            del self.state[thing]

    def _leave_isr(self, thing: Replica) -> None:
        partition = self.partition(thing)
        if thing[2] in partition.isr and len(partition.isr) > 1:
            partition.isr.remove(thing[2])
            partition.epoch += 1

    def _offline_without_leader(self, thing: Replica, held: str) -> None:
        """Items 4 to 6: up to 1.1 the state stays, with an ERROR line or without."""
        if self.version >= (2, 0):
            self.done(thing, held, "OfflineReplica")
        elif self.version < (1, 1) and thing[0] not in self.cluster.queued:
            reason = (
                f"kafka.common.StateChangeFailedException: Failed to change state of replica {thing[2]} for "
                f"partition {self.name(thing)} since the leader and isr path in zookeeper is empty"
            )
            self._not_done(thing, held, "OfflineReplica", "failed", reason)

    def _refuse_replica(self, thing: Replica, held: str, target: str) -> None:
        topic, partition, replica = thing
        kind = (
            "java.lang.AssertionError: assertion failed"
            if self.version < (1, 1)
            else "java.lang.IllegalStateException"
        )
        valid = listed(state for state in self.replica_machine if state in self.replica_machine[target])
        reason = (
            f"{kind}: Replica [Topic={topic},Partition={partition},Replica={replica}] should be in the {valid} "
            f"states before moving to {target} state. Instead it is in {held} state"
        )
        self._not_done(thing, held, target, "refused", reason)

    def _not_done(self, thing: Thing, held: str, target: str, outcome: str, reason: str) -> None:
        trace = "\n\tat kafka.controller.ZkReplicaStateMachine.handleStateChanges(StateMachine.scala)"
        self.recorder.move(self.node, self.term, Move(thing, held, target, outcome), {}, reason + trace)

    def partitions(self, things: Sequence[tuple[str, int]], target: str, strategy: str = OFFLINE) -> None:
        """handleStateChanges of the partition machine; it is never asked for what it would refuse."""
        for topic, number in things:
            self.recorder.live()
            thing = (topic, number, None)
            held = self.state.setdefault(thing, "NonExistentPartition")
            if target == "OnlinePartition":
                self._elect(thing, held, strategy)
            elif target == "NewPartition":
                self.done(thing, held, target, assigned_replicas=listed(self.partition(thing).replicas))
            else:
                self.done(thing, held, target)
        if target == "OnlinePartition" and (1, 1) <= self.version < (2, 4) and self._has_trouble():
            self._elect_again(things)

    def _has_trouble(self) -> bool:
        """ZooKeeper did not answer as it should."""
        return self.recorder.rng.random() < 0.02

    def _elect_again(self, things: Sequence[tuple[str, int]]) -> None:
        """Item 9: a retry elects all partitions anew (KAFKA-8286)."""
        elected = [one for one in things if self.state[(*one, None)] == "OnlinePartition"]
        for topic, number in elected:
            self._elect((topic, number, None), "OnlinePartition", OFFLINE)

    def _elect(self, thing: Thing, held: str, strategy: str) -> None:
        partition = self.partition(thing)
        leader, isr = self._chosen(partition, held, strategy)
        if held == "NewPartition" and self.version >= (1, 1) and self._has_trouble():
            reason = "org.apache.zookeeper.KeeperException$ConnectionLossException: KeeperErrorCode = ConnectionLoss"
            self._not_done(thing, held, held, "failed", reason)  # item 8
            return
        if leader is None:
            self._not_done(thing, held, "OnlinePartition", "failed", self._no_leader(thing, held, strategy))
            return
        if leader != partition.leader or isr != partition.isr:
            partition.epoch += partition.leader is not None
            partition.leader, partition.isr = leader, isr
        told: dict[str, object] = {"leader": leader}
        if self.version >= (1, 1):
            told["leader_and_isr"] = leader_and_isr(self.version, leader, partition.epoch, isr)
        self.done(thing, held, "OnlinePartition", **told)

    def _chosen(self, partition: Partition, held: str, strategy: str) -> tuple[int | None, list[int]]:
        """Leader and ISR by the rule of the strategy, unclean election off; no leader where there is none."""
        alive = self.electable()
        if held == "NewPartition":
            live = [replica for replica in partition.replicas if replica in self.cluster.alive]
            return (live[0] if live else None), live
        ordered = {PREFERRED: partition.replicas[:1], REASSIGN: partition.target}.get(
            strategy, partition.replicas
        )
        able = [replica for replica in ordered if replica in alive and replica in partition.isr]
        keeps = set(alive if strategy == SHUTDOWN else self.cluster.alive)
        return (able[0] if able else None), [one for one in partition.isr if one in keeps] or partition.isr

    def _no_leader(self, thing: Thing, held: str, strategy: str) -> str:
        partition, alive = self.partition(thing), f"Set({listed(sorted(self.cluster.alive))})"
        if held == "NewPartition":
            return (
                f"kafka.common.StateChangeFailedException: Controller {self.node} epoch {self.term[1]} encountered "
                f"error during state change of partition {self.name(thing)} from New to Online, assigned replicas "
                f"are [{listed(partition.replicas)}], live brokers are [{alive}]. No assigned replica is alive."
            )
        if self.version < (1, 1):
            return (
                f"kafka.common.NoReplicaOnlineException: No replica in ISR for partition {self.name(thing)} is "
                f"alive. Live brokers are: [{alive}], ISR brokers are: [{listed(partition.isr)}]"
            )
        told = f"{strategy}(false)" if strategy == OFFLINE and self.version >= (2, 4) else strategy
        return (
            f"kafka.common.StateChangeFailedException: Failed to elect leader for partition {self.name(thing)} "
            f"under strategy {told}"
        )
