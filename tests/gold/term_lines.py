"""Lines of controllers about their terms, of a node at a time in seconds."""


def line(
    second: float, text: str, logger: str = "kafka.controller.KafkaController", level: str = "INFO"
) -> str:
    clock = f"{second:06.3f}".replace(".", ",")
    return f"[2026-11-21 00:00:{clock}] {level} {text} ({logger})\n"


def own(node: int, second: float, text: str) -> str:
    """A line of controller.log from 1.0 on."""
    return line(second, f"[Controller id={node}] {text}")


def old(node: int, second: float, text: str) -> str:
    """The same up to 0.11."""
    return line(second, f"[Controller {node}]: {text}")


def elected(node: int, epoch: int, second: float) -> str:
    """From 2.1 on: the election, and that it is ready a tenth of a second later."""
    return own(
        node,
        second,
        f"{node} successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now "
        f"{epoch + 1}",
    ) + own(node, second + 0.1, f"Ready to serve as the new controller with epoch {epoch}")


def elected_1_0(node: int, epoch: int, second: float) -> str:
    return own(node, second, f"{node} successfully elected as the controller") + own(
        node, second + 0.01, f"Incremented epoch to {epoch}"
    )


def elected_0_10(node: int, epoch: int, second: float) -> str:
    return old(node, second, f"Broker {node} starting become controller state transition") + old(
        node, second + 0.01, f"Controller {node} incremented epoch to {epoch}"
    )


def alive(node: int, second: float, brokers: str) -> str:
    return own(node, second, f"Currently active brokers in the cluster: Set({brokers})")


def broker_change(node: int, second: float, brokers: str) -> str:
    """A broker was gone: these are alive."""
    return own(
        node,
        second,
        f"Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: {brokers}",
    )


def thread(node: int, second: float, word: str) -> str:
    return line(
        second,
        f"[ControllerEventThread controllerId={node}] {word}",
        "kafka.controller.ControllerEventManager$ControllerEventThread",
    )


def resigning(node: int, second: float) -> str:
    return own(node, second, "Resigning") + own(node, second + 0.005, "Resigned")


def stop(node: int, second: float, watched: str | None) -> str:
    """A broker is stopped in order; watched: brokers that it watches as controller, which it says from 1.1 on."""
    dropped = (
        "" if watched is None else own(node, second, f"Unregister BrokerModifications handler for {watched}")
    )
    ends = "".join(thread(node, second, word) for word in ("Shutting down", "Stopped", "Shutdown completed"))
    return ends + own(node, second, "Resigning") + dropped + own(node, second, "Resigned")


def moved(node: int, second: float, event: str) -> str:
    return thread(node, second, f"Controller moved to another broker when processing {event}.")


def written(node: int, epoch: int, second: float, words: str = "OnlinePartition to OnlinePartition") -> str:
    return line(
        second,
        f"[Controller id={node} epoch={epoch}] Changed partition a-0 from {words} with leader 1",
        "state.change.logger",
        "TRACE",
    )


def failed(node: int, epoch: int, second: float) -> str:
    return line(
        second,
        f"[Controller id={node} epoch={epoch}] Controller {node} epoch {epoch} failed to change state for partition "
        "a-0 from OnlinePartition to OnlinePartition",
        "state.change.logger",
        "ERROR",
    )


def refused(broker: int, node: int, epoch: int, second: float) -> str:
    return line(
        second,
        f"[Broker id={broker}] Ignoring LeaderAndIsr request from controller {node} with correlation id 7 since its "
        f"controller epoch {epoch} is old. Latest known controller epoch is {epoch + 1}",
        "state.change.logger",
        "WARN",
    )


def quorum(node: int, second: float, text: str) -> str:
    return line(
        second, f"[QuorumController id={node}] {text}", "org.apache.kafka.controller.QuorumController"
    )


def active(node: int, epoch: int, second: float) -> str:
    return quorum(node, second, f"Becoming the active controller at epoch {epoch}, next write offset 1.")


def observed(node: int, epoch: int, second: float, leader: int | str) -> str:
    return quorum(node, second, f"In the new epoch {epoch}, the leader is {leader}.")


def created(node: int, second: float) -> str:
    return quorum(node, second, "Creating new QuorumController with clusterId kraftLabQ1aZx2Cv3Bn4Mg.")


def created_4_0(node: int, second: float) -> str:
    """From 4.0 a controller sets up its periodic tasks before it says that it is new."""
    task = f"[QuorumController id={node}] Registering periodic task writeNoOpRecord to run every 500 ms"
    logger = "org.apache.kafka.controller.PeriodicTaskControlManager"
    return line(second - 0.001, task, logger) + created(node, second)


def renounced(node: int, epoch: int, second: float, leader: int) -> str:
    return quorum(
        node,
        second,
        f"Renouncing the leadership due to a metadata log event. We were the leader at epoch {epoch}, but in the new "
        f"epoch {epoch + 1}, the leader is {leader}. Reverting to last committed offset 1402.",
    )


def event_failed(node: int, epoch: int, second: float) -> str:
    return quorum(
        node,
        second,
        f"maybeFenceReplicas: event failed with NotLeaderException (treated as NotControllerException) at epoch {epoch} "
        "in 38609 microseconds. Renouncing leadership and reverting to the last committed offset 363. Exception message: "
        "Append failed because the replica is not the current leader",
    )


def event(node: int, second: float) -> str:
    return line(
        second,
        f"[QuorumController id={node}] Fencing broker 3 because its session has timed out.",
        "org.apache.kafka.controller.ReplicationControlManager",
    )
