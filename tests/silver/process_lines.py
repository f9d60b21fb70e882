"""Lines of processes that start and end."""

HANDLERS = (
    "INFO Registered signal handlers for TERM, INT, HUP (org.apache.kafka.common.utils.LoggingSignalHandler)"
)


STARTING = "INFO starting (kafka.server.KafkaServer)"


STARTED = "INFO [KafkaServer id=1] started (kafka.server.KafkaServer)"


UNCLEAN = "INFO Recovering 3 logs from /data/a since no clean shutdown file was found (kafka.log.LogManager)"


EMPTY = "INFO No logs found to be loaded in /data/a (kafka.log.LogManager)"


FIRST, AGAIN = (HANDLERS, STARTING, EMPTY, STARTED), (HANDLERS, STARTING, UNCLEAN, STARTED)


def text(*lines: str, hour: int = 0, day: int = 21) -> str:
    return "\n".join(
        f"[2026-11-{day} {hour:02}:{second:02}:00,000] {one}" for second, one in enumerate(lines)
    )
