"""Tables of a cluster in memory, for questions that need no warehouse."""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from schemas.bronze import log_record, source_file
from tests.incremental.nights import manifest
from tests.lab import READ, records, tables_of, zone_of


def answers_of(**frames: pl.DataFrame) -> Answers:
    """Of cluster c; frames: rows of tables by short name, the others hold nothing."""
    tables = MemoryTables()
    tables.rows = {BY_SHORT_NAME[name].spec.name: rows for name, rows in frames.items()}
    return Answers("c", tables)


def answers_of_logs(cluster: Path, logs: Collection[str] = READ) -> Answers:
    """Of the logs of a lab cluster, each file read in one segment; a path is the file_id."""
    return answers_of_records(cluster, records(cluster, logs))


def answers_of_records(cluster: Path, lines: pa.Table) -> Answers:
    """The same of its records, or of some of them."""
    tables = MemoryTables()
    built = {BY_SHORT_NAME[name].spec.name: frame_of(rows) for name, rows in tables_of(lines).items()}
    tables.rows = built | {
        log_record.SPEC.name: frame_of(lines),
        source_file.SPEC.name: manifest(frame_of(lines)).with_columns(zone=pl.lit(zone_of(cluster))),
    }
    return Answers(cluster.name, tables)


def timeline(**columns: object) -> pl.DataFrame:
    """One partition at the end of the data: t-0 of brokers 1, 2 and 3, led by 1, 3 out of sync."""
    row: dict[str, object] = {
        "topic": "t",
        "partition": 0,
        "leader": 1,
        "is_served": True,
        "isr": [1, 2],
        "replicas": [1, 2, 3],
        "is_isr_stale": False,
        "is_assignment_stale": False,
        "is_deleting": False,
        "certainty": "proved",
        "valid_from_at": datetime(2026, 11, 21, 8, tzinfo=UTC),
        "valid_until_at": None,
        "evidence": [],
        "isr_evidence": [],
    }
    types = {
        "valid_until_at": pl.Datetime("us", "UTC"),
        "isr": pl.List(pl.Int32),
        "replicas": pl.List(pl.Int32),
    }
    return pl.DataFrame([row | columns], schema_overrides=types)


SESSIONS = pl.DataFrame(
    {"broker_id": [1, 2], "left_at": [None, None]},
    {"broker_id": pl.Int32, "left_at": pl.Datetime("us", "UTC")},
)
