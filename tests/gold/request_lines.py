"""Lines of a controller and a broker about requests, as 2.6 to 3.9 print them at the levels that Kafka ships with."""

STATE_CHANGE = "state.change.logger"
SHUT = "Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1"
BACK = "Newly added brokers: 2, deleted brokers: , bounced brokers: , all live brokers: 1,2"


def clock(seconds: float) -> str:
    return f"10:{int(seconds // 60):02}:{seconds % 60:06.3f}".replace(".", ",")


def controller_says(seconds: float, text: str) -> str:
    return f"[2026-11-21 {clock(seconds)}] INFO [Controller id=1] {text} (kafka.controller.KafkaController)\n"


def opened(seconds: float, broker: int = 2, *, is_connected: bool = True) -> str:
    """The channel to a broker, in controller.log."""
    begun = (
        f"[2026-11-21 {clock(seconds)}] DEBUG [Channel manager on controller 1]: Controller 1 trying to connect to "
        f"broker {broker} (kafka.controller.ControllerChannelManager)\n"
    )
    done = (
        f"[2026-11-21 {clock(seconds + 0.01)}] INFO [RequestSendThread controllerId=1] Controller 1 connected to "
        f"127.0.0.1:9092 (id: {broker} rack: null) for sending state change requests "
        "(kafka.controller.RequestSendThread)\n"
    )
    return begun + (done if is_connected else "")


def elected(seconds: float = 0, epoch: int = 1) -> str:
    said = f"1 successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now {epoch}"
    return controller_says(seconds, said)


def sends(seconds: float, followers: int, broker: int = 2, epoch: int = 1) -> str:
    """A LeaderAndIsr request, in the controller's state-change.log."""
    return (
        f"[2026-11-21 {clock(seconds)}] INFO [Controller id=1 epoch={epoch}] Sending LeaderAndIsr request to broker "
        f"{broker} with 0 become-leader and {followers} become-follower partitions ({STATE_CHANGE})\n"
    )


def tells(seconds: float, partitions: int, brokers: str = "2", epoch: int = 1) -> str:
    """An UpdateMetadata request."""
    return (
        f"[2026-11-21 {clock(seconds)}] INFO [Controller id=1 epoch={epoch}] Sending UpdateMetadata request to brokers "
        f"HashSet({brokers}) for {partitions} partitions ({STATE_CHANGE})\n"
    )


def handles(seconds: float, correlation_id: int, partitions: int, broker: int = 2) -> str:
    """LeaderAndIsr in the state-change.log of the broker."""
    return (
        f"[2026-11-21 {clock(seconds)}] INFO [Broker id={broker}] Handling LeaderAndIsr request correlationId "
        f"{correlation_id} from controller 1 for {partitions} partitions ({STATE_CHANGE})\n"
    )


def learns(seconds: float, correlation_id: int, partitions: int, broker: int = 2, epoch: int = 1) -> str:
    """UpdateMetadata in the state-change.log of the broker."""
    return (
        f"[2026-11-21 {clock(seconds)}] INFO [Broker id={broker}] Add {partitions} partitions and deleted 0 partitions "
        f"from metadata cache in response to UpdateMetadata request sent by controller 1 epoch {epoch} with "
        f"correlation id {correlation_id} ({STATE_CHANGE})\n"
    )


def receives_partition(seconds: float, correlation_id: int, broker: int = 2) -> str:
    """LeaderAndIsr in the state-change.log of a broker of 2.5: one partition of it, at TRACE."""
    return (
        f"[2026-11-21 {clock(seconds)}] TRACE [Broker id={broker}] Received LeaderAndIsr request "
        "LeaderAndIsrPartitionState(topicName='t', partitionIndex=0, controllerEpoch=1, leader=1, leaderEpoch=0, "
        "isr=[1, 2], zkVersion=0, replicas=[1, 2], addingReplicas=[], removingReplicas=[], isNew=true) correlation id "
        f"{correlation_id} from controller 1 epoch 1 ({STATE_CHANGE})\n"
    )


def story(**logs: str) -> dict[tuple[int, str], str]:
    """controller, moves: logs of the controller, node 1; broker: state-change.log of node 2."""
    names = {"controller": (1, "controller"), "moves": (1, "state-change"), "broker": (2, "state-change")}
    return {names[name]: text for name, text in logs.items()}
