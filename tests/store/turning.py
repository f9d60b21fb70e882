"""Turns one bit of a file of a warehouse, and asks the readers again."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from deltalake import DeltaTable

from jobs import cli
from jobs.engine.mending.runs import typed_run_row
from pipeline.catalog.tables import BY_NAME, SPECS
from pipeline.core.errors import WarehouseDamaged
from pipeline.core.frames import frame_of
from pipeline.store.files.hadoop_sums import keep_sums
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from pipeline.store.runs.published import LAST_RUN, keep_last_run
from pipeline.store.tables.commit_files import commit_note, newest_whole
from pipeline.store.tables.local_commit import CHECKPOINT_EACH, add_row
from schemas.gold import finding
from schemas.ops import run
from tests.golden import CLUSTER, unpacked
from tests.store.stating import put, rows, stated

LAYERS = ("gold", "ops")
WRITER = "runs"
COMMANDS = ("status", "findings", "runs")
Answer = tuple[object, ...]


def made(folder: Path) -> Path:
    """The cluster of a warehouse that Spark wrote, its runs as the writer without Spark adds them, over a checkpoint."""
    cluster = unpacked(folder) / CLUSTER
    stated(cluster)
    runs, files = cluster / "ops" / "run", LocalFiles()
    row = json.loads(commit_note(files, str(runs), newest_whole(files, str(runs)) or 0) or "")
    table = put(cluster, run.SPEC, rows(cluster, run.SPEC))
    keep_sums(table / "_delta_log" / f"{0:020d}.json")
    keep_sums(next(table.glob("*.parquet")))
    for number in range(CHECKPOINT_EACH + 1):
        row = row | {"run_seq": row["run_seq"] + 1, "run_id": f"r{number}"}
        assert add_row(table, run.SPEC, typed_run_row(row), json.dumps(row), WRITER, row["run_seq"])
    keep_last_run(files, str(cluster), json.dumps(row))
    findings = DeltaTable(str(cluster / finding.SPEC.layer / finding.SPEC.table))
    findings.create_checkpoint()
    keep_sums(next(Path(findings.table_uri.removeprefix("file://")).glob("_delta_log/*.checkpoint.parquet")))
    return cluster


def answer_files(cluster: Path) -> list[Path]:
    """All files of the tables that are answers, but the sums beside them, which no reader takes an answer from."""
    known = (cluster / spec.layer / spec.table for spec in (*SPECS, run.SPEC) if spec.layer in LAYERS)
    found = (path for table in known for path in sorted(table.rglob("*")))
    return [*(one for one in found if one.is_file() and not one.name.startswith(".")), cluster / LAST_RUN]


@contextmanager
def turned(path: Path, random: Random) -> Iterator[int]:
    """The place of the bit."""
    whole = path.read_bytes()
    place = random.randrange(len(whole) * 8)
    content = bytearray(whole)
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)
    yield place
    path.write_bytes(whole)


def table_of(cluster: Path, path: Path) -> str:
    parts = path.relative_to(cluster).parts
    return run.SPEC.name if len(parts) == 1 else ".".join(parts[:2])


def rows_of(cluster: Path, name: str) -> Answer:
    """What is published, whether ops.run or the copy of its row says so, and the rows of a table; nothing: it is refused,
    by name."""
    warehouse = DirectWarehouse(str(cluster.parent), LocalFiles())
    spec = run.SPEC if name == run.SPEC.name else BY_NAME[name].spec
    try:
        seen = warehouse.published(CLUSTER)
        return replace(seen, lost=None), frame_of(warehouse.tables(CLUSTER, seen).read(spec)).rows()
    except WarehouseDamaged:
        return ()


def said(cluster: Path, command: str, capsys: pytest.CaptureFixture[str]) -> Answer:
    """What a command prints, but that it answers from the copy of a row; nothing: it refuses, with its code and what to
    do."""
    code = cli.main([command, "--warehouse", str(cluster.parent), "--cluster", CLUSTER])
    told = capsys.readouterr()
    if code == WarehouseDamaged.exit_code:
        assert "doctor" in told.err and "repair" in told.err
        return ()
    return code, [line for line in told.out.splitlines() if line and f"as {LAST_RUN} tells" not in line]
