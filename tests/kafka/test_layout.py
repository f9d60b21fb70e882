"""What a path says about a log file, as a table of paths."""

import re

import pytest

from pipeline.kafka.layout.paths import BUILT_IN_PATTERNS, PATTERN_GROUPS, Located, locate_path

PATHS = """
    path                                                  | cluster    | node | log
    prod/broker-1/controller.log                          | prod       | 1    | controller
    prod/broker-1/state-change.log.2026-11-21-08.gz       | prod       | 1    | state-change
    dc1/prod/node-12/logs/server.log                      | prod       | 12   | server
    logs/kafka-3/controller-2026-11-21-1.log.gz           | -          | 3    | controller
    prod/logs/broker-2/controller.log                     | prod       | 2    | controller
    prod/controller-5/controller.log                      | prod       | 5    | controller
    prod/server-5/kafka-controller.log                    | prod       | 5    | controller
    prod/7/server.log.zst                                 | prod       | 7    | server
    7/logs/state-change.log                               | -          | 7    | state-change
    broker-1/state-change.log.3                           | -          | 1    | state-change
    broker1/controller.log                                | -          | 1    | controller
    kafka-2.prod.example.com/controller.log               | -          | 2    | controller
    eu/kafka-2.prod.example.com/var/log/kafka/server.log  | eu         | 2    | server
    my-cluster-kafka-0/kafka.log                          | -          | 0    | -
    team-a/my-cluster-kafka-0/kafka.log.gz                | team-a     | 0    | -
    team-a/my-cluster-dual-role-4/kafka.log               | team-a     | 4    | -
    pods/ns_my-cluster-kafka-1_6f1d2c3e-1111/kafka/0.log  | pods       | 1    | -
    controller.log                                        | -          | -    | controller
    state-change.log.2026-11-21-08                        | -          | -    | state-change
    state-change.log.1.zstd                               | -          | -    | state-change
    logs/controller.log                                   | -          | -    | controller
    broker-3-controller.log                               | -          | 3    | controller
    kafka-3.state-change.log.gz                           | -          | 3    | state-change
    report/reports/podlogs/my-cluster-kafka-2.log         | -          | 2    | -
    my-cluster-dual-role-4-kafka.log.0                    | -          | 4    | -
    kafka-controller-1.log                                | -          | -    | controller
    kafka_2.13-3.9.1/logs/controller.log                  | -          | -    | controller
    kafka-3.9.1/logs/server.log                           | -          | -    | server
    2026/11/21/controller.log                             | -          | -    | controller
    2026/11/21/broker-1/controller.log                    | -          | 1    | controller
    2026-11-21/broker-1/controller.log                    | -          | 1    | controller
    2.2.2-zk-stock/broker-1/server.log.2026-11-21-08.gz   | 2.2.2-zk-stock | 1 | server
    broker-1/kafkaServer-gc.log.0.current                 | -          | 1    | -
    broker-1/log-cleaner.log                              | -          | 1    | -
    broker-1/kafkaServer.out                              | -          | 1    | -
    broker-1/zookeeper-root-server-host.out               | -          | 1    | -
    logs/ZooKeeper_server.log.1                           | -          | -    | -
    logs/zookeeper-node-controller.log                    | -          | -    | controller
"""


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.strip()]
    return [[cell.strip() for cell in line.split("|")] for line in lines[1:]]


@pytest.mark.parametrize(("path", "cluster", "node", "log"), rows(PATHS))
def test_a_path_says(path: str, cluster: str, node: str, log: str) -> None:
    said = {"cluster": cluster, "node": node, "log": log}
    shown = {key: "-" if value is None else str(value) for key, value in vars(locate_path(path)).items()}
    assert shown == said


def test_a_pattern_of_the_settings_comes_first() -> None:
    own = r"^(?P<cluster>[a-z]+)_rack\d+/h(?P<node>\d+)/(?P<log>controller|state-change)s?\.txt$"
    patterns = (own, *BUILT_IN_PATTERNS)
    assert locate_path("prod_rack1/h42/controllers.txt", patterns) == Located("prod", 42, "controller")
    assert locate_path("prod/broker-1/server.log", patterns) == Located("prod", 1, "server")


@pytest.mark.parametrize(
    "node", ["host-a", "²", "2147483648", "9" * 5000], ids=["name", "sign", "33 bits", "long"]
)
def test_a_node_that_is_no_id_says_nothing(node: str) -> None:
    assert locate_path(f"{node}/controller.log", (r"^(?P<node>[^/]+)/",)).node is None


def test_built_in_patterns_use_known_groups_only() -> None:
    for pattern in BUILT_IN_PATTERNS:
        assert set(re.compile(pattern).groupindex) <= set(PATTERN_GROUPS)


def test_long_paths_are_read_in_no_time() -> None:
    assert locate_path("a-" * 20_000 + "/controller.log").log == "controller"
