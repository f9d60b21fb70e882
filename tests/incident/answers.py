"""Answers of `incident` in tests: all tables of the logs below a path."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from jobs.incident.command import in_haste
from jobs.incident.in_memory import Answer, answered
from jobs.incident.progress import ProgressLine
from jobs.intake.discovery import Listing, candidates_by_cluster
from jobs.run.request import RunRequest
from jobs.settings.load import load
from jobs.settings.model import Settings
from pipeline.catalog.tables import SPECS
from pipeline.core.frames import frame_of

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
# What names a run, a file or a place in it.
OF_A_RUN = ("run_id", "path", "load_seq", "checked_at", "modified_at", "started_at")
OF_A_FILE = ("evidence", "sightings", "_id", "_offset", "_places", "_lines")


def settings_of(**flags: object) -> Settings:
    return in_haste(load(None, flags, {}, None))


def answer_of(paths: Sequence[Path], settings: Settings, cluster: str | None = None) -> Answer:
    """Of the only cluster there."""
    roots = list(map(str, paths))
    ((cluster_id, candidates),) = candidates_by_cluster(roots, settings, cluster).items()
    listing = Listing(candidates, roots)
    request = RunRequest("incident", "", cluster_id, lambda: listing, settings)
    return answered(request, ProgressLine(), lambda _: None)


def tables_of(answer: Answer) -> dict[str, pl.DataFrame]:
    return {spec.name: frame_of(answer.tables.read(spec)) for spec in SPECS}
