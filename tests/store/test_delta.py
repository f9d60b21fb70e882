"""Delta tables made from declarations: what they refuse, and what a version holds."""

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlparse

import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipeline.catalog.tables import SPECS, TABLES
from pipeline.store.spark.session import SMALL_BYTES, tune_for_size, tune_storage
from pipeline.store.spark.spark_configuration import SKIPPED_BY
from pipeline.store.tables.delta import MOST_STRETCHES, DeltaFolder, is_among
from schemas.spark import struct_of
from schemas.spec import Check, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP
from tests.tuning import tuning_kept

pytestmark = pytest.mark.spark
SPEC = TableSpec(
    name="silver.thing",
    grain="It's one thing; a quote and a \\ in it.",
    key=("id",),
    fields=(required_field("id", INTEGER, "Its number."), nullable_field("name", STRING, "Its name.")),
    checks=(Check("id_is_positive", "id > 0"),),
)


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> DeltaFolder:
    made = DeltaFolder(spark, str(tmp_path / "c"))
    made.create(SPEC)
    return made


def test_what_a_declaration_forbids_is_not_written(spark: SparkSession, folder: DeltaFolder) -> None:
    for rows, words in (([(0, "x")], "id_is_positive"), ([(None, "x")], "NOT NULL|NOT_NULL|null")):
        with pytest.raises((Py4JJavaError, PySparkException), match=words):
            folder.append(SPEC, spark.createDataFrame(rows, "id int, name string"), "run")
    assert folder.head(SPEC) == 0


def test_versions_are_kept_and_restored(spark: SparkSession, folder: DeltaFolder) -> None:
    one = spark.createDataFrame([(1, "one")], "id long, name string")
    folder.append(SPEC, one, "run 1")
    folder.overwrite(SPEC, one.replace("one", "two"), "run 2")
    assert folder.head(SPEC) == 2
    assert [row.name for row in folder.read(SPEC, 1).collect()] == ["one"]
    folder.restore(SPEC, 1)
    assert [row.name for row in folder.read(SPEC).collect()] == ["one"]
    assert folder.head(SPEC) == 3


def test_a_folder_with_quotes_in_its_name_is_a_folder(spark: SparkSession, tmp_path: Path) -> None:
    folder = DeltaFolder(spark, str(tmp_path / "a`b'; DROP TABLE x; --\u202e$(id)"))
    folder.create(SPEC)
    folder.append(SPEC, spark.createDataFrame([(1, "'; DROP"), (2, "`x`")], "id int, name string"), "'note`")
    folder.restore(SPEC, 0)
    assert folder.read(SPEC, 1).count() == 2
    assert folder.read(SPEC).count() == 0


def test_files_of_nights_before_the_cut_are_skipped(spark: SparkSession, tmp_path: Path) -> None:
    """Whatever the session does for little data: what is little now is a history some day."""
    spec = TableSpec("gold.thing", "One thing.", ("id",), (nullable_field("ended_at", TIMESTAMP, "When."),))
    folder = DeltaFolder(spark, str(tmp_path / "c"))
    folder.create(spec)
    with tuning_kept(spark):
        tune_for_size(spark, 0, 0)
        for at in (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC), None):
            folder.append(spec, spark.createDataFrame([(at,)], "ended_at timestamp"), "run")
        tune_for_size(spark, 0, SMALL_BYTES)
        found = folder.read(spec).where("ended_at >= TIMESTAMP '2026-06-01' OR ended_at IS NULL")
        assert found.count() == len(found.inputFiles()) == 2


LINE = TableSpec(
    name="silver.line",
    grain="One line.",
    key=("byte_offset",),
    fields=(
        required_field("byte_offset", LONG, "Where it begins."),
        required_field("logged_at", TIMESTAMP, "When."),
        nullable_field("topic", STRING, "Of what."),
    ),
)


def test_files_tell_bounds_of_what_tables_are_searched_by(spark: SparkSession, tmp_path: Path) -> None:
    """And of nothing else; times are numbers, what hardly repeats has no dictionary."""
    folder = DeltaFolder(spark, str(tmp_path / "c"))
    folder.create(LINE)
    tune_storage(spark, 9)
    rows = (
        spark.range(100)
        .selectExpr("id * 100", "timestamp_millis(id * 1000)", "string(id % 2)")
        .toDF(*LINE.columns)
        .coalesce(1)
    )
    folder.append(LINE, rows, "run")
    (path,) = (Path(urlparse(one).path) for one in folder.read(LINE).inputFiles())
    footer = pq.read_metadata(path)
    columns = {one.path_in_schema: one for one in map(footer.row_group(0).column, range(footer.num_columns))}
    assert {name for name, one in columns.items() if one.is_stats_set} == {"byte_offset", "logged_at"}
    assert {name for name, one in columns.items() if one.has_dictionary_page} == {"topic"}
    assert columns["logged_at"].physical_type == "INT64"
    assert columns["logged_at"].statistics.max == datetime(1970, 1, 1, 0, 1, 39, tzinfo=UTC)


def test_each_column_of_a_cut_has_statistics() -> None:
    assert {one.incremental.ordered_by for one in TABLES if one.incremental.ordered_by} <= set(SKIPPED_BY)


@pytest.mark.parametrize("spec", [one for one in SPECS if one.checks], ids=lambda one: one.name)
def test_no_condition_is_null(spark: SparkSession, spec: TableSpec) -> None:
    """Delta takes null for a violation: a condition says itself what holds where a column is null."""
    values = {"string": "'x'", "timestamp": "timestamp'2026-11-21'", "boolean": "true"}
    columns = [
        f"CAST({'NULL' if one.nullable else values.get(kind, '1')} AS {kind}) AS {one.name}"
        for one in struct_of(spec).fields
        if (kind := one.dataType.simpleString()) and "<" not in kind
    ] + [
        f"CAST(NULL AS {kind}) AS {one.name}"
        for one in struct_of(spec).fields
        if "<" in (kind := one.dataType.simpleString())
    ]
    row = spark.sql(f"SELECT {', '.join(columns)}")
    held = row.selectExpr(*(f"({one.condition}) AS {one.name}" for one in spec.checks)).first()
    assert held is not None
    assert [one.name for one in spec.checks if held[one.name] is None] == []


LAST = 4 * MOST_STRETCHES


@pytest.mark.spark
@pytest.mark.parametrize(
    "load_seqs",
    [
        pytest.param([], id="none"),
        pytest.param([5, 3, 4, 9], id="two stretches, in no order"),
        pytest.param(list(range(1, LAST, 2)), id="more stretches than a condition has"),
    ],
)
def test_rows_of_these_segments_and_no_others(spark: SparkSession, load_seqs: list[int]) -> None:
    rows = spark.range(LAST).withColumnRenamed("id", "load_seq").where(is_among(load_seqs))
    assert sorted(row["load_seq"] for row in rows.collect()) == sorted(load_seqs)
