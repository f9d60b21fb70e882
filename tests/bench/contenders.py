"""The whole way from a file to a table, as others would go it and as this product does."""

import shutil
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs.engine.intake.bins import bin_by_size
from pipeline.bronze.log_record import on_executors
from pipeline.core.fingerprint import first_line_hash
from pipeline.kafka.layout.envelope import built_in_envelopes
from pipeline.kafka.reading.sniff import HEAD_BYTES
from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.local_writing import LocalWriter
from pipeline.store.tables.task_rows import TaskRows
from pipeline.store.tables.writers import FirstWriter, SparkWriter
from schemas.bronze.log_record import SPEC

RANGE_BYTES = 32 << 20
HEAD = r"^\[(.{23})\] ([A-Z]+) (.*) \(([\w.$]+)\)$"
BY_HAND = {
    "logged_at": (HEAD, 1),
    "level": (HEAD, 2),
    "logger": (HEAD, 4),
    "controller": (r"Controller (?:id=)?(\d+)", 1),
    "epoch": (r"epoch[= ](\d+)", 1),
    "replica": (r"replica (\d+)", 1),
    "topic": (r"partition \[?([\w.-]+)[-,]\d+", 1),
    "partition": (r"partition \[?[\w.-]+[-,](\d+)", 1),
    "from_state": (r"from (\w+) to \w+", 1),
    "to_state": (r"from \w+ to (\w+)", 1),
}

Contender = Callable[[], object]


def text_count(spark: SparkSession, file: Path) -> int:
    """The floor: Spark counts lines."""
    return spark.read.text(str(file)).count()


def by_hand(spark: SparkSession, file: Path, out: Path) -> None:
    """What a good Spark engineer writes: regexp_extract per field, into Parquet."""
    lines = spark.read.text(str(file))
    columns = (F.regexp_extract("value", *where).alias(name) for name, where in BY_HAND.items())
    lines.select(*columns).write.mode("overwrite").parquet(str(out / "by_hand"))


def product(spark: SparkSession, file: Path, out: Path) -> None:
    """Every record understood and typed, raw bytes kept, into the Delta table with its constraints."""
    shutil.rmtree(out / "product", ignore_errors=True)
    folder = out / "product"
    writer = FirstWriter(LocalWriter(folder, 30, 9), SparkWriter(DeltaFolder(spark, str(folder))))
    writer.create(SPEC, "bench")
    size = file.stat().st_size
    with file.open("rb") as stream:
        name = first_line_hash(
            stream.read(HEAD_BYTES), built_in_envelopes()["stock"].start_pattern, HEAD_BYTES
        )
    rows = [
        {
            "cluster_id": "bench", "node_id": 1, "log": "mixed", "file_id": "bench", "load_seq": 1,
            "zone": "UTC", "envelope": "stock", "start": start, "end": min(start + RANGE_BYTES, size),
            "limit": size, "owns_preamble": start == 0, "path": str(file), "codec": "plain",
            "first_record_hash": name, "max_record_bytes": 16 << 20,
        }
        for start in range(0, size, RANGE_BYTES)
    ]  # fmt: skip
    sizes = [row["end"] - row["start"] for row in rows]  # type: ignore[operator]
    ranges = bin_by_size(spark, rows, sizes, on_executors.RANGE)
    writer.append(SPEC, TaskRows(ranges, on_executors.read_ranges), "bench")


def duckdb_envelope(file: Path, out: Path) -> None:
    """DuckDB, envelope only."""
    import duckdb  # noqa: PLC0415  (optional)

    source = (
        f"read_csv('{file}', columns={{'line': 'VARCHAR'}}, delim='\x01', quote='', escape='', header=false, "
        "auto_detect=false, max_line_size=33554432, strict_mode=false)"
    )
    parts = "['logged_at', 'level', 'message', 'logger']"
    with duckdb.connect() as database:
        database.execute("SET threads = 2")
        database.execute(
            f"COPY (SELECT UNNEST(regexp_extract(line, '{HEAD}', {parts})) FROM {source}) "
            f"TO '{out / 'duckdb.parquet'}' (FORMAT parquet)"
        )


def polars_envelope(file: Path, out: Path) -> None:
    """Polars, envelope only."""
    import polars as pl  # noqa: PLC0415  (optional)

    pattern = r"^\[(?P<logged_at>.{23})\] (?P<level>[A-Z]+) (?P<message>.*) \((?P<logger>[\w.$]+)\)$"
    lines = pl.scan_csv(
        file,
        has_header=False,
        new_columns=["line"],
        separator="\x01",
        quote_char=None,
        schema={"line": pl.String},
    )
    lines.select(pl.col("line").str.extract_groups(pattern).alias("one")).unnest("one").sink_parquet(
        out / "polars.parquet"
    )
