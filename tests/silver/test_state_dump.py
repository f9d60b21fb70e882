"""Dumps of initial states: all releases of the corpus against a plain reader, cut ones, a million entries."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.kafka.reader import ReadSettings
from pipeline.silver import state_dump
from pipeline.store.delta import declared
from schemas.silver.state_dump import SPEC
from tests.kafka.reading import read_table
from tests.lab import records, rows_of
from tests.tables import interpreted, log_records

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


@pytest.mark.spark
def test_dumps_of_all_forms(spark: SparkSession) -> None:
    rows = rows_of(declared(SPEC, state_dump.build(log_records(spark, {(1, "controller"): CONTROLLER}))))
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


def dumps(clusters: list[Path]) -> pa.Table:
    """The records of these clusters that mention an initial state."""
    tables = []
    for cluster in clusters:
        table = records(cluster)
        raw = table["raw"].cast(pa.string(), safe=False)
        tables.append(table.filter(pc.match_substring(raw, " state machine with initial state -> ")))
    return pa.concat_tables(tables)


def require_equal(spark: SparkSession, folder: Path, clusters: list[Path]) -> int:
    """Every dump line gives the objects that the plain reader sees, and is complete. Returns how many lines."""
    lines = dumps(clusters)
    pq.write_table(lines, folder / "dumps.parquet", coerce_timestamps="us")
    expected = {}
    for row in lines.select(["file_id", "byte_offset", "raw"]).to_pylist():
        said = row["raw"].decode().split("initial state -> ", 1)[1].rsplit(" (", 1)[0]
        if objects := plainly(said):
            expected[row["file_id"], row["byte_offset"]] = objects
    found: dict[tuple[str, int], set[Object]] = {}
    with interpreted(spark):
        rows = rows_of(declared(SPEC, state_dump.build(spark.read.parquet(str(folder / "dumps.parquet")))))
    for row in rows:
        assert row["is_complete"]
        objects = found.setdefault((row["file_id"], row["byte_offset"]), set())
        assert as_object(row) not in objects
        objects.add(as_object(row))
    assert found == expected
    return len(lines)


@pytest.mark.spark
def test_dumps_equal_a_plain_reader(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    assert require_equal(spark, tmp_path, [shared / "corpus" / name for name in QUICK]) > 50


@pytest.mark.soak
@pytest.mark.spark
def test_every_dump_of_the_corpus(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    folders = (
        one for kind in ("lab", "public") for one in (shared / "corpus" / kind).iterdir() if one.is_dir()
    )
    zookeeper = [
        one for one in sorted(folders) if not one.name.startswith(("4.", "3.3.2-kraft", "3.9.2-kraft-sep"))
    ]
    assert require_equal(spark, tmp_path, zookeeper) > 300


@pytest.mark.soak
@pytest.mark.spark
def test_a_million_entries_in_one_line(spark: SparkSession, tmp_path: Path) -> None:
    """A line of 60 MB: read whole where the limit of a record allows it, else as far as the limit, and said."""
    head = "[2026-11-21 00:00:01,000] DEBUG [ReplicaStateMachine controllerId=1] Started replica state machine with "
    entries = ", ".join(
        f"[Topic=t{n % 1000},Partition={n},Replica={n % 9}] -> OnlineReplica" for n in range(SIZE)
    )
    line = f"{head}initial state -> Map({entries}) (kafka.controller.ZkReplicaStateMachine)\n".encode()
    for limit in (len(line), 16 << 20):
        count = line[:limit].count(b"] -> OnlineReplica")
        table = read_table(line, log="controller", settings=ReadSettings(max_record_bytes=limit))
        pq.write_table(table, tmp_path / f"{limit}.parquet", coerce_timestamps="us")
        dump = state_dump.build(spark.read.parquet(str(tmp_path / f"{limit}.parquet")))
        found = dump.groupBy("is_complete").agg(F.count("*").alias("count"), F.sum("partition").alias("sum"))
        assert rows_of(found) == [
            {"is_complete": count == SIZE, "count": count, "sum": count * (count - 1) // 2}
        ]
