"""A table that differs from its declaration: what is told, what is widened, what is refused."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.core.errors import WarehouseFormat
from pipeline.store.health.upkeep import (
    compact_tables,
    declaration_difference,
    files_and_bytes,
    keep_retention,
    remove_old_files,
    table_properties,
    table_sizes,
    tune_upkeep,
    widen_table,
)
from pipeline.store.tables.delta import DeltaFolder, stretches_of
from schemas.spec import Check, Field, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING

pytestmark = pytest.mark.spark
ID, NAME = required_field("id", INTEGER, "Its number."), nullable_field("name", STRING, "Its name.")


def spec(*fields: Field, checks: tuple[Check, ...] = ()) -> TableSpec:
    return TableSpec("bronze.thing", "One thing.", ("id",), fields, checks)


OLD = spec(ID, NAME, checks=(Check("old", "id > 0"),))


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> DeltaFolder:
    made = DeltaFolder(spark, str(tmp_path / "c"))
    made.create(OLD)
    made.append(OLD, spark.createDataFrame([(1, "one")], "id int, name string"), "run")
    return made


@pytest.mark.parametrize(
    ("now", "missing", "sentence"),
    [
        (OLD, (), None),
        (spec(ID, NAME, nullable_field("size", LONG, "x"), checks=OLD.checks), ("size",), None),
        (spec(ID, NAME), (), "delta.constraints.old differs"),
        (spec(ID, required_field("name", STRING, "x"), checks=OLD.checks), (), "name may be null"),
        (spec(required_field("id", LONG, "x"), NAME, checks=OLD.checks), (), "id is int and not bigint"),
        (spec(NAME, checks=OLD.checks), (), "id is no column of it any more"),
        (spec(ID, NAME, required_field("n", LONG, "x"), checks=OLD.checks), (), "n is missing"),
    ],
    ids=["same", "new column", "check gone", "demanded", "type", "column gone", "new demanded"],
)
def test_a_difference_is_told(
    folder: DeltaFolder, now: TableSpec, missing: tuple[str, ...], sentence: str | None
) -> None:
    found = declaration_difference(folder, now)
    assert (found.missing, found.sentence) == (missing, sentence)
    assert found.is_additive == bool(missing)


def test_what_holds_bytes_is_widened_and_keeps_its_rows(folder: DeltaFolder) -> None:
    now = spec(
        nullable_field("id", INTEGER, "x"),
        nullable_field("size", LONG, "It's big."),
        checks=(Check("new", "id < 9"),),
    )
    widen_table(folder, declaration_difference(folder, now))
    assert [row.asDict() for row in folder.read(now).collect()] == [{"id": 1, "name": "one", "size": None}]
    checks = {key for key in table_properties(folder, now) if key.startswith("delta.constraints.")}
    assert checks == {"delta.constraints.new"}
    assert declaration_difference(folder, now).sentence == "name is no column of it any more"


@pytest.mark.parametrize(
    "now", [spec(required_field("id", LONG, "x"), NAME), spec(ID, NAME, required_field("n", LONG, "x"))]
)
def test_what_no_rule_says_how_is_refused(folder: DeltaFolder, now: TableSpec) -> None:
    with pytest.raises(WarehouseFormat, match=r"bronze\.thing"):
        widen_table(folder, declaration_difference(folder, now))


def test_an_emptied_table_keeps_its_older_versions(folder: DeltaFolder) -> None:
    now = spec(required_field("id", LONG, "x"))
    folder.create(now, is_replaced=True)
    assert not declaration_difference(folder, now).is_any
    assert folder.read(now).count() == 0
    assert folder.read(OLD, 1).count() == 1


def test_small_files_become_one(spark: SparkSession, folder: DeltaFolder) -> None:
    folder.append(OLD, spark.createDataFrame([(2, "two")], "id int, name string"), "run")
    assert files_and_bytes(folder, [OLD])[0] == 2
    compact_tables(folder, [OLD])
    assert files_and_bytes(folder, [OLD])[0] == 1
    assert sorted(row.id for row in folder.read(OLD).collect()) == [1, 2]


def test_what_is_removed_is_told_by_bytes_on_disk(spark: SparkSession, tmp_path: Path) -> None:
    tune_upkeep(spark)
    made = DeltaFolder(spark, str(tmp_path / "c"), retention_days=0)
    made.create(OLD)
    for number in (1, 2):
        made.append(OLD, spark.createDataFrame([(number, "x")], "id int, name string"), "run")
    compact_tables(made, [OLD])
    before = table_sizes(made, [OLD])[OLD.name]
    remove_old_files(made, [OLD])
    assert len([*(tmp_path / "c").rglob("part-*.parquet")]) == 1
    after = table_sizes(made, [OLD])[OLD.name]
    assert before[:2] == after[:2] and before.disk_bytes > after.disk_bytes


def test_another_retention_reaches_tables_that_are_there(spark: SparkSession, folder: DeltaFolder) -> None:
    head = folder.head(OLD)
    keep_retention(folder, [OLD])
    assert folder.head(OLD) == head
    keep_retention(DeltaFolder(spark, folder.folder, 400), [OLD])
    assert table_properties(folder, OLD)["delta.deletedFileRetentionDuration"] == "interval 400 days"


def test_numbers_without_a_gap_are_one_stretch() -> None:
    assert list(stretches_of([5, 1, 2, 2, 3, 9])) == [(1, 3), (5, 5), (9, 9)]
    assert list(stretches_of([])) == []
