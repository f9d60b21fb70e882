"""Bytes of a warehouse against its logs, raw and gzipped: night by night, after `maintain`, and by level of compression."""

import contextlib
import gzip
import io
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from jobs import maintain, nightly
from pipeline.catalog.tables import SPECS
from pipeline.store.health.upkeep import files_and_bytes
from pipeline.store.spark.session import ZSTD_LEVEL, get_spark
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import log_record

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
CLUSTER = "storage"
LEVELS = (3, 9, 19)
NAMES = ("controller.log", "state-change.log")
SHOWN = 8
HEADING = f"{'':34}{'files':>7}{'bytes':>13}{'x gzip -6':>11}"


def storage(logs: Path | None, folder: Path) -> None:
    """Two nights: rolled files first, then all; maintained; log_record written again at other levels."""
    work = folder / "storage"
    shutil.rmtree(work, ignore_errors=True)
    files = [
        path
        for path in sorted((logs or SAMPLE).rglob("*.log*"))
        if path.name.startswith(NAMES) and path.stat().st_size
    ]
    raw, zipped = sizes(files)
    print(
        f"\nstorage of {logs or 'the sample'}: {len(files)} logs, {raw:,} bytes, gzip -6 {zipped:,}\n{HEADING}"
    )
    given = ["--warehouse", str(work / "warehouse"), "--cluster", CLUSTER]
    spark = get_spark()
    store = ClusterWarehouse(spark, str(work / "warehouse"), CLUSTER)
    for night, taken in enumerate(nights(files), 1):
        copy(taken, logs or SAMPLE, work / "logs")
        quietly(lambda: nightly.main(["--logs", str(work / "logs"), *given]))
        told(f"after night {night}", store, zipped)
    quietly(lambda: maintain.main(given))
    told("after maintain", store, zipped)
    by_table(store, zipped)
    by_column(Path(store.delta.uri(log_record.SPEC)), zipped)
    by_level(spark, store, work, raw, zipped)


def quietly(job: Callable[[], int]) -> None:
    """Without what the job prints for its user. RuntimeError: it failed, as stderr says."""
    with contextlib.redirect_stdout(io.StringIO()):
        code = job()
    if code:
        raise RuntimeError(f"exit code {code}")


def sizes(files: list[Path]) -> tuple[int, int]:
    contents = [path.read_bytes() for path in files]
    plain = [
        gzip.decompress(one) if path.suffix == ".gz" else one
        for one, path in zip(contents, files, strict=True)
    ]
    return sum(map(len, plain)), sum(len(gzip.compress(one, 6)) for one in plain)


def nights(files: list[Path]) -> list[list[Path]]:
    """What was rolled, then the rest; all at once where nothing was."""
    rolled = [path for path in files if not path.name.endswith(".log")]
    return [one for one in (rolled, [path for path in files if path not in rolled]) if one]


def copy(files: list[Path], root: Path, target: Path) -> None:
    for path in files:
        place = target / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)


def told(stage: str, store: ClusterWarehouse, zipped: int) -> None:
    tables = [spec for spec in SPECS if store.delta.head(spec) is not None]
    parts = {
        "bronze.log_record": files_and_bytes(store.delta, [log_record.SPEC]),
        "all tables": files_and_bytes(store.delta, tables),
    }
    for name, (files, size) in parts.items():
        print(f"{f'{stage}, {name}':34}{files:7,}{size:13,}{size / zipped:11.2f}")
    on_disk = store.files.size_bytes(store.folder)
    print(f"{f'{stage}, on disk':34}{'':7}{on_disk:13,}{on_disk / zipped:11.2f}", flush=True)


def by_table(store: ClusterWarehouse, zipped: int) -> None:
    """The largest tables."""
    found = {spec.name: files_and_bytes(store.delta, [spec]) for spec in SPECS}
    print(f"\nlargest tables\n{HEADING}")
    for name, (files, size) in sorted(found.items(), key=lambda one: -one[1][1])[:SHOWN]:
        print(f"{name:34}{files:7,}{size:13,}{size / zipped:11.2f}")


def by_column(table: Path, zipped: int) -> None:
    """The largest columns of the file that was written last."""
    newest = max(table.glob("*.parquet"), key=lambda path: path.stat().st_mtime)
    footer, found = pq.ParquetFile(newest).metadata, dict[str, int]()
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            found[column.path_in_schema] = found.get(column.path_in_schema, 0) + column.total_compressed_size
    print(f"\nlargest columns of bronze.log_record\n{HEADING}")
    for name, size in sorted(found.items(), key=lambda one: -one[1])[:SHOWN]:
        print(f"{name:34}{'':7}{size:13,}{size / zipped:11.2f}")


def by_level(spark: SparkSession, store: ClusterWarehouse, work: Path, raw: int, zipped: int) -> None:
    """The rows with all of `raw`, and as stored, written again by one task; seconds are of writing alone, the rows are
    in memory."""
    stored = spark.read.format("delta").load(store.delta.uri(log_record.SPEC))
    print(f"\nbronze.log_record by level of Zstandard\n{HEADING}{'seconds':>9}{'raw MB/s':>10}")
    for form, table in (("all of raw", store.delta.read(log_record.SPEC)), ("as stored", stored)):
        rows = table.coalesce(1).cache()
        rows.count()
        for level in LEVELS:
            spark.conf.set(ZSTD_LEVEL, str(level))
            began = time.perf_counter()
            rows.write.mode("overwrite").parquet(str(work / "level"))
            seconds = time.perf_counter() - began
            size = sum(path.stat().st_size for path in (work / "level").glob("*.parquet"))
            told = f"{f'{form}, level {level}':34}{1:7}{size:13,}{size / zipped:11.2f}"
            print(f"{told}{seconds:9.2f}{raw / seconds / 1e6:10.1f}")
        rows.unpersist()
