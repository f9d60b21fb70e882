"""Small clusters of two brokers, one for each way in which a term ends or outlives itself: times are seconds."""

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from schemas.bronze import log_record
from schemas.spark import struct_of
from tests.tables import log_table

Logs = dict[tuple[int, str], str]


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


def two(first: str, second: str, moves: str = "", others: str = "") -> Logs:
    """Controller 1 and then controller 2 as their logs tell it; moves: state-change.log of 1, others: that of 2."""
    logs = {(1, "controller"): first, (2, "controller"): second}
    return logs | {(node, "state-change"): text for node, text in ((1, moves), (2, others)) if text}


CHECKING = "Checking need to trigger auto leader balancing"
WAKING = elected(1, 1, 1) + own(1, 14, CHECKING)
NEXT, WITHOUT_1 = elected(2, 2, 12) + alive(2, 12.05, "2"), elected(2, 2, 12) + alive(2, 12.05, "2,3")
WITH_1 = elected(2, 2, 12) + alive(2, 12.05, "1,2")
OLD_START = old(1, 0.5, "Controller starting up") + elected_0_10(1, 1, 1)
OLD_RESIGNING = old(1, 10, "Controller resigning, broker id 1") + old(
    1, 10.005, "Broker 1 resigned as the controller"
)
OLD_NEXT = elected_0_10(2, 2, 12) + old(2, 12.05, "Currently active brokers in the cluster: Set(2,3)")
OLD_EXPIRED = line(
    9.999,
    "[SessionExpirationListener on 1], ZK expired; shut down all controller components and try to re-elect",
    "kafka.controller.KafkaController$SessionExpirationListener",
)

STORIES: dict[str, Logs] = {
    "stopped later": two(elected(1, 1, 1) + stop(1, 20, "Set()"), WITH_1),
    "1.0 stopped later": two(elected_1_0(1, 1, 1) + stop(1, 55, None), WITH_1),
    "stopped, no next one": {(1, "controller"): elected(1, 1, 1) + stop(1, 20, "HashSet()")},
    "stopped, then started": two(elected(1, 1, 1) + stop(1, 10, "Set()") + thread(1, 11, "Starting"), WITH_1),
    "stopped in office": two(elected(1, 1, 1) + stop(1, 20, "Set(1, 2)"), WITH_1),
    "failed as it took over": two(
        elected(1, 1, 1) + own(1, 10, "Resigning") + own(1, 10, "Unregister BrokerModifications handler for Set()"),
        WITHOUT_1,
    ),
    "renounced": two(active(1, 1, 1) + renounced(1, 1, 10, 2), observed(2, 1, 1.1, 1) + active(2, 2, 12)),
    "renounced late": two(active(1, 1, 1) + renounced(1, 1, 16, 2), active(2, 2, 12)),
    "event_failed": two(active(1, 1, 1) + event_failed(1, 1, 10), active(2, 2, 12)),
    "process_end": two(active(1, 1, 1) + event(1, 5) + created(1, 20), active(2, 2, 12)),
    "claimed again": two(
        active(1, 1, 1) + event(1, 5) + created(1, 20) + active(1, 1, 20.01) + event_failed(1, 1, 20.02)
        + observed(1, 2, 20.03, 2),
        active(2, 2, 12),
    ),
    "sole controller 4.0": {(1, "controller"): active(1, 1, 1) + event(1, 5) + created_4_0(1, 20) + active(1, 2, 21)},
    "sole controller": {(1, "controller"): active(1, 1, 1) + event(1, 5) + created(1, 20) + active(1, 2, 21)},
    "one of several": two(
        active(1, 1, 1) + event(1, 5) + created(1, 20) + active(1, 2, 21), observed(2, 1, 1.1, 1)
    ),
    "quorum lost": two(
        active(1, 1, 1) + event(1, 3) + created(1, 20),
        observed(2, 1, 1.1, 1) + observed(2, 2, 4, "(none)") + observed(2, 3, 5, "(none)") + active(2, 4, 14),
    ),
    "quorum lost unheard": two(
        active(1, 1, 1) + event(1, 3) + created(1, 20), observed(2, 1, 1.1, 1) + created(2, 13) + active(2, 4, 14)
    ),
    "nobody since": two(active(1, 1, 1) + event(1, 3), observed(2, 2, 4, "(none)") + observed(2, 3, 15, "(none)")),
    "shut down": two(active(1, 1, 1) + event(1, 3), observed(2, 2, 4, "(none)") + observed(2, 2, 4.1, "(none)")),
    "next active unseen": two(active(1, 1, 1) + renounced(1, 1, 10, 3), observed(2, 2, 12, 3)),
    "none of its lines": {(2, "controller"): observed(2, 1, 1.1, 1)},
    "crashed": two(elected(1, 1, 1) + own(1, 5, CHECKING) + thread(1, 20, "Starting"), NEXT),
    "crashed, shut down later": two(
        elected(1, 1, 1) + thread(1, 20, "Starting") + thread(1, 30, "Shutting down") + resigning(1, 30.001), NEXT
    ),
    "shutdown": two(elected(1, 1, 1) + thread(1, 10, "Shutting down") + resigning(1, 10.001), WITHOUT_1),
    "session_expired": two(elected(1, 1, 1) + resigning(1, 10), WITHOUT_1),
    "znode_gone": two(elected(1, 1, 1) + resigning(1, 10), WITH_1),
    "next unseen": two(
        elected(1, 1, 1) + resigning(1, 10), "", others=written(2, 2, 20)
    ),
    "forced": two(
        elected(1, 1, 1) + own(1, 9.9, "Forcing the controller to resign") + resigning(1, 10), WITH_1
    ),
    "startup_failed": two(
        own(1, 1, "1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 2")
        + own(1, 1.5, "Registering handlers")
        + own(1, 1.6, "Initializing controller context")
        + own(1, 9, "Error while electing or becoming controller on broker 1. Trigger controller movement immediately")
        + resigning(1, 9.001),
        WITH_1,
    ),
    "superseded_unseen": two("", NEXT, others=refused(2, 1, 1, 12.5)),
    "its end was not read": two(elected(1, 1, 1), NEXT),
    "open": {(1, "controller"): elected(1, 1, 1)},
    "sole broker": {
        (1, "controller"): elected(1, 1, 1)
        + alive(1, 1.05, "1")
        + thread(1, 2, "Shutting down")
        + resigning(1, 2.001)
        + thread(1, 50, "Starting")
        + elected(1, 2, 51)
        + alive(1, 51.05, "1")
    },
    "0.10 sole broker": {
        (1, "controller"): OLD_START
        + old(1, 1.05, "Currently active brokers in the cluster: Set()")
        + OLD_RESIGNING
        + old(1, 50, "Controller starting up")
        + elected_0_10(1, 2, 51)
        + old(1, 51.05, "Currently active brokers in the cluster: Set()")
    },
    "last one shut down": two(
        elected(1, 1, 1) + alive(1, 1.05, "1,2") + broker_change(1, 5, "1") + thread(1, 10, "Shutting down")
        + resigning(1, 10.001),
        elected(2, 2, 50) + alive(2, 50.05, "2"),
    ),
    "0.10 shutdown": two(OLD_START + OLD_RESIGNING, OLD_NEXT),
    "0.10 expired": two(OLD_START + OLD_EXPIRED + OLD_RESIGNING, OLD_NEXT),
    "0.8 restarted": two(OLD_START + old(1, 20, "Controller starting up"), OLD_NEXT),
    "tail": two(elected(1, 1, 1) + resigning(1, 16), WITHOUT_1, written(1, 1, 5)),
    "harmless": two(WAKING + resigning(1, 16), WITHOUT_1, written(1, 1, 5) + failed(1, 1, 15)),
    "talked": two(
        WAKING + resigning(1, 16), WITHOUT_1, written(1, 1, 5) + failed(1, 1, 15), refused(2, 1, 1, 15.1)
    ),
    "wrote": two(
        elected_1_0(1, 1, 1) + own(1, 14, CHECKING) + resigning(1, 16),
        elected_1_0(2, 2, 12) + alive(2, 12.05, "2,3"),
        written(1, 1, 5) + written(1, 1, 15) + written(1, 1, 15.5),
    ),
    "deeds not printed": two(WAKING + resigning(1, 16), WITHOUT_1),
    "clocks differ": two(WAKING + resigning(1, 16), WITHOUT_1, written(1, 1, 15)),
    "powerless": two(
        elected(1, 1, 1) + moved(1, 4, "TopicChange") + moved(1, 5, "TopicChange") + resigning(1, 10), WITH_1
    ),
    "powerless still": {(1, "controller"): elected(1, 1, 1) + moved(1, 4, "TopicChange") + own(1, 9, CHECKING)},
    "powerless at its last line": {
        (1, "controller"): elected(1, 1, 1) + moved(1, 4, "TopicChange"),
        (2, "state-change"): refused(2, 1, 1, 9),
    },
    "slow": {
        (1, "controller"): own(
            1, 1, "1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 2"
        )
        + own(1, 2, "Initializing controller context")
        + own(1, 31, "Ready to serve as the new controller with epoch 1")
    },
}  # fmt: skip


def records(spark: SparkSession, stories: dict[str, Logs]) -> DataFrame:
    """bronze.log_record of all, each its own cluster."""
    tables = [log_table(logs, cluster_id=name, of=f"{name}: ") for name, logs in stories.items()]
    return spark.createDataFrame(pa.concat_tables(tables), schema=struct_of(log_record.SPEC))
