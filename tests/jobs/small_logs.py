"""A few lines of each log of a small cluster, in folders, and what a job makes of them."""

from collections.abc import Callable, Iterable
from pathlib import Path

from jobs import nightly
from jobs.cluster_job import ClusterJob, Printed
from jobs.engine.run.progress import Progress
from jobs.fleet import run_without_spark
from jobs.settings.arguments import job_parser, settings_of
from pipeline.catalog.tables import BY_NAME
from tests.gold.conftest import LOGS
from tests.published import published_tables, texts

OWN_OF_A_RUN = {"run_id", "load_seq", "path", "codec", "status", "checked_at"}
COMPARED = [
    name
    for name in BY_NAME
    if name not in ("bronze.source_file", "bronze.file_sighting", "ops.quality_result")
]
INGESTED = [name for name in COMPARED if not name.startswith("gold.")]


def lines_of(node_id: int, log: str) -> list[str]:
    return [f"{line.strip()}\n" for line in LOGS[node_id, log].strip().splitlines()]


def write(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path


def run(logs: Path, warehouse: Path, job: Callable[[list[str]], int] = nightly.main) -> int:
    return job(["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c"])


def nightly_without_spark(argv: list[str]) -> int:
    """The nightly job of one cluster as a process of a fleet runs it: delta-rs writes, in a third of the time."""
    return code_without_spark("nightly", argv)


def ingest_without_spark(argv: list[str]) -> int:
    return code_without_spark("ingest", argv)


def code_without_spark(job: str, argv: list[str]) -> int:
    given = job_parser(job, "").parse_args(argv)
    done = run_without_spark(
        ClusterJob(job, given, settings_of(given), (given.cluster,), given.cluster), Progress()
    )
    assert done is not None, "it needs Spark"
    outcome, kept = done
    kept.tell(Printed())
    assert outcome.code is not None, outcome.nothing
    return outcome.code


def contents(warehouse: Path, names: Iterable[str]) -> dict[str, list[str]]:
    """By table its rows as text in order, without what is a run's own."""
    stored = published_tables(warehouse, "c")
    return {name: texts(stored(name).drop(OWN_OF_A_RUN, strict=False)) for name in names}
