"""A cluster of the corpus through all kernels, without Spark and without a job."""

import io
import json
from collections.abc import Collection
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.expectations import broken_rows, expectation_of
from pipeline.core.frames import declared_table, frame_of
from pipeline.kafka.layout.paths import locate_path
from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, read_segment
from pipeline.kafka.reading.sniff import HEAD_BYTES, kind_of, sniff_head
from tests.built_once import arrow_once
from tests.chain import ORDER, built
from tests.writing_nodes import contents, without_beginnings, writers_of

Row = dict[str, Any]
READ = ("controller", "state-change", "mixed")


def records(cluster: Path, logs: Collection[str] = READ) -> pa.Table:
    """bronze.log_record of all files of these logs in a folder; a copy, or the beginning of one, counts once."""
    return _records(cluster, tuple(logs))


# The last few: tests of one room ask the same labs. Of a lab they are read once for all processes.
@lru_cache(maxsize=6)
def _records(cluster: Path, logs: tuple[str, ...]) -> pa.Table:
    if not (cluster / "truth").is_dir():
        return read_records(cluster, logs)
    return arrow_once(f"{cluster} {logs}", lambda: read_records(cluster, logs))


def read_records(cluster: Path, logs: Collection[str]) -> pa.Table:
    batches: dict[str, list[pa.RecordBatch]] = {}
    for name, data in without_beginnings(contents(cluster)).items():
        found = sniff_head(data[:HEAD_BYTES])
        located = locate_path(name)
        log, node_id = kind_of(found, located.log), located.node
        if log is None or log not in logs or found.envelope is None:
            continue
        wrote = writers_of(found, data, node_id)
        if wrote.is_refused:
            continue
        request = RangeRequest(
            cluster_id=cluster.name,
            node_id=wrote.node_id,
            log=log,
            file_id=sha256(f"{node_id}|{log}|".encode() + data).hexdigest()[:16],
            load_seq=len(batches) + 1,
            zone=zone_of(cluster),
            envelope=found.envelope,
            start=0,
            end=len(data),
            limit=len(data),
            owns_preamble=True,
            is_shared=wrote.is_shared,
        )
        batches.setdefault(request.file_id, list(read_segment(io.BytesIO(data), request)))
    return pa.Table.from_batches([batch for each in batches.values() for batch in each], ARROW_SCHEMA)


def folder_of(shared: Path, name: str) -> Path:
    """The folder of a lab cluster: of the corpus, or of the runs beside it."""
    in_corpus = shared / "corpus" / "lab" / name
    return in_corpus if in_corpus.is_dir() else shared / "lab-runs" / name


def json_lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def zone_of(cluster: Path) -> str:
    """The zone of the lines, as the truth beside them says; UTC where it does not."""
    run = cluster / "truth" / "run.json"
    zone: str = json.loads(run.read_text()).get("log_time_zone", "UTC") if run.is_file() else "UTC"
    return zone


def built_tables(cluster: Path) -> dict[str, pa.Table]:
    """All tables by short name, built from the logs of a lab cluster."""
    return tables_of(records(cluster))


def tables_of(log_record: pa.Table, **given: Any) -> dict[str, pa.Table]:
    """All tables by short name, built from records; given: what kernels take instead of it."""
    frames = built(log_record, *ORDER, **given)
    return {name: declared_table(frames[name], BY_SHORT_NAME[name].spec) for name in ORDER}


def rows_of(table: pa.Table | pl.DataFrame) -> list[Row]:
    """The rows of a table; times as datetime in UTC, lists as lists."""
    if isinstance(table, pl.DataFrame):
        return table.to_dicts()
    rows: list[Row] = table.to_pylist()
    return rows


def broken_rules(tables: dict[str, pa.Table]) -> list[str]:
    """What the declarations promise and the tables do not keep, as the gate of a run asks it."""
    broken = []
    for name in ORDER:
        spec = BY_SHORT_NAME[name].spec
        found = broken_rows(frame_of(tables[name]), expectation_of(spec))
        broken += [f"{spec.name}: {said}" for said in found["broken"]]
    return sorted(broken)
