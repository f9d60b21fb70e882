"""Paths of the warehouse: whatever the user gives, Delta gets one from the root."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.store.filesystem import HadoopFiles, link_new, open_new

pytestmark = pytest.mark.spark


def test_paths_are_qualified(spark: SparkSession) -> None:
    files = HadoopFiles(spark)
    assert files.qualified("warehouse") == str(Path.cwd() / "warehouse")
    assert files.qualified("/a b/w/") == "/a b/w"
    assert files.qualified("file:///x/w") == "/x/w"


def test_a_file_is_created_once_and_replaced_whole(spark: SparkSession, tmp_path: Path) -> None:
    files, uri = HadoopFiles(spark), f"{tmp_path}/new/f"
    assert files.create(uri, "one")
    assert not files.create(uri, "two")
    assert not open_new(tmp_path / "new" / "f", "two")
    assert files.text(uri) == "one"
    files.replace(uri, "three")
    assert files.text(uri) == "three"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["f"]
    assert files.modified_ms(f"{uri}.gone") is None


def test_names_in_a_folder(spark: SparkSession, tmp_path: Path) -> None:
    files, odd = HadoopFiles(spark), {"a, b", f"c, {tmp_path.name}", "d%20e", "[f]", "ä"}
    for name in odd:
        (tmp_path / name).mkdir()
    assert files.names(str(tmp_path)) == files.names(f"file://{tmp_path}/") == sorted(odd)
    assert files.names(f"{tmp_path}/a, b") == files.names(f"{tmp_path}/none") == []


@pytest.mark.parametrize("way", [link_new, open_new])
def test_of_several_that_create_a_file_one_passes(tmp_path: Path, way: Callable[[Path, str], bool]) -> None:
    barrier = threading.Barrier(8)

    def create(text: str) -> bool:
        barrier.wait()
        return way(tmp_path / "f", text)

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(create, "abcdefgh"))
    assert made.count(True) == 1
    assert (tmp_path / "f").read_text() == "abcdefgh"[made.index(True)]
