"""Tables that delta-rs makes and writes in a local warehouse: declared, refused and left as Spark does it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from pipeline.catalog.tables import TABLES
from pipeline.core.errors import NeedsSpark
from pipeline.store.files.hadoop_sums import is_as_summed
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.tables.commit_files import writers_of
from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.direct_reading import read_directly
from pipeline.store.tables.local_commit import CHECKPOINT_EACH
from pipeline.store.tables.local_writing import REWRITTEN_BYTES, LocalWriter
from schemas.ops import run
from schemas.spark import struct_of
from schemas.spec import Check, TableSpec, nullable_field, required_field
from schemas.types import LONG, STRING, TIMESTAMP
from tests.store.damaging import removed_commit

SPEC = TableSpec(
    name="silver.thing",
    grain="It's one thing; a quote and a \\ in it.",
    key=("load_seq",),
    fields=(
        required_field("load_seq", LONG, "Its number."),
        nullable_field("name", STRING, "Its name: ü."),
        nullable_field("logged_at", TIMESTAMP, "When."),
    ),
    checks=(Check("number_is_positive", "load_seq > 0"),),
)
NOON = datetime(2026, 11, 21, 12, 0, 0, 1500, tzinfo=UTC)
OLD = datetime(2026, 11, 20, tzinfo=UTC)


def rows_of(*rows: tuple[int | None, str | None, datetime | None]) -> pa.Table:
    return pa.Table.from_pylist(
        [dict(zip(SPEC.columns, one, strict=True)) for one in rows],
        schema=pa.schema([one.with_nullable(True) for one in SPEC.arrow]),
    )


@pytest.fixture
def writer(tmp_path: Path) -> LocalWriter:
    made = LocalWriter(tmp_path / "c", 30, 9)
    made.create(SPEC, "run 0")
    return made


def stored(folder: Path) -> list[tuple[Any, ...]]:
    rows = read_directly(folder, SPEC, None, None).to_pylist()
    return sorted((tuple(row.values()) for row in rows), key=str)


def actions(folder: Path, spec: TableSpec, version: int) -> dict[str, Any]:
    text = (folder / spec.layer / spec.table / "_delta_log" / f"{version:020d}.json").read_text()
    return {kind: said for line in text.splitlines() for kind, said in json.loads(line).items()}


def test_rows_are_added_replaced_and_taken_out(writer: LocalWriter) -> None:
    writer.append(SPEC, rows_of((1, "a", OLD), (2, "b", NOON)), "run 1")
    writer.append(SPEC, rows_of((3, None, None)), "run 1")
    assert stored(writer.folder) == [(1, "a", OLD), (2, "b", NOON), (3, None, None)]
    writer.replace_from(SPEC, rows_of((4, "d", NOON)), "logged_at", NOON, "run 2")
    assert stored(writer.folder) == [(1, "a", OLD), (4, "d", NOON)]
    writer.delete_segments(SPEC, [4, 5], "run 3")
    assert stored(writer.folder) == [(1, "a", OLD)]
    writer.overwrite(SPEC, rows_of((6, "f", None)), "run 4")
    assert stored(writer.folder) == [(6, "f", None)]
    writer.overwrite(SPEC, rows_of(), "run 5")
    assert stored(writer.folder) == []
    notes = [actions(writer.folder, SPEC, number)["commitInfo"]["userMetadata"] for number in range(7)]
    assert notes == ["run 0", "run 1", "run 1", "run 2", "run 3", "run 4", "run 5"]


def test_what_is_older_is_not_written_again_each_night(writer: LocalWriter) -> None:
    random = Random(0)  # noqa: S311  (bytes that nothing makes smaller, no secret)
    old = [(number, random.randbytes(20).hex(), OLD) for number in range(1, 20_000)]
    writer.append(SPEC, rows_of(*old, (20_000, "b", NOON)), "run 1")
    for night in range(1, 4):
        begin = NOON + timedelta(days=night - 1)
        rows = ((20_000 + night, "c", begin), (30_000 + night, "d", begin + timedelta(days=1)))
        writer.replace_from(SPEC, rows_of(*rows), "logged_at", begin, f"run {night + 1}")
    assert [row for row in stored(writer.folder) if row[0] >= 20_000] == [
        (20_001, "c", NOON),
        (20_002, "c", NOON + timedelta(days=1)),
        (20_003, "c", NOON + timedelta(days=2)),
        (30_003, "d", NOON + timedelta(days=3)),
    ]
    taken = [taken_out(writer.folder, number) for number in range(2, 6)]
    assert taken[0] > REWRITTEN_BYTES and max(taken[1:]) < REWRITTEN_BYTES / 100
    names = [actions(writer.folder, SPEC, number)["commitInfo"]["userMetadata"] for number in range(2, 6)]
    assert names == ["run 2", "run 2", "run 3", "run 4"]


def taken_out(folder: Path, version: int) -> int:
    """Bytes of the data files that a commit took out."""
    log = folder / "silver" / "thing" / "_delta_log"
    lines = map(json.loads, (log / f"{version:020d}.json").read_text().splitlines())
    return sum(one["remove"]["size"] for one in lines if "remove" in one)


def test_what_a_dead_run_wrote_is_taken_back(writer: LocalWriter) -> None:
    """Up to a checkpoint, and with the note of who takes it back."""
    writer.append(SPEC, rows_of((1, "a", OLD), (2, "b", NOON)), "run 1")
    writer.delete_segments(SPEC, [1], "run 2")
    for number in range(3, CHECKPOINT_EACH):
        writer.overwrite(SPEC, rows_of((number, "x", NOON)), "run 2")
    writer.restore(SPEC, 1, "run 3")
    assert stored(writer.folder) == [(1, "a", OLD), (2, "b", NOON)]
    assert actions(writer.folder, SPEC, CHECKPOINT_EACH)["commitInfo"]["userMetadata"] == "run 3"
    log = writer.folder / "silver" / "thing" / "_delta_log"
    assert {is_as_summed(one) for one in (*log.glob("*.json"), *log.glob("*.parquet"))} == {True}
    assert len(list(log.glob("*.parquet"))) == 1
    writer.append(SPEC, rows_of((4, "d", NOON)), "run 3")
    assert stored(writer.folder) == [(1, "a", OLD), (2, "b", NOON), (4, "d", NOON)]


def test_a_table_that_nobody_published_is_emptied_where_it_was_made_as_declared_now(
    writer: LocalWriter,
) -> None:
    writer.append(SPEC, rows_of((1, "a", OLD)), "run 1")
    later = replace(SPEC, fields=(*SPEC.fields, nullable_field("more", STRING, "More.")))
    with pytest.raises(NeedsSpark):
        writer.empty(later, "run 2")
    writer.empty(SPEC, "run 2")
    assert stored(writer.folder) == []
    assert actions(writer.folder, SPEC, 2)["commitInfo"]["userMetadata"] == "run 2"
    assert writers_of(LocalFiles(), str(writer.of(SPEC))) == set(), "nobody's rows, of two that died"
    removed_commit(writer.folder / "silver" / "thing", 0)
    with pytest.raises(NeedsSpark):
        writer.empty(SPEC, "run 3")


@pytest.mark.parametrize("row", [(0, "x", None), (None, "x", None)])
def test_what_a_declaration_forbids_is_not_written(
    writer: LocalWriter, row: tuple[int | None, str, None]
) -> None:
    with pytest.raises((NeedsSpark, ValueError)):
        writer.append(SPEC, rows_of((1, "fine", None), row), "run 1")
    assert stored(writer.folder) == []
    assert not list((writer.folder / "silver" / "thing").glob("*.parquet"))


def test_a_table_is_made_once(writer: LocalWriter) -> None:
    with pytest.raises(FileExistsError):
        writer.create(SPEC, "run 1")
    assert actions(writer.folder, SPEC, 0)["commitInfo"]["userMetadata"] == "run 0"


def test_what_is_written_has_sums_and_checkpoints(writer: LocalWriter) -> None:
    for number in range(1, CHECKPOINT_EACH + 1):
        writer.append(SPEC, rows_of((number, "x", NOON)), "run 1")
    table = writer.folder / "silver" / "thing"
    written = [*table.glob("*.parquet"), *(table / "_delta_log").glob("*.json"), *table.glob("*/*.parquet")]
    assert [is_as_summed(one) for one in written] == [True] * (2 * CHECKPOINT_EACH + 2)


@pytest.mark.spark
@pytest.mark.parametrize(
    "spec", [SPEC, *(table.spec for table in TABLES), run.SPEC], ids=lambda spec: spec.name
)
def test_both_make_the_same_table(spark: SparkSession, tmp_path: Path, spec: TableSpec) -> None:
    DeltaFolder(spark, str(tmp_path / "spark"), 30).create(spec)
    LocalWriter(tmp_path / "direct", 30, 9).create(spec, "run 0")
    made = [actions(tmp_path / who, spec, 0) for who in ("spark", "direct")]
    for one in made:
        said = one["metaData"]
        del said["id"], said["createdTime"]
        one["protocol"] = {
            name: sorted(told) if isinstance(told, list) else told for name, told in one["protocol"].items()
        }
    assert [one["metaData"] for one in made] == [made[0]["metaData"]] * 2
    assert [one["protocol"] for one in made] == [made[0]["protocol"]] * 2


@pytest.mark.spark
def test_spark_goes_on_with_what_delta_rs_wrote_and_the_other_way_round(
    spark: SparkSession, writer: LocalWriter
) -> None:
    """The log counts the same rows within the same bounds, whoever wrote them."""
    delta = DeltaFolder(spark, str(writer.folder), 30)
    rows = rows_of((1, "a", OLD), (2, None, NOON), (3, "c", None))
    writer.append(SPEC, rows, "run 1")
    delta.append(SPEC, spark.createDataFrame(rows, schema=struct_of(SPEC)).coalesce(1), "run 2")
    told = [json.loads(actions(writer.folder, SPEC, number)["add"]["stats"]) for number in (1, 2)]
    assert told[0]["numRecords"] == told[1]["numRecords"] == 3
    assert told[0]["nullCount"] == told[1]["nullCount"] == {"load_seq": 0, "logged_at": 1}
    assert told[0]["minValues"]["load_seq"] == told[1]["minValues"]["load_seq"] == 1
    writer.replace_from(SPEC, rows_of((9, "z", NOON)), "logged_at", NOON, "run 3")
    delta.delete_segments(SPEC, [9])
    assert stored(writer.folder) == [(1, "a", OLD), (1, "a", OLD)]
    writer.restore(SPEC, 2, "run 4")
    assert len(delta.read(SPEC).collect()) == 2 * rows.num_rows
    delta.restore(SPEC, 4)
    assert sorted(row.load_seq for row in delta.read(SPEC).collect()) == [1, 1]
