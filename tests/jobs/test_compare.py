"""The logs beside kafka-topics --describe: forms of all releases, and the end of a real cluster as ZooKeeper held it."""

import json
from pathlib import Path
from typing import Any

import pytest

from jobs import cli
from jobs.questions.compare import Comparison, compare_partitions, comparison_lines, require_same
from jobs.questions.describe import Described, read_described
from pipeline.core.errors import InputProblem, NotConfirmed

OLD = """\
Topic:orders\tPartitionCount:2\tReplicationFactor:2\tConfigs:
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 2,1
\tTopic: orders\tPartition: 1\tLeader: -1\tReplicas: 2,1\tIsr: 2
Topic:gone\tPartitionCount:1\tReplicationFactor:1\tConfigs:\tMarkedForDeletion:true
\tTopic: gone\tPartition: 0\tLeader: none\tReplicas: 3\tIsr: \tMarkedForDeletion: true
"""
NEW = """\
Topic: orders\tTopicId: 9RKjcrYoTGisVPImvRI5Sg\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: segment.bytes=1
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tAdding Replicas: \tRemoving Replicas: \tElr: N/A\tLastKnownElr: N/A
\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 2,1\tIsr: 2\tElr: \tLastKnownElr: 2
"""
TOLD = {("orders", 0): Described(1, (1, 2), (1, 2)), ("orders", 1): Described(None, (2, 1), (2,))}


def row(
    leader: int | None, replicas: list[int] | None, isr: list[int] | None, **said: bool
) -> dict[str, Any]:
    stale = {name: said.get(name, False) for name in ("is_isr_stale", "is_assignment_stale", "is_in_doubt")}
    return {"leader": leader, "replicas": replicas, "isr": isr, **stale}


@pytest.mark.parametrize("text", [OLD, NEW])
def test_forms_of_all_releases(tmp_path: Path, text: str) -> None:
    file = tmp_path / "described.txt"
    file.write_text(text)
    assert read_described(file) == TOLD


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no line of a partition"),
        ("Topic: a Partition: x Leader: 1", "line 1: Topic: a"),
        (None, "No such file"),
    ],
)
def test_what_is_not_described_is_refused(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "described.txt"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputProblem, match=said):
        read_described(file)


def test_what_differs_and_what_nobody_knows() -> None:
    same = {("orders", 0): row(1, [1, 2], [2, 1]), ("orders", 1): row(-1, [2, 1], [2])}
    assert compare_partitions(TOLD, same) == Comparison(2, compare_partitions(TOLD, same).unknown, [], 0)
    assert not compare_partitions(TOLD, same).unknown
    unsure = {
        ("orders", 0): row(1, [1, 2], [1], is_isr_stale=True),
        ("orders", 1): row(None, None, None),
        ("b", 0): row(1, [1], [1]),
    }
    found = compare_partitions(TOLD, unsure)
    assert (found.same, dict(found.unknown), found.differing, found.topics_left) == (
        0, {"isr": 2, "leader": 1, "replicas": 1}, [], 1,
    )  # fmt: skip
    doubtful = {
        ("orders", 0): row(2, [2, 1], [1], is_in_doubt=True),
        ("orders", 1): row(-1, [1, 2], [2], is_assignment_stale=True),
    }
    found = compare_partitions(TOLD, doubtful)
    assert (dict(found.unknown), found.differing) == ({"leader": 1, "replicas": 2, "isr": 1}, [])
    other = {("orders", 0): row(2, [2, 1], [1]), ("orders", 2): row(1, [1], [1])}
    found = compare_partitions(TOLD, other)
    assert found.differing == [
        (("orders", 0), "leader", "1", "2"),
        (("orders", 0), "replicas", "[1,2]", "[2,1]"),
        (("orders", 0), "isr", "[1,2]", "[1]"),
        (("orders", 1), "partition", "there", "not there"),
        (("orders", 2), "partition", "not there", "there"),
    ]
    assert comparison_lines(found, "c", "f")[1].startswith("COMPARED  0 partitions the same, 3 differ")
    with pytest.raises(NotConfirmed, match="found 5 differences"):
        require_same(found)


def as_described(partitions: list[dict[str, Any]]) -> str:
    return "".join(
        f"\tTopic: {one['topic']}\tPartition: {one['partition']}\tLeader: {one['leader']}"
        f"\tReplicas: {listed(one['replicas'])}\tIsr: {listed(one['isr'])}\n"
        for one in partitions
    )


def listed(brokers: list[int]) -> str:
    return ",".join(map(str, brokers))


@pytest.mark.usefixtures("sample_in_memory")
def test_the_end_of_the_sample_is_what_zookeeper_held(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    final = json.loads((shared / "corpus/lab/2.2.2-zk-stock/truth/final.json").read_text())
    file = tmp_path / "described.txt"
    file.write_text(as_described(final["partitions"]))
    ask = ["brokers", "--compare", str(file)]
    assert cli.main(ask) == 0
    shown = capsys.readouterr().out
    assert " 0 differ; not told by the logs: isr of" in shown
    moved = [one | {"leader": 3} if one["leader"] == 1 else one for one in final["partitions"]]
    file.write_text(as_described(moved))
    assert cli.main(ask) == 8
    answer = capsys.readouterr()
    assert "leader  3          1" in answer.out and "found 1 differences" in answer.err
