"""Steps of a simulated cluster: single lines of any node, moves of a controller's state machines (2.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.generated.held import Held, commas, spaced
from tests.generated.output import TRACES, Output, after

STACK = "".join(
    f"\tat {one}\n"
    for one in (
        "kafka.controller.PartitionStateMachine.$anonfun$doElectLeaderForPartitions$9(PartitionStateMachine.scala:390)",
        "scala.collection.mutable.ArrayBuffer.foreach(ArrayBuffer.scala:49)",
        "kafka.controller.PartitionStateMachine.doElectLeaderForPartitions(PartitionStateMachine.scala:388)",
        "kafka.controller.PartitionStateMachine.handleStateChanges(PartitionStateMachine.scala:141)",
        "kafka.controller.ControllerEventManager$ControllerEventThread.doWork(ControllerEventManager.scala:94)",
        "kafka.utils.ShutdownableThread.run(ShutdownableThread.scala:82)",
    )
)


@dataclass(frozen=True)
class Say:
    """Single lines of one node at one time: log, level, text, logger."""

    at: int
    node: int
    lines: Sequence[tuple[str, str, str, str]]

    @property
    def end(self) -> int:
        return self.at + 1

    def write(self, out: Output) -> None:
        if out.node == self.node:
            for log, level, text, logger in self.lines:
                out.line(self.at, log, level, text, logger)


@dataclass(frozen=True)
class Moves:
    """Changes of states of partitions (name, from, to, what it is Online with) or, with a replica, of replicas."""

    at: int
    controller: int
    term: int
    of_partitions: Sequence[tuple[str, str, str, Held | None]] = ()
    of_replicas: Sequence[tuple[str, int, str, str]] = ()
    failed: Sequence[tuple[str, str, str]] = ()
    strategy: str = ""

    @property
    def end(self) -> int:
        return after(self.at, len(self.of_partitions) + len(self.of_replicas) + len(self.failed)) + 1

    def write(self, out: Output) -> None:
        if out.node == self.controller:
            me = f"[Controller id={self.controller} epoch={self.term}] "
            out.lines(self.at, f"ERROR {me}", self.failures(), "")
            out.lines(self.at, f"TRACE {me}", self.texts())

    def failures(self) -> Iterator[str]:
        """Each with its exception."""
        for name, before, to in self.failed:
            yield (
                f"Controller {self.controller} epoch {self.term} failed to change state for partition {name} from {before} "
                f"to {to} ({TRACES})\nkafka.common.StateChangeFailedException: Failed to elect leader for partition {name} "
                f"under strategy {self.strategy}\n{STACK}"
            )

    def texts(self) -> Iterator[str]:
        for name, before, to, held in self.of_partitions:
            if held is None:
                yield f"Changed partition {name} state from {before} to {to}"
            elif to == "NewPartition":
                yield f"Changed partition {name} state from {before} to {to} with assigned replicas {commas(held.replicas)}"
            else:
                yield (
                    f"Changed partition {name} from {before} to {to} with state LeaderAndIsr(leader={held.leader}, "
                    f"leaderEpoch={held.epoch}, isr=List({spaced(held.isr)}), zkVersion={held.version})"
                )
        for name, replica, before, to in self.of_replicas:
            yield f"Changed state of replica {replica} for partition {name} from {before} to {to}"


def address(broker: int) -> str:
    return f"kafka-{broker}.example:9092 (id: {broker} rack: null)"
