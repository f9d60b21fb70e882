"""Answers of `incident` in tests: all tables of the logs below a path."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from jobs.engine.intake.discovery import Listing, candidates_by_cluster
from jobs.engine.run.request import RunRequest
from jobs.incident.command import in_haste
from jobs.incident.in_memory import AnalyzedLogs, analyze_logs
from jobs.incident.progress import ProgressLine
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from pipeline.catalog.tables import SPECS
from pipeline.core.frames import frame_of
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
FILE_ID = re.compile(r"'[0-9a-f]{16}'")
# Of a run, and where a file or a segment is named.
OF_A_RUN = ("run_id", "file_id", "load_seq", "evidence", "checked_at", "of_file_id", "of_load_seq")


def settings_of(**flags: object) -> Settings:
    return in_haste(load_settings(None, flags, {}, None))


def answer_of(paths: Sequence[Path], settings: Settings, cluster: str | None = None) -> AnalyzedLogs:
    """Of the only cluster there."""
    roots = list(map(str, paths))
    ((cluster_id, candidates),) = candidates_by_cluster(roots, settings, cluster).items()
    listing = Listing(candidates, roots)
    request = RunRequest("incident", "", cluster_id, lambda: listing, settings)
    return analyze_logs(request, ProgressLine(), lambda _: None)


def tables_of(answer: AnalyzedLogs) -> dict[str, pl.DataFrame]:
    return {spec.name: frame_of(answer.tables.read(spec)) for spec in SPECS}


def stored_tables(warehouse: str, cluster: str) -> dict[str, pl.DataFrame]:
    """Those that the newest run of a cluster on this machine published."""
    files = LocalFiles()
    at = DirectWarehouse(files.qualified(warehouse), files)
    seen = at.published(cluster)
    tables = at.tables(cluster, seen)
    return {spec.name: frame_of(tables.read(spec)) for spec in SPECS if spec.name in seen.versions}


def differing(found: Mapping[str, pl.DataFrame], expected: Mapping[str, pl.DataFrame]) -> list[str]:
    return [name for name, rows in expected.items() if texts(found[name]) != texts(rows)]


def texts(rows: pl.DataFrame) -> list[str]:
    """Each row as text, whatever names its file and its run."""
    kept = rows.drop(OF_A_RUN, strict=False)
    return sorted(FILE_ID.sub("", str(row)) for row in kept.rows())
