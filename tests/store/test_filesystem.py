"""Paths of the warehouse: whatever the user gives, Delta gets one from the root."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.store.filesystem import HadoopFiles

pytestmark = pytest.mark.spark


def test_paths_are_qualified(spark: SparkSession) -> None:
    files = HadoopFiles(spark)
    assert files.qualified("warehouse") == str(Path.cwd() / "warehouse")
    assert files.qualified("/a b/w/") == "/a b/w"
    assert files.qualified("file:///x/w") == "/x/w"


def test_a_file_is_created_once_and_renamed_once(spark: SparkSession, tmp_path: Path) -> None:
    files, uri = HadoopFiles(spark), f"{tmp_path}/f"
    assert files.create(uri, "one")
    assert not files.create(uri, "two")
    assert files.text(uri) == "one"
    assert files.rename(uri, f"{tmp_path}/g")
    assert files.text(uri) is None
    assert files.names(str(tmp_path)) == ["g"]
