"""Which log a logger writes to, by its name."""

import re
from collections.abc import Iterable
from functools import cache

from pipeline.kafka.facts import read_fact_table

# Loggers that only a Kafka server has, at the beginning of the name. kafka.utils.Logging is a class that logs for them.
KAFKA_LOGGERS = re.compile(
    r"(?!kafka\.utils\.Logging)(?:kafka|org\.apache\.kafka\.(?:controller|server|raft|metadata|image))\."
    r"|state\.change\.logger$|kafka$"
)
# Loggers that only nodes of a KRaft cluster have, or of one on its way there, at the beginning of the name.
KRAFT_LOGGERS = re.compile(
    r"org\.apache\.kafka\.(?:controller|raft|image)\.|kafka\.raft\."
    r"|kafka\.server\.(?:BrokerServer|ControllerServer|KafkaRaftServer|SharedServer|BrokerLifecycleManager)\b"
)
STATE_CHANGE_LOGGER = "state.change.logger"
CONTROLLER_LOGGERS = ("kafka.controller", "org.apache.kafka.controller")
CONTROLLER, STATE_CHANGE, SERVER, MIXED = "controller", "state-change", "server", "mixed"


def is_kafkas(logger: str) -> bool:
    return KAFKA_LOGGERS.match(logger) is not None


def is_krafts(logger: str) -> bool:
    return KRAFT_LOGGERS.match(logger) is not None


def log_of(logger: str) -> str:
    """The log of a logger, whatever file it stands in. Source: stock configuration, 0.8 to 4.3."""
    if logger == STATE_CHANGE_LOGGER:
        return STATE_CHANGE
    if any(logger == root or logger.startswith(root + ".") for root in CONTROLLER_LOGGERS):
        return CONTROLLER
    return SERVER


def what_writes(logger: str) -> str | None:
    """What a logger of Kafka is, by the longest row of server_loggers.tsv that it begins with."""
    found = [name for name in _whats() if logger.startswith(name)]
    return _whats()[max(found, key=len)] if found else None


@cache
def _whats() -> dict[str, str]:
    return {row["logger"]: row["what"] for row in read_fact_table("wording/server_loggers.tsv")}


def full_names(printed: str, known: Iterable[str], form: str) -> list[str]:
    """The known loggers that a logger printed in part may stand for, in order of name; itself if it is known.

    form short: parts are left out in front or shortened (`%c{1}`, `%c{1.}`, logback's `%logger{39}`);
    tail: characters may be missing in front too (`%.30c`).
    """
    names = sorted(known)
    if printed in names:
        return [printed]
    found = [name for name in names if _is_short_for(printed, name)]
    if not found and form == "tail":
        found = [name for name in names if name.endswith(printed)]
    return found


def _is_short_for(printed: str, name: str) -> bool:
    parts = printed.split(".")
    own = name.split(".")[-len(parts) :]
    pairs = zip(parts[:-1], own[:-1], strict=False)
    return len(own) == len(parts) and parts[-1] == own[-1] and all(two.startswith(one) for one, two in pairs)
