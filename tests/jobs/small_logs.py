"""A few lines of each log of a small cluster, in folders, and what a job makes of them."""

from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs import nightly
from pipeline.catalog.tables import BY_NAME
from pipeline.store.reading import read
from tests.gold.conftest import LOGS

# JSON has milliseconds by default.
EXACT = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}
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


def as_text(rows: DataFrame) -> DataFrame:
    """Each row as JSON, times to the microsecond: text."""
    return rows.select(F.to_json(F.struct(*rows.columns), EXACT).alias("text"))


def contents(spark: SparkSession, warehouse: Path, names: Iterable[str]) -> dict[str, list[str]]:
    """By table its rows as JSON in order, without what is a run's own; all of them by one query."""

    def rows_of(name: str) -> DataFrame:
        rows = read(spark, str(warehouse), name)
        kept = sorted(set(rows.columns) - OWN_OF_A_RUN)
        return rows.select(*kept).transform(as_text).select(F.lit(name).alias("name"), "text")

    found: dict[str, list[str]] = {name: [] for name in names}
    for name, text in reduce(DataFrame.unionByName, map(rows_of, found)).collect():
        found[name].append(text)
    return {name: sorted(texts) for name, texts in found.items()}
