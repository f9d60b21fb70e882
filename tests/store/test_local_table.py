"""Warehouses whose path is more than letters of a URI: every one is read, or refused in a sentence."""

from pathlib import Path

import polars as pl
import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession

from pipeline.core.errors import SettingsError
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.direct_reading import scan_version
from schemas.spec import TableSpec, required_field
from schemas.types import INTEGER

THING = TableSpec("bronze.thing", "One thing.", ("id",), (required_field("id", INTEGER, "Its number."),), ())
NAMES = ("plain", "my logs", "Übersicht", "a+b", "a#b", "100%", "a{b}", "what?", "日志")


@pytest.mark.parametrize("name", NAMES)
def test_what_stands_in_a_path_does_not_matter(tmp_path: Path, name: str) -> None:
    uri = LocalFiles().qualified(str(tmp_path / name))
    for numbers in ([1, 2], [3]):
        rows = pl.DataFrame({"id": pl.Series(numbers, dtype=pl.Int32)})
        write_deltalake(uri, rows.to_arrow(), mode="append")
    assert sorted(scan_version(uri, None, THING).collect()["id"]) == [1, 2, 3]
    assert scan_version(uri, None, THING).filter(pl.col("id") > 2).collect()["id"].to_list() == [3]
    assert sorted(scan_version(uri, 0, THING).collect()["id"]) == [1, 2]


@pytest.mark.parametrize("name", ["[prod]", "a^b", "a|b", "a%20b"])
def test_a_path_that_delta_rs_does_not_open_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="name another folder"):
        LocalFiles().qualified(f"/data/{name}/warehouse")


@pytest.mark.spark
def test_rows_that_spark_marked_as_deleted_stay_so(spark: SparkSession, tmp_path: Path) -> None:
    """Where the site lets Delta mark rows instead of writing files anew."""
    delta = DeltaFolder(spark, str(tmp_path / "my logs ü"))
    delta.create(THING)
    spark.sql(f"ALTER TABLE {delta.named(THING)} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    delta.append(THING, spark.range(1, 9, 1, 1), "run")
    delta.delete(THING, "id = 3")
    assert list((tmp_path / "my logs ü").rglob("deletion_vector_*.bin"))
    assert 3 not in scan_version(delta.uri(THING), None, THING).collect()["id"].to_list()
    assert scan_version(delta.uri(THING), None, THING).collect().height == 7
