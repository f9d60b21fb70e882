"""Simulated controllers: the same from one seed, understood by the reader, and healthy by the audit."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.gold.transition_labs import LAB, TABLE, read_moves
from tests.replay.judging import told
from tests.replay.scores import RELEASES, machine_of
from tests.replay.simulator.days import MISHAPS, simulated
from tests.replay.simulator.disk import files, text, write_cluster
from tests.replay.simulator.record import Line

LEVELS = ("TRACE", "INFO")
each_release = pytest.mark.parametrize("release", RELEASES)
# Of both machines and of each way to write; the others in soak, for longer.
FEW = ("0.8.2.2", "1.0.2", "2.2.2", "2.6.3", "3.9.1")


def by_node(lines: list[Line]) -> list[Line]:
    """The lines about objects, node by node."""
    return sorted((line for line in lines if line.move is not None), key=lambda line: line.node)


def healthy(release: str, seed: int, days: float) -> None:
    """Every move gets the verdict that the simulator knows, and none needs looking at, even if the release is unknown."""
    for level in LEVELS:
        log = simulated(release, seed, days, level=level, mishaps=MISHAPS)
        rows = told(log.printed(), machine_of(log))
        assert [row.verdict for row in rows] == [line.verdict for line in by_node(log.printed())]
        assert not [row for row in rows if row.is_finding]
        assert not [row for row in told(log.printed(), None) if row.is_finding]


@pytest.mark.parametrize("release", FEW)
def test_healthy_days_have_no_finding(release: str) -> None:
    healthy(release, seed=1, days=1)


@pytest.mark.soak
@each_release
@pytest.mark.parametrize("seed", range(2, 12))
def test_thirty_healthy_days_have_no_finding(release: str, seed: int) -> None:
    healthy(release, seed, days=30)


def test_a_seed_gives_the_same_bytes() -> None:
    one, again, other = (files(simulated("2.2.2", seed).printed()) for seed in (1, 1, 2))
    assert one.keys() == again.keys()
    assert all(one[place][0] == again[place][0] for place in one)
    assert {data for data, _ in one.values()} != {data for data, _ in other.values()}


@each_release
def test_every_printed_move_is_understood(release: str) -> None:
    log = simulated(release, 3, level="TRACE")
    printed = [line.move for line in log.printed() if line.move is not None]
    rows = told(log.printed(), machine_of(log))
    expected = Counter(
        (*move[:3], "failed" if move.outcome == "refused" else move.outcome) for move in printed
    )
    assert Counter((row.thing, row.from_state, row.to_state, row.outcome) for row in rows) == expected


@each_release
def test_stock_level_is_that_of_the_release(release: str) -> None:
    levels = {line.level for line in simulated(release, 1).printed() if line.log == "state-change"}
    assert ("TRACE" in levels) == (release < "2.6")


@pytest.mark.parametrize(
    ("release", "line"),
    [
        ("0.8.2.2", "from NewPartition to OnlinePartition with leader "),
        ("0.11.0.3", "Controller {} epoch 1 changed state of replica "),
        ("1.0.2", "[Controller id={}] Changed partition "),
        ("1.1.1", "with state LeaderAndIsr(leader="),
        ("2.2.2", "java.lang.IllegalStateException: Replica [Topic="),
        ("3.9.1", "isrWithBrokerEpoch=List(BrokerState("),
    ],
)
def test_words_are_those_of_the_release(release: str, line: str) -> None:
    written = "".join(text(each) for each in simulated(release, 1, 2, level="TRACE").printed())
    assert any(line.format(node) in written for node in range(1, 6))


@pytest.mark.parametrize(("release", "is_first"), [("2.0.1", False), ("2.2.2", True)])
def test_order_of_a_deletion_is_that_of_the_release(release: str, *, is_first: bool) -> None:
    """Items 12 and 13: the partitions go last up to 2.0, first from 2.1 on."""
    moves = [line.move for line in simulated(release, 1, 3).lines if line.move is not None]
    thing = next(move.thing[:2] for move in moves if move.to_state == "NonExistentPartition")
    own = [move.to_state for move in moves if move.thing[:2] == thing]
    behind = own[own.index("NonExistentPartition") :]
    until_again = behind[: behind.index("NewPartition")] if "NewPartition" in behind else behind
    assert ("NonExistentReplica" in until_again) == is_first


@pytest.mark.soak
def test_refusals_are_those_that_are_known() -> None:
    """Items 10, 11, 21 and 22 all happen."""
    labels = {
        release: {row.normal for row in told(simulated(release, 1, 10, level="TRACE").printed(), machine)}
        - {None}
        for release, machine in (("2.2.2", "R1"), ("2.3.1", "R2"), ("3.9.1", "R2"))
    }
    assert labels == {
        "2.2.2": {"KAFKA-8237", "item 11", "item 22"},
        "2.3.1": {"item 11", "item 22"},
        "3.9.1": {"item 11", "item 21", "item 22"},
    }


def test_a_cluster_is_written_to_disk(tmp_path: Path) -> None:
    size = write_cluster(tmp_path, "2.5.1", seed=1, days=1, fault="lost line")
    logs = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.log"))
    assert {"broker-1/controller.log", "broker-1/state-change.log"} <= set(logs)
    assert size == sum((tmp_path / log).stat().st_size for log in logs)
    moves, faults = (
        [json.loads(line) for line in (tmp_path / "truth" / name).read_text().splitlines()]
        for name in ("moves.jsonl", "faults.jsonl")
    )
    assert {fault["kind"] for fault in faults} == {"lost line"}
    assert len(moves) + len(faults) == sum(line.move is not None for line in simulated("2.5.1", 1).printed())
    assert {move["verdict"] for move in moves} == {"first", "valid", "same_state", "failed", "refused"}


# A release of each machine, and of the levels.
FEW_LABS = ("2.2.2-zk-stock", "3.9.1-zk-trace")


@pytest.mark.skipif(not LAB.is_dir(), reason=f"the lab corpus is not at {LAB}")
@pytest.mark.parametrize(
    "cluster",
    [row[0] if row[0] in FEW_LABS else pytest.param(row[0], marks=pytest.mark.soak) for row in TABLE],
)
def test_what_real_controllers_did_is_simulated(cluster: str) -> None:
    release, _, level = cluster.partition("-zk-")
    shown = "TRACE" if level == "trace" else ""
    log = simulated(release, 1, 20, level=shown, mishaps=("die_midway",))
    made = {
        (move.from_state, move.to_state, move.outcome == "done")
        for move in (line.move for line in log.printed())
        if move is not None
    }
    seen = {
        (row["from_state"], row["to_state"], row["outcome"] == "done") for row in read_moves(LAB / cluster)
    }
    assert seen <= made
