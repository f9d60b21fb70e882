"""Bytes of records that the other columns give again: not stored, and the same for every reader."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.kafka.reading.rebuilt_bytes import without_rebuilt
from pipeline.store.tables.delta import DeltaFolder, rows_as_written
from schemas.bronze.log_record import SPEC
from tests.lab import records

pytestmark = pytest.mark.spark
SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
PLACE = ["file_id", "byte_offset"]
# What is no such line, or would be told wrongly by a careless reader: it is stored.
ODD = {
    "line end of Windows": b"[2026-03-29 02:30:00,100] INFO [Controller id=1] Resigning (kafka.controller.KafkaController)\r\n",
    "zeros in front": b"[2026-11-21 08:00:00,000] INFO [Controller id=01] Resigning (kafka.controller.KafkaController)\n",
    "stack trace": b"[2026-11-21 08:00:00,010] INFO [Controller id=1] Resigning (kafka.controller.KafkaController)\na.B: c\n",
    "no wording": b"[2026-11-21 08:00:00,100] INFO {topic} of {} \\{broker_id} (kafka.controller.KafkaController)\n",
}
# Both read with the session time zone of Berlin, where no clock showed this time.
PLAIN = {
    "gap": b"[2026-03-29 02:30:00,100] INFO [Controller id=1] Resigning (kafka.controller.KafkaController)\n",
    "zeros behind": b"[2026-03-29 03:00:00,000] DEBUG [Controller id=1] Resigning (kafka.controller.KafkaController)\n",
    "list": b"[2026-03-29 03:00:00,020] TRACE [Controller id=1 epoch=2] Changed partition a-0 state from NewPartition"
    b" to OnlinePartition with assigned replicas 1,2 (state.change.logger)\n",
    "brackets": b"[2026-03-29 03:00:00,020] DEBUG [QuorumController id=3] Node 1 has altered ISR for a-0 to [1, 2]."
    b" (org.apache.kafka.controller.ReplicationControlManager)\n",
}


@pytest.fixture
def other_session(spark: SparkSession) -> Iterator[SparkSession]:
    """As another program reads: another zone, and Spark's rules of before ANSI."""
    kept = {key: spark.conf.get(key) for key in ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")}
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    yield spark
    for key, value in kept.items():
        spark.conf.set(key, str(value))


def stored(spark: SparkSession, folder: Path, read: pa.Table) -> tuple[DeltaFolder, DataFrame]:
    kept = pa.Table.from_batches(map(without_rebuilt, read.to_batches()), read.schema)
    pq.write_table(kept, folder / "kept.parquet", coerce_timestamps="us")
    pq.write_table(read, folder / "read.parquet", coerce_timestamps="us")
    rows = spark.read.parquet(str(folder / "read.parquet"))
    delta = DeltaFolder(spark, str(folder / "c"))
    delta.create(SPEC)
    delta.append(SPEC, spark.read.parquet(str(folder / "kept.parquet")), "run")
    return delta, rows


def test_every_byte_is_read_again(spark: SparkSession, tmp_path: Path, other_session: SparkSession) -> None:
    delta, rows = stored(spark, tmp_path, records(SAMPLE))
    both = rows.select(*PLACE, "raw").join(
        delta.read(SPEC).select(*PLACE, F.col("raw").alias("again")), PLACE
    )
    assert both.count() == rows.count()
    assert both.where("NOT raw <=> again").count() == 0
    kept = other_session.read.format("delta").load(delta.uri(SPEC)).where("raw IS NOT NULL").count()
    assert 0 < kept < rows.count() / 50


def test_a_table_of_before_a_column_is_read(spark: SparkSession, tmp_path: Path) -> None:
    delta, rows = stored(spark, tmp_path, records(SAMPLE / "lab-2.2.2" / "broker-1"))
    older = spark.read.format("delta").load(delta.uri(SPEC)).drop("correlation_id")
    found = rows_as_written(SPEC.name, older)
    assert found.columns == [name for name in SPEC.columns if name != "correlation_id"]
    both = (
        rows.where("correlation_id IS NULL")
        .select(*PLACE, "raw")
        .join(found.select(*PLACE, F.col("raw").alias("again")), PLACE)
    )
    assert both.count() > 100
    assert both.where("NOT raw <=> again").count() == 0


@pytest.mark.parametrize("lines, is_kept", [(ODD, True), (PLAIN, False)])
def test_what_other_columns_do_not_give_is_stored(
    spark: SparkSession,
    tmp_path: Path,
    other_session: SparkSession,
    lines: dict[str, bytes],
    *,
    is_kept: bool,
) -> None:
    for number, line in enumerate(lines.values()):
        path = tmp_path / "logs" / f"broker-{number}" / "controller.log"
        path.parent.mkdir(parents=True)
        path.write_bytes(line)
    delta, _ = stored(spark, tmp_path, records(tmp_path / "logs"))
    assert {bytes(row.raw) for row in delta.read(SPEC).select("raw").collect()} == set(lines.values())
    files = other_session.read.format("delta").load(delta.uri(SPEC))
    assert {row.raw is not None for row in files.select("raw").collect()} == {is_kept}
