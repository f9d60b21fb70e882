"""Files that tasks write hold what delta-rs would have written, and Delta's log says the same of them."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

from pipeline.core.errors import EnvironmentProblem
from pipeline.store.failures import explain_failure
from pipeline.store.files.hadoop_sums import is_as_summed
from pipeline.store.tables import data_files
from pipeline.store.tables.data_files import WrittenFile, write_data_files
from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.direct_reading import read_directly
from pipeline.store.tables.local_commit import add_files
from pipeline.store.tables.local_writing import LocalWriter
from pipeline.store.tables.task_rows import TaskRows
from pipeline.store.tables.writers import FirstWriter, SparkWriter
from schemas.spec import EVIDENCE, Check, TableSpec, nullable_field, required_field
from schemas.types import LOCAL_TIMESTAMP, LONG, STRING, TIMESTAMP, map_of
from tests.small_disk import small_disk, used

SPEC = TableSpec(
    name="silver.thing",
    grain="One thing.",
    key=("load_seq",),
    fields=(
        required_field("load_seq", LONG, "Its number."),
        nullable_field("file_id", STRING, "Its file."),
        nullable_field("logged_at", TIMESTAMP, "When."),
        nullable_field("logged_local", LOCAL_TIMESTAMP, "As it is printed."),
        nullable_field("fields", map_of(STRING, STRING), "What else it says."),
        EVIDENCE,
    ),
    checks=(Check("number_is_positive", "load_seq > 0"),),
)
LOOSE = pa.schema([one.with_nullable(True) for one in SPEC.arrow])
NOON = datetime(2026, 11, 21, 12, 0, 0, 1500, tzinfo=UTC)
OLD = NOON - timedelta(days=1)


def thing(number: int, at: datetime | None) -> dict[str, Any]:
    return {
        "load_seq": number,
        "file_id": f"ü{number}" if number % 3 else None,
        "logged_at": at,
        "logged_local": at and at.replace(tzinfo=None),
        "fields": [("name", "\N{SNOWMAN}")] if number % 2 else None,
        "evidence": [{"file_id": "a", "byte_offset": one} for one in range(number % 3)],
    }


THINGS = [thing(1, OLD), thing(2, NOON), thing(3, None), thing(4, NOON + timedelta(microseconds=1))]


def batches_of(*rows: dict[str, Any]) -> list[pa.RecordBatch]:
    return [pa.RecordBatch.from_pylist([one], schema=LOOSE) for one in rows]


def written(folder: Path, *rows: dict[str, Any]) -> list[WrittenFile]:
    found = pa.Table.from_batches(write_data_files(batches_of(*rows), SPEC, folder, 9))
    return [WrittenFile(**one) for one in found.to_pylist()]


def test_delta_rs_says_the_same_of_the_same_rows(tmp_path: Path) -> None:
    writer = LocalWriter(tmp_path / "c", 30, 9)
    writer.create(SPEC, "run 0")
    writer.append(SPEC, pa.Table.from_batches(batches_of(*THINGS)), "run 1")
    log = (writer.of(SPEC) / "_delta_log" / f"{1:020d}.json").read_text().splitlines()
    added = next(said["add"] for said in map(json.loads, log) if "add" in said)
    [own] = written(tmp_path, *THINGS)
    told, its = json.loads(own.statistics), json.loads(added["stats"])
    assert told == {name: its[name] for name in told}
    own_file, its_file = (
        pq.ParquetFile(path) for path in (tmp_path / own.path, writer.of(SPEC) / added["path"])
    )
    assert own_file.read().sort_by("load_seq").to_pylist() == its_file.read().sort_by("load_seq").to_pylist()
    assert columns_of(own_file) == columns_of(its_file)
    assert own.size == (tmp_path / own.path).stat().st_size
    assert is_as_summed(tmp_path / own.path)


def columns_of(file: pq.ParquetFile) -> list[str]:
    """What the file says of its columns, without whether a value within a column may be null, which delta-rs does not
    say; the first lines are where the object is and what it is called."""
    return str(file.schema).replace("required", "optional").splitlines()[2:]


def test_columns_without_use_have_neither_dictionary_nor_bounds(tmp_path: Path) -> None:
    [own] = written(tmp_path, *THINGS)
    group = pq.ParquetFile(tmp_path / own.path).metadata.row_group(0)
    columns = {one.path_in_schema: one for one in map(group.column, range(group.num_columns))}
    bounded = {name for name, one in columns.items() if one.statistics is not None}
    plain = {name for name, one in columns.items() if not one.has_dictionary_page}
    assert bounded == {"load_seq", "file_id", "logged_at"}
    assert plain == {"logged_at", "logged_local", "evidence.list.element.byte_offset"}
    assert {one.compression for one in columns.values()} == {"ZSTD"}


def test_many_rows_are_several_files_and_none_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_files, "ROWS_AT_ONCE", 3)
    files = written(tmp_path, *THINGS)
    assert [pq.read_metadata(tmp_path / one.path).num_rows for one in files] == [3, 1]
    assert list(write_data_files([], SPEC, tmp_path, 9)) == []
    assert list(write_data_files([pa.RecordBatch.from_pylist([], schema=LOOSE)], SPEC, tmp_path, 9)) == []


def test_what_may_not_be_null_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="load_seq"):
        written(tmp_path, THINGS[0], THINGS[1] | {"load_seq": None})


@pytest.mark.parametrize(("size", "found"), [(3, "no such file"), (None, "bytes")])
def test_files_that_the_driver_does_not_see_are_not_committed(
    tmp_path: Path, size: int | None, found: str
) -> None:
    """As where the folder is on a disk of each executor, or the disk that all see has not all of it yet."""
    writer = LocalWriter(tmp_path / "a b", 30, 9)
    writer.create(SPEC, "run 0")
    [own] = written(writer.of(SPEC), *THINGS)
    told = (
        replace(own, size=own.size + 1) if size is None else WrittenFile("gone.parquet", size, own.statistics)
    )
    with pytest.raises(EnvironmentProblem, match=found):
        add_files(writer.of(SPEC), writer.opened(SPEC), [told], "append")
    assert stored_numbers(tmp_path / "a b") == []
    add_files(writer.of(SPEC), writer.opened(SPEC), [own], "append")
    assert stored_numbers(tmp_path / "a b") == [1, 2, 3, 4]


def stored_numbers(folder: Path) -> list[int]:
    return sorted(read_directly(folder, SPEC, None, ["load_seq"])["load_seq"].to_pylist())


def numbered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A thing for each number of the batches."""
    for batch in batches:
        yield from batches_of(*(thing(one, NOON) for one in batch.column(0).to_pylist()))


def torn(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from numbered(batches)
    raise RuntimeError("the task died")


@pytest.mark.spark
def test_tasks_write_what_one_commit_names(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "a b" / "c"
    spark_writer = SparkWriter(DeltaFolder(spark, str(folder)))
    writer = FirstWriter(LocalWriter(folder, 30, 9), spark_writer)
    writer.create(SPEC, "run 0")

    def numbers(first: int, last: int) -> TaskRows:
        return TaskRows(spark.range(first, last + 1, 1, 2), numbered)

    def stored() -> list[int]:
        """As Polars reads them, and as Spark does."""
        rows = stored_numbers(folder)
        assert rows == sorted(one.load_seq for one in spark_writer.delta.read(SPEC).collect())
        return rows

    writer.append(SPEC, pa.Table.from_batches(batches_of(thing(90, OLD))), "run 1")
    writer.append(SPEC, numbers(1, 4), "run 1")
    assert stored() == [1, 2, 3, 4, 90]
    writer.replace_from(SPEC, numbers(5, 6), "logged_at", NOON, "run 2")
    assert stored() == [5, 6, 90]
    head = spark_writer.delta.head(SPEC)
    with pytest.raises(PythonException, match="the task died"):
        writer.append(SPEC, TaskRows(spark.range(7, 9, 1, 1), torn), "run 3")
    assert (spark_writer.delta.head(SPEC), stored()) == (head, [5, 6, 90])
    writer.overwrite(SPEC, numbers(10, 11), "run 4")
    assert stored() == [10, 11]
    assert spark_writer.delta.note(SPEC.name, spark_writer.delta.head(SPEC) or 0) == "run 4"


@pytest.mark.spark
def test_a_disk_that_fills_as_tasks_write_is_told_as_that(spark: SparkSession, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "8m") as disk:
        writer = LocalWriter(disk.folder / "c", 30, 9)
        writer.create(SPEC, "run 0")
        (writer.of(SPEC) / "other").write_bytes(bytes((6 << 20) - used(disk)))
        random = Random(0)  # noqa: S311  (bytes that nothing makes smaller, no secret)
        texts = [thing(one, NOON) | {"file_id": random.randbytes(500).hex()} for one in range(1, 6000)]

        def many(_: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield pa.RecordBatch.from_pylist(texts, schema=LOOSE)

        with pytest.raises(PythonException) as raised:
            writer.append(SPEC, TaskRows(spark.range(0, 1, 1, 1), many), "run 1")
        told = explain_failure(raised.value, str(disk.folder), "c", "nothing is published")
        assert isinstance(told, EnvironmentProblem)
        assert "No space left on device" in told.found
        assert stored_numbers(disk.folder / "c") == []


@pytest.mark.spark
def test_rows_of_tasks_that_delta_rs_refuses_spark_writes(spark: SparkSession, tmp_path: Path) -> None:
    """A table that was made with other columns: Spark says why not."""
    older = TableSpec(SPEC.name, SPEC.grain, SPEC.key, SPEC.fields[:2])
    writer = FirstWriter(LocalWriter(tmp_path, 30, 9), SparkWriter(DeltaFolder(spark, str(tmp_path))))
    writer.create(older, "run 0")
    with pytest.raises(Exception, match="schema"):
        writer.append(SPEC, TaskRows(spark.range(1, 3), numbered), "run 1")
    assert writer.second.delta.head(SPEC) == 0
