"""Delta tables made from declarations: what they refuse, and what a version holds."""

from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, StringType

from pipeline.store.delta import DeltaFolder
from schemas.spec import Check, TableSpec, field, required

pytestmark = pytest.mark.spark
SPEC = TableSpec(
    name="silver.thing",
    grain="It's one thing; a quote and a \\ in it.",
    key=("id",),
    fields=(required("id", IntegerType(), "Its number."), field("name", StringType(), "Its name.")),
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
