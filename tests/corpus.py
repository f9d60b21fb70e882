"""Clusters of the corpus, read by the product's own reader."""

import io
import json
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.kafka.layout.paths import locate_path
from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, read_segment
from pipeline.kafka.reading.sniff import HEAD_BYTES, sniff_head
from tests.built_once import arrow_once
from tests.writing_nodes import contents, without_beginnings, writers_of

Row = dict[str, Any]
READ = ("controller", "state-change", "mixed")


def records(cluster: Path, logs: Collection[str] = READ) -> pa.Table:
    """bronze.log_record of all files of these logs in a folder; a copy, or the beginning of one, counts once. Of a lab
    they are read once for all processes."""
    if not (cluster / "truth").is_dir():
        return read_records(cluster, logs)
    return arrow_once(f"corpus {cluster} {sorted(logs)}", lambda: read_records(cluster, logs))


def read_records(cluster: Path, logs: Collection[str]) -> pa.Table:
    batches: dict[str, list[pa.RecordBatch]] = {}
    for name, data in without_beginnings(contents(cluster)).items():
        found = sniff_head(data[:HEAD_BYTES])
        if found.log is None or found.log not in logs or found.envelope is None:
            continue
        node_id = locate_path(name).node
        wrote = writers_of(found, data, node_id)
        if wrote.is_refused:
            continue
        request = RangeRequest(
            cluster_id=cluster.name,
            node_id=wrote.node_id,
            log=found.log,
            file_id=sha256(f"{node_id}|{found.log}|".encode() + data).hexdigest()[:16],
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


def zone_of(cluster: Path) -> str:
    """The zone of the lines, as the truth beside them says; UTC where it does not."""
    run = cluster / "truth" / "run.json"
    zone: str = json.loads(run.read_text()).get("log_time_zone", "UTC") if run.is_file() else "UTC"
    return zone


def json_lines(path: Path) -> list[Row]:
    """What a file of the truth beside the logs holds."""
    return [json.loads(line) for line in path.read_text().splitlines()]
