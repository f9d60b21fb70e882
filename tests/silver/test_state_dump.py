"""Dumps of initial states: all releases of the corpus against a plain reader, cut ones, a million entries."""

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import frame_of
from pipeline.kafka.reading.reader import ReadSettings
from pipeline.silver import state_dump
from schemas.silver.state_dump import SPEC
from tests.kafka.reading import read_table
from tests.rows import declared_rows, records_in, records_of

Object = tuple[str, int, int | None, str]
QUICK = (
    "lab/0.11.0.3-zk-stock",
    "lab/3.9.1-zk-stock",
    "public/0.8.2.1-JihoChoi",
    "public/2.5.0-Parasmani300",
)
SIZE = 1_000_000

CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Replica state machine on controller 1]: Started replica state machine with initial state -> Map([Topic=a.b-c,Partition=0,Replica=1] -> OnlineReplica, [Topic=a.b-c,Partition=0,Replica=2] -> ReplicaDeletionIneligible) (kafka.controller.ReplicaStateMachine)
    [2026-11-21 00:00:02,000] INFO [Partition state machine on Controller 1]: Started partition state machine with initial state -> Map([a.b-c,0] -> OnlinePartition) (kafka.controller.PartitionStateMachine)
    [2026-11-21 00:00:03,000] DEBUG [PartitionStateMachine controllerId=1] Started partition state machine with initial state -> HashMap(0-1-2 -> OfflinePartition, __x-11 -> NewPartition) (kafka.controller.ZkPartitionStateMachine)
    [2026-11-21 00:00:04,000] DEBUG [ReplicaStateMachine controllerId=1] Started replica state machine with initial state -> Map() (kafka.controller.ZkReplicaStateMachine)
    [2026-11-21 00:00:05,000] DEBUG [ReplicaStateMachine controllerId=1] Started replica state machine with initial state -> HashMap([Topic=a,Partition=0,Replica=1] -> OnlineReplica, [Topic=a,Partition=1,Replica=1] -> Sleeping) (kafka.controller.ZkReplicaStateMachine)
    [2026-11-21 00:00:06,000] DEBUG [ReplicaStateMachine controllerId=7] Started replica state machine with initial state -> HashMap([Topic=a,Partition=0,Replica=1] -> OnlineReplica, [Topic=a,Partition=1,Repl
    [2026-11-21 00:00:07,000] DEBUG [PartitionStateMachine controllerId=1] Started partition state machine with initial state -> Map(a-0 -> Onlin
"""


def test_dumps_of_all_forms() -> None:
    rows = declared_rows(state_dump.build(records_in({(1, "controller"): CONTROLLER})), SPEC).to_dicts()
    found = sorted(
        (row["logged_at"].second, row["machine"], *as_object(row), row["controller_id"], row["is_complete"])
        for row in rows
    )
    assert found == [
        (1, "replica", "a.b-c", 0, 1, "OnlineReplica", 1, True),
        (1, "replica", "a.b-c", 0, 2, "ReplicaDeletionIneligible", 1, True),
        (2, "partition", "a.b-c", 0, None, "OnlinePartition", 1, True),
        (3, "partition", "0-1", 2, None, "OfflinePartition", 1, True),
        (3, "partition", "__x", 11, None, "NewPartition", 1, True),
        # A state that no machine has: what else the line says is kept, but it is not the whole.
        (5, "replica", "a", 0, 1, "OnlineReplica", 1, False),
        (6, "replica", "a", 0, 1, "OnlineReplica", 7, False),
    ]


def as_object(row: dict[str, Any]) -> Object:
    return row["topic"], row["partition"], row["replica_id"], row["state"]


def plainly(text: str) -> set[Object]:
    """What a dump says, entry by entry, without the product's patterns."""
    found: set[Object] = set()
    for entry in text[text.index("(") + 1 : -1].split(", ") if not text.endswith("()") else ():
        name, state = entry.split(" -> ")
        if name.startswith("[Topic="):
            topic, partition, replica = (part.split("=")[1] for part in name.strip("[]").rsplit(",", 2))
            found.add((topic, int(partition), int(replica), state))
        else:
            topic, partition = re.split(r"[-,](?=\d+$)", name.strip("[]"))
            found.add((topic, int(partition), None, state))
    return found


def dumps(clusters: list[Path]) -> pl.DataFrame:
    """The records of these clusters that mention an initial state."""
    is_dump = pl.col("raw").bin.contains(b" state machine with initial state -> ")
    return pl.concat(records_of(cluster).filter(is_dump) for cluster in clusters)


def require_equal(clusters: list[Path]) -> int:
    """Every dump line gives the objects that the plain reader sees, and is complete. Returns how many lines."""
    lines = dumps(clusters)
    expected = {}
    for file_id, byte_offset, raw in lines.select("file_id", "byte_offset", "raw").rows():
        said = raw.decode().split("initial state -> ", 1)[1].rsplit(" (", 1)[0]
        if objects := plainly(said):
            expected[file_id, byte_offset] = objects
    found: dict[tuple[str, int], set[Object]] = {}
    for row in declared_rows(state_dump.build(lines), SPEC).to_dicts():
        assert row["is_complete"]
        objects = found.setdefault((row["file_id"], row["byte_offset"]), set())
        assert as_object(row) not in objects
        objects.add(as_object(row))
    assert found == expected
    return len(lines)


def test_dumps_equal_a_plain_reader(shared: Path) -> None:
    assert require_equal([shared / "corpus" / name for name in QUICK]) > 50


@pytest.mark.soak
def test_every_dump_of_the_corpus(shared: Path) -> None:
    folders = (
        one for kind in ("lab", "public") for one in (shared / "corpus" / kind).iterdir() if one.is_dir()
    )
    zookeeper = [
        one for one in sorted(folders) if not one.name.startswith(("4.", "3.3.2-kraft", "3.9.2-kraft-sep"))
    ]
    assert require_equal(zookeeper) > 300


@pytest.mark.soak
def test_a_million_entries_in_one_line() -> None:
    """A line of 60 MB: read whole where the limit of a record allows it, else as far as the limit, and said."""
    head = "[2026-11-21 00:00:01,000] DEBUG [ReplicaStateMachine controllerId=1] Started replica state machine with "
    entries = ", ".join(
        f"[Topic=t{n % 1000},Partition={n},Replica={n % 9}] -> OnlineReplica" for n in range(SIZE)
    )
    line = f"{head}initial state -> Map({entries}) (kafka.controller.ZkReplicaStateMachine)\n".encode()
    for limit in (len(line), 16 << 20):
        count = line[:limit].count(b"] -> OnlineReplica")
        settings = ReadSettings(max_record_bytes=limit)
        dump = state_dump.build(frame_of(read_table(line, log="controller", settings=settings)))
        found = dump.group_by("is_complete").agg(count=pl.len(), sum=pl.col("partition").cast(pl.Int64).sum())
        assert found.rows() == [(count == SIZE, count, count * (count - 1) // 2)]
