"""Requests of a controller of Kafka 2.2: what it writes of them, and what brokers make of them, each node by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.generated.becoming import IGNORED, ToBroker, of_leaders, write_leaders
from tests.generated.held import DELETED, Held, ids, spaced
from tests.generated.output import CONTROLLER, Output, after
from tests.generated.steps import address

NOT_HIGHER = 11  # error code STALE_CONTROLLER_EPOCH: what a broker answers for a leader epoch that it has

Item = tuple[str, Held]


@dataclass(frozen=True)
class Requests:
    """A batch of a controller's requests: what it writes as it sends them, what brokers write, the answers.

    metadata: correlation ids of UpdateMetadata by broker. down: brokers whose replicas are named offline. stops:
    (correlation, name) by broker of StopReplica.
    """

    at: int
    controller: int
    term: int
    leaders: dict[int, ToBroker] = field(default_factory=dict)
    metadata: dict[int, int] = field(default_factory=dict)
    items: Sequence[Item] = ()
    down: frozenset[int] = frozenset()
    stops: dict[int, Sequence[tuple[int, str]]] = field(default_factory=dict)
    is_deleting: bool = False

    @property
    def sent(self) -> int:
        return after(self.at, sum(len(one.items) for one in self.leaders.values()) + len(self.items)) + 1

    @property
    def answered(self) -> int:
        longest = max((6 * len(one.items) for one in self.leaders.values()), default=0)
        stopped = max((2 * len(one) for one in self.stops.values()), default=0)
        return after(self.sent, longest + len(self.items) + stopped) + 8

    @property
    def end(self) -> int:
        answers = len(self.leaders) + len(self.metadata) + sum(len(one) for one in self.stops.values())
        return after(self.answered, answers) + 1

    def write(self, out: Output) -> None:
        if out.node == self.controller:
            self.write_stops(out)
            out.lines(self.at, f"TRACE [Controller id={self.controller} epoch={self.term}] ", self.sending())
        if any(out.node in one for one in (self.leaders, self.metadata, self.stops)):
            self.write_handling(out)
        if out.node == self.controller:
            out.lines(
                self.answered, f"TRACE [Controller id={self.controller} epoch={self.term}] ", self.answers()
            )

    def sending(self) -> Iterator[str]:
        for broker, request in self.leaders.items():
            new = "true" if request.is_new else "false"
            for name, held, _ in request.items:
                role = "leader" if held.leader == broker else "follower"
                yield (
                    f"Sending become-{role} LeaderAndIsr request {of_leaders(held, new)} to broker {broker} for "
                    f"partition {name}"
                )
        to = f"to brokers Set({spaced(tuple(self.metadata))}) for partition"
        for name, held in self.items:
            yield f"Sending UpdateMetadata request {of_metadata(held, self.down)} {to} {name}"

    def write_stops(self, out: Output) -> None:
        for broker, stops in self.stops.items():
            named = ",".join(
                "[Topic={},Partition={},Replica={}]".format(*split(name), broker) for _, name in stops
            )
            for is_deleting in (True, False):
                told = named if is_deleting == self.is_deleting else ""
                text = f"The stop replica request (delete = {str(is_deleting).lower()}) sent to broker {broker} is {told}"
                out.line(self.at, CONTROLLER, "DEBUG", text, "kafka.controller.ControllerBrokerRequestBatch")

    def write_handling(self, out: Output) -> None:
        """What the broker of this output writes."""
        at, by = self.sent, f"controller {self.controller} epoch {self.term}"
        if out.node in self.leaders:
            at = write_leaders(out, at, self.controller, self.term, self.leaders[out.node])
        trace = f"TRACE [Broker id={out.node}] "
        if out.node in self.metadata:
            tail = f"in response to UpdateMetadata request sent by {by} with correlation id {self.metadata[out.node]}"
            out.lines(
                at,
                trace,
                (
                    f"Deleted partition {name} from metadata cache {tail}"
                    if held.leader == DELETED
                    else f"Cached leader info {of_metadata(held, self.down)} for partition {name} {tail}"
                    for name, held in self.items
                ),
            )
            at = after(at, len(self.items))
        if out.node in self.stops:
            how = f"handling stop replica (delete={str(self.is_deleting).lower()}) for partition"
            texts = (
                f"{word} {how} {name}"
                for _, name in self.stops[out.node]
                for word in ("Handling", "Finished")
            )
            out.lines(at, trace, (text.replace("Handling handling", "Handling") for text in texts))

    def answers(self) -> Iterator[str]:
        for broker, request in self.leaders.items():
            codes = ",".join(
                answered(name, NOT_HIGHER if verdict == IGNORED else 0) for name, _, verdict in request.items
            )
            yield response(
                f"{{error_code=0,partitions=[{codes}]}}", "LEADER_AND_ISR", request.correlation, broker
            )
        for broker, correlation in self.metadata.items():
            yield response("{error_code=0}", "UPDATE_METADATA", correlation, broker)
        for broker, stops in self.stops.items():
            for correlation, name in stops:
                codes = f"{{error_code=0,partitions=[{answered(name, 0)}]}}"
                yield response(codes, "STOP_REPLICA", correlation, broker)


def of_metadata(held: Held, down: frozenset[int]) -> str:
    """A partition's state as UpdateMetadata is printed."""
    offline = ids([one for one in held.replicas if one in down], ", ") if down else ""
    return (
        f"PartitionState(controllerEpoch={held.term}, leader={held.leader}, leaderEpoch={held.epoch}, "
        f"isr=[{spaced(held.isr)}], zkVersion={held.version}, replicas=[{spaced(held.replicas)}], "
        f"offlineReplicas=[{offline}])"
    )


def split(name: str) -> tuple[str, str]:
    topic, _, partition = name.rpartition("-")
    return topic, partition


def answered(name: str, code: int) -> str:
    return "{{topic={},partition={},error_code={}}}".format(*split(name), code)


def response(text: str, request: str, correlation: int, broker: int) -> str:
    return f"Received response {text} for request {request} with correlation id {correlation} sent to broker {address(broker)}"
