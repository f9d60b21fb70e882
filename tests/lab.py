"""A cluster of the corpus through all builds of the catalog, without Delta and without a job."""

import gzip
import io
import json
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from jobs.inputs import modes
from pipeline.catalog.tables import TABLES
from pipeline.kafka.layout import locate
from pipeline.kafka.reader import ARROW_SCHEMA, RangeRequest, read_segment
from pipeline.kafka.sniff import HEAD_BYTES, sniff
from pipeline.store.delta import declared
from pipeline.store.gate import broken_rows, expectation_of
from tests.tables import inputs_of

Row = dict[str, Any]
READ = ("controller", "state-change", "mixed")


def records(cluster: Path, logs: Collection[str] = READ) -> pa.Table:
    """bronze.log_record of all files of these logs in a folder; a copy counts once."""
    batches: dict[str, list[pa.RecordBatch]] = {}
    for path in sorted(one for one in cluster.rglob("*") if one.is_file() and "truth" not in one.parts):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found = sniff(data[:HEAD_BYTES])
        if found.log is None or found.log not in logs or found.envelope is None:
            continue
        node_id = locate(path.relative_to(cluster).as_posix()).node
        name = f"{node_id}|{found.log}|".encode()
        request = RangeRequest(
            cluster_id=cluster.name,
            node_id=next(iter(found.node_ids)) if len(found.node_ids) == 1 else node_id,
            log=found.log,
            file_id=sha256(name + data).hexdigest()[:16],
            load_seq=len(batches) + 1,
            zone=zone_of(cluster),
            envelope=found.envelope,
            start=0,
            end=len(data),
            limit=len(data),
            owns_preamble=True,
        )
        batches.setdefault(request.file_id, list(read_segment(io.BytesIO(data), request)))
    return pa.Table.from_batches([batch for each in batches.values() for batch in each], ARROW_SCHEMA)


def zone_of(cluster: Path) -> str:
    """The zone of the lines, as the truth beside them says; UTC where it does not."""
    run = cluster / "truth" / "run.json"
    zone: str = json.loads(run.read_text()).get("log_time_zone", "UTC") if run.is_file() else "UTC"
    return zone


def built_tables(spark: SparkSession, cluster: Path, folder: Path) -> dict[str, DataFrame]:
    """All tables by short name, each written to Parquet below `folder` before the next stands on it."""
    log_record = records(cluster)
    pq.write_table(log_record, folder / "log_record.parquet", coerce_timestamps="us")
    tables: dict[str, Any] = {"log_record": spark.read.parquet(str(folder / "log_record.parquet"))}
    tables |= inputs_of(spark, tables["log_record"], cluster.name)
    for table in TABLES:
        if table.build is not None:
            path = str(folder / table.spec.table)
            made = table.build(**{name: tables[name] for name in table.inputs})
            declared(table.spec, made).write.parquet(path)
            tables[table.spec.table] = spark.read.parquet(path)
            if table.spec.table == "term":
                tables["modes"] = modes(tables["term"])
    return tables


def rows_of(table: DataFrame) -> list[Row]:
    """The rows of a table; times as datetime in UTC, lists as lists."""
    rows: list[Row] = table.toArrow().to_pylist()
    return rows


def broken_rules(tables: dict[str, DataFrame]) -> list[str]:
    """What the declarations promise and the tables do not keep, as the gate of a run asks it."""
    broken = []
    for table in TABLES:
        if table.build is not None:
            rows = tables[table.spec.table]
            found = broken_rows(rows, expectation_of(table.spec))
            broken += [f"{table.spec.name}: {row['broken']}" for row in rows_of(found.select("broken"))]
    return sorted(broken)
