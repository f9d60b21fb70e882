"""Tables of a cluster in memory, for questions that need no warehouse."""

from collections.abc import Collection
from pathlib import Path

import polars as pl

from jobs.questions.answers import Answers
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import MemoryTables
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
    tables, lines = MemoryTables(), records(cluster, logs)
    built = {BY_SHORT_NAME[name].spec.name: frame_of(rows) for name, rows in tables_of(lines).items()}
    tables.rows = built | {
        log_record.SPEC.name: frame_of(lines),
        source_file.SPEC.name: manifest(frame_of(lines)).with_columns(zone=pl.lit(zone_of(cluster))),
    }
    return Answers(cluster.name, tables)
