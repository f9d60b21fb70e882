"""Which cluster, node and log a file is, as far as its path tells.

What stands inside a file (`[Controller id=N]`, the cluster id that server.log prints) wins over the path.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.values import INT32_MAX

PATTERN_GROUPS = ("cluster", "node", "log")

# A cluster is the folder above the node's; `logs` and folders of a date (2026/11/21) name none.
_CLUSTER = r"(?:^|/)(?P<cluster>(?!logs?/)(?=[^/]*[A-Za-z])[^/]+)/(?:logs?/)?"
_ANYWHERE = r"(?:^|/)"
# broker-1, kafka-1.host.name, and pods: my-cluster-kafka-0, a-dual-role-0, ns_a-kafka-0_<uid>.
# Not kafka_2.13-3.9.1 or kafka-3.9.1: a release of Kafka, no node.
_NODE = (
    r"(?:[^/]*[-_])?(?:broker|node|kafka|controller|server|dual-role)s?[-_]?(?P<node>\d{1,9})"
    r"(?:\.[A-Za-z][^/]*|_[0-9a-f-]{8,})?/"
)
# A folder that is a bare number, next to its files, and not the day of a date.
_NUMBER = r"(?<!\d/)(?P<node>\d{1,9})/(?:logs?/)?[^/]+$"
_FILE_OF_NODE = (
    r"(?:^|/)(?:broker|node|kafka)[-_]?(?P<node>\d{1,9})[-_.]"
    r"(?=state-change|controller|server)[^/]+$"
)
# What `kubectl logs` and the report of Strimzi call it: my-cluster-kafka-0.log, of the container before .log.0.
_FILE_OF_POD = (
    r"(?:^|/)(?:[^/]*[-_])?(?:broker|kafka|dual-role)-(?P<node>\d{1,9})"
    r"(?:-kafka)?\.log(?:\.\d+)?(?:\.gz)?$"
)

BUILT_IN_PATTERNS: tuple[str, ...] = (
    _CLUSTER + _NODE,
    _ANYWHERE + _NODE,
    _CLUSTER + _NUMBER,
    _ANYWHERE + _NUMBER,
    _FILE_OF_NODE,
    _FILE_OF_POD,
    r"(?:^|/)[^/]+$",
)

CONTROLLER_LOGS = ("controller", "state-change")
_ZOOKEEPER = re.compile(r"^zookeeper|zookeeper[-_.]*server")
_LOG = re.compile(r"(?:^|[^A-Za-z])(?P<log>state-change|controller|server)(?![A-Za-z])")


@dataclass(frozen=True)
class Located:
    """What a path says. None: it does not say, the content has to."""

    cluster: str | None
    node: int | None
    log: str | None


def locate_path(relative_path: str, patterns: Sequence[str | re.Pattern[str]] = BUILT_IN_PATTERNS) -> Located:
    """Read a path below the given root, with `/` between folders. The first pattern that matches decides.

    A group `node` that is no id of a node says nothing; a group `log` counts before the file's name.
    """
    name = relative_path.rsplit("/", 1)[-1]
    matches = (re.search(pattern, relative_path) for pattern in patterns)
    said = next((match.groupdict() for match in matches if match), {})
    node = said.get("node") or ""
    return Located(
        cluster=said.get("cluster") or None,
        node=int(node) if re.fullmatch(r"[0-9]{1,10}", node) and int(node) <= INT32_MAX else None,
        log=_log(said.get("log") or "") or _log(name),
    )


def is_named_as_kafkas(path: str) -> bool:
    """True if a file's name says that it is one of the controller's logs, whatever is in it."""
    return _log(path.rsplit("/", 1)[-1]) in CONTROLLER_LOGS


def _log(text: str) -> str | None:
    """The last word counts: kafka-server-1-controller.log is a controller log. A server of ZooKeeper is none of
    Kafka's."""
    found = [match["log"] for match in _LOG.finditer(text)]
    is_others = found[-1:] == ["server"] and _ZOOKEEPER.search(text.lower()) is not None
    return found[-1] if found and not is_others else None
