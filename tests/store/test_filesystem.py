"""Files of the warehouse: on this machine and as Hadoop has them, the same is true of both."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.store.files.files import Files
from pipeline.store.files.local_files import LocalFiles, link_new, open_new
from pipeline.store.spark.filesystem import HadoopFiles

pytestmark = pytest.mark.spark


@pytest.fixture(params=["local", "hadoop"])
def files(request: pytest.FixtureRequest) -> Files:
    spark: SparkSession = request.getfixturevalue("spark")
    return LocalFiles() if request.param == "local" else HadoopFiles(spark)


def test_paths_are_qualified(files: Files) -> None:
    """Whatever the user gives, Delta gets one from the root."""
    assert files.qualified("warehouse") == str(Path.cwd() / "warehouse")
    assert files.qualified("./a/../warehouse/") == str(Path.cwd() / "warehouse")
    assert files.qualified("/a b/w/") == "/a b/w"
    assert files.qualified("file:///x/w") == files.qualified("file:/x/w") == "/x/w"


def test_a_file_is_created_once_and_replaced(files: Files, tmp_path: Path) -> None:
    uri = f"{tmp_path}/new/f"
    assert not files.exists(uri) and files.text(uri) is None and files.modified_ms(uri) is None
    assert files.create(uri, "one")
    assert not files.create(uri, "two")
    assert files.exists(uri) and files.text(uri) == "one"
    files.replace(uri, "three")
    assert files.text(uri) == "three"
    assert files.modified_ms(uri) == Path(uri).stat().st_mtime_ns // 1_000_000


def test_on_this_machine_nothing_else_is_left(tmp_path: Path) -> None:
    files, uri = LocalFiles(), f"{tmp_path}/f"
    assert files.create(uri, "one") and not files.create(uri, "two")
    files.replace(uri, "three")
    assert not open_new(tmp_path / "f", "four")
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert files.size_bytes(str(tmp_path)) == len("three")


def test_what_is_deleted_and_renamed(files: Files, tmp_path: Path) -> None:
    folder, uri = f"{tmp_path}/a", f"{tmp_path}/a/f"
    files.replace(uri, "text")
    files.delete(folder, with_content=False)
    assert files.text(uri) == "text"
    files.rename(folder, f"{tmp_path}/b")
    files.rename(folder, f"{tmp_path}/c")
    assert files.names(str(tmp_path)) == ["b"]
    files.delete(f"{tmp_path}/b/f")
    files.delete(f"{tmp_path}/b/f")
    files.delete(f"{tmp_path}/b", with_content=False)
    assert not (tmp_path / "b").exists()
    files.replace(uri, "text")
    files.delete(folder)
    files.delete(folder)
    assert list(tmp_path.iterdir()) == []


def test_hadoops_sum_of_a_file_goes_with_it(spark: SparkSession, tmp_path: Path) -> None:
    HadoopFiles(spark).replace(f"{tmp_path}/f", "text")
    assert (tmp_path / ".f.crc").is_file()
    LocalFiles().delete(f"{tmp_path}/f")
    assert list(tmp_path.iterdir()) == []


def test_names_in_a_folder(files: Files, tmp_path: Path) -> None:
    odd = {"a, b", f"c, {tmp_path.name}", "d%20e", "[f]", "ä"}
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
