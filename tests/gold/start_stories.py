"""Lines of server.log of starts, as Kafka writes them; the times are seconds of 2026-11-21 00:00."""

Z = "kafka.server.KafkaServer"
K = "org.apache.kafka"


def at(second: float, level: str, message: str, logger: str) -> str:
    minutes, seconds = divmod(round(second * 1000), 60_000)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds // 1000:02},{seconds % 1000:03}"
    return f"[2026-11-21 {clock}] {level} {message} ({logger})\n"


def begun(second: float) -> str:
    """Of a broker in ZooKeeper mode, from 2.2 on."""
    signals = "Registered signal handlers for TERM, INT, HUP"
    return at(second, "INFO", signals, f"{K}.common.utils.LoggingSignalHandler") + at(
        second + 0.01, "INFO", "starting", Z
    )


def up(second: float, node: int = 1, release: str = "2.8.2") -> str:
    version = at(second - 0.001, "INFO", f"Kafka version: {release}", f"{K}.common.utils.AppInfoParser")
    return version + at(second, "INFO", f"[KafkaServer id={node}] started", Z)


def session(second: float, session_id: str) -> str:
    said = f"Session establishment complete on server k/10.0.0.1:2181, sessionid = 0x{session_id}, negotiated timeout = 6000"
    return at(second, "INFO", said, "org.apache.zookeeper.ClientCnxn")


def taken(second: float, owner: str, own: str = "9", node: int = 1) -> str:
    """The id is held by another session."""
    said = (
        f"Error while creating ephemeral at /brokers/ids/{node}, node already exists and owner '{owner}' does not match "
        f"current session '{own}'"
    )
    return at(second, "ERROR", said, "kafka.zk.KafkaZkClient$CheckedEphemeral") + failed(
        second, "org.apache.zookeeper.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists", node
    )


def failed(second: float, exception: str = "", node: int = 1) -> str:
    """A start that fails: the exception below the line, then the process goes down and ends."""
    said = f"[KafkaServer id={node}] Fatal error during KafkaServer startup. Prepare to shutdown"
    trace = f"{exception}\n\tat kafka.server.KafkaServer.startup(KafkaServer.scala:1)\n" if exception else ""
    return (
        at(second, "ERROR", said, Z)
        + trace
        + at(second + 0.1, "INFO", f"[KafkaServer id={node}] shutting down", Z)
        + at(second + 0.2, "INFO", f"[KafkaServer id={node}] shut down completed", Z)
        + at(second + 0.2, "ERROR", "Exiting Kafka.", "kafka.server.KafkaServerStartable")
        + at(second + 0.3, "INFO", f"[KafkaServer id={node}] shutting down", Z)
    )


def signalled(second: float) -> str:
    return at(
        second, "INFO", "Terminating process due to signal SIGTERM", f"{K}.common.utils.LoggingSignalHandler"
    )


def kraft_begun(second: float, node: int = 1) -> str:
    signals = "Registered signal handlers for TERM, INT, HUP"
    return (
        at(second, "INFO", signals, f"{K}.common.utils.LoggingSignalHandler")
        + at(
            second,
            "INFO",
            f"[BrokerServer id={node}] Transition from SHUTDOWN to STARTING",
            "kafka.server.BrokerServer",
        )
        + at(second, "INFO", f"[SharedServer id={node}] Starting SharedServer", "kafka.server.SharedServer")
        + at(second, "INFO", f"[BrokerServer id={node}] Starting broker", "kafka.server.BrokerServer")
    )


def kraft_up(second: float, node: int = 1, release: str = "3.9.1") -> str:
    return (
        at(
            second,
            "INFO",
            f"[BrokerServer id={node}] Transition from STARTING to STARTED",
            "kafka.server.BrokerServer",
        )
        + at(second, "INFO", f"Kafka version: {release}", f"{K}.common.utils.AppInfoParser")
        + at(
            second,
            "INFO",
            f"[KafkaRaftServer nodeId={node}] Kafka Server started",
            "kafka.server.KafkaRaftServer",
        )
    )


def kraft_failed(second: float, before: str = "", node: int = 1) -> str:
    """A start of a KRaft broker that fails: it says STARTED all the same. before: lines that say why."""
    broker = "kafka.server.BrokerServer"
    return (
        before
        + at(second, "INFO", f"[BrokerServer id={node}] Transition from STARTING to STARTED", broker)
        + at(
            second,
            "ERROR",
            f"[BrokerServer id={node}] Fatal error during broker startup. Prepare to shutdown",
            broker,
        )
        + "java.lang.RuntimeException: Received a fatal error while waiting for something\n\tat a.B.c(B.java:1)\n"
        + at(second, "INFO", f"[BrokerServer id={node}] Transition from STARTED to SHUTTING_DOWN", broker)
        + at(second, "INFO", f"[BrokerServer id={node}] shutting down", broker)
        + at(second, "ERROR", "Exiting Kafka due to fatal exception during startup.", "kafka.Kafka$")
    )


def port_in_use(second: float) -> str:
    bound = (
        f"{K}.common.KafkaException: Socket server failed to bind to kafka-1:9092: Address already in use."
    )
    return (
        at(
            second,
            "ERROR",
            "Unable to start acceptor for ListenerName(PLAINTEXT)",
            "kafka.network.DataPlaneAcceptor",
        )
        + f"{bound}\n\tat kafka.network.Acceptor.openServerSocket(SocketServer.scala:1)\nCaused by: java.net.BindException: x\n"
    )


def gave_up(second: float, error: str = "", node: int = 1) -> str:
    """A KRaft broker that no controller registers in time."""
    manager, name = f"[BrokerLifecycleManager id={node}] ", "kafka.server.BrokerLifecycleManager"
    refused = f"{manager}Unable to register broker {node} because the controller returned error {error}"
    waits = f"[BrokerServer id={node}] Received a fatal error while waiting for the controller to acknowledge that we are caught up"
    return (
        (at(second - 9, "INFO", refused, name) if error else "")
        + at(
            second,
            "ERROR",
            f"{manager}Shutting down because we were unable to register with the controller quorum.",
            name,
        )
        + at(second, "ERROR", waits, "kafka.server.BrokerServer")
    )


def fault(second: float) -> str:
    return at(
        second, "ERROR", "Encountered fatal fault: Error loading metadata log record from offset 7",
        f"{K}.server.fault.ProcessTerminatingFaultHandler",
    )  # fmt: skip
