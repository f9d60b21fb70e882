"""A few lines of each log of a small cluster, in folders, and what a job makes of them."""

from collections.abc import Callable, Iterable
from pathlib import Path

from jobs import nightly
from pipeline.catalog.jobs import JOBS
from pipeline.catalog.tables import BY_NAME
from tests.gold.conftest import LOGS
from tests.published import published_tables, texts

OWN_OF_A_RUN = {"run_id", "load_seq", "path", "codec", "status", "checked_at"}
COMPARED = [
    name
    for name in BY_NAME
    if name not in ("bronze.source_file", "bronze.file_sighting", "ops.quality_result")
]
INGESTED = [name for name in COMPARED if name.startswith("bronze.") or name in JOBS["ingest"]]


def lines_of(node_id: int, log: str) -> list[str]:
    return [f"{line.strip()}\n" for line in LOGS[node_id, log].strip().splitlines()]


def write(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path


def run(logs: Path, warehouse: Path, job: Callable[[list[str]], int] = nightly.main) -> int:
    return job(["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c"])


def contents(warehouse: Path, names: Iterable[str], cluster: str = "c") -> dict[str, list[str]]:
    """By table its rows as text in order, without what is a run's own."""
    stored = published_tables(warehouse, cluster)
    return {name: texts(stored(name).drop(OWN_OF_A_RUN, strict=False)) for name in names}
