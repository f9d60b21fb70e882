"""Who writes what the driver holds: delta-rs, and Spark what that refuses before it has begun."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from pipeline.core.errors import NeedsSpark
from pipeline.store.spark.late_session import Spark, absent_session
from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.local_writing import LocalWriter
from pipeline.store.tables.writers import FirstWriter, SparkWriter
from schemas.silver import term
from schemas.spec import TableSpec

OLDER = replace(term.SPEC, fields=term.SPEC.fields[:-1])


def writers(folder: Path, spark: Spark) -> FirstWriter:
    return FirstWriter(LocalWriter(folder, 30, 9), SparkWriter(DeltaFolder(spark, str(folder))))


def columns(writer: FirstWriter, spec: TableSpec) -> list[str]:
    return writer.second.delta.read(spec).columns


def test_what_delta_rs_writes_needs_no_spark(tmp_path: Path) -> None:
    writer = writers(tmp_path, absent_session())
    writer.create(term.SPEC, "a")
    writer.append(term.SPEC, term.SPEC.arrow.empty_table(), "b")
    assert writer.second.delta.note(term.SPEC.name, 1) == "b"


def test_what_it_refuses_needs_spark_where_there_is_none(tmp_path: Path) -> None:
    writer = writers(tmp_path, absent_session())
    writer.create(OLDER, "a")
    with pytest.raises(NeedsSpark):
        writer.empty(term.SPEC, "b")
    assert writer.second.delta.head(term.SPEC) == 0


@pytest.mark.spark
def test_what_it_refuses_spark_does(spark: SparkSession, tmp_path: Path) -> None:
    """A table that was not made as it is declared now."""
    writer = writers(tmp_path, spark)
    writer.create(OLDER, "a")
    writer.empty(term.SPEC, "b")
    assert columns(writer, term.SPEC) == list(term.SPEC.columns)
    assert writer.second.delta.head(term.SPEC) == 1


class Late(LocalWriter):
    """Commits, and says that it cannot."""

    def append(self, spec: TableSpec, rows: pa.Table, note: str) -> None:
        super().append(spec, rows, note)
        raise NeedsSpark from OSError("the disk is gone")


@pytest.mark.spark
def test_what_it_has_begun_is_not_done_twice(spark: SparkSession, tmp_path: Path) -> None:
    writer = FirstWriter(Late(tmp_path, 30, 9), SparkWriter(DeltaFolder(spark, str(tmp_path))))
    writer.create(term.SPEC, "a")
    with pytest.raises(OSError, match="the disk is gone"):
        writer.append(term.SPEC, term.SPEC.arrow.empty_table(), "b")
    assert writer.second.delta.head(term.SPEC) == 1
