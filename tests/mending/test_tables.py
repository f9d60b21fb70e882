"""A damaged Delta table is readable again, with the rows of its whole files and no other."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from pipeline.store.files.local_files import LocalFiles
from pipeline.store.health.mending import give_up_files, roll_back, rows_left
from pipeline.store.tables.commit_files import newest_committed_version
from pipeline.store.tables.contents import data_files
from schemas.bronze import log_record
from tests.golden import CLUSTER, unpacked
from tests.store.damaging import ACTS

NAME = log_record.SPEC.name
VERSION = 2  # of the table in the golden warehouse
LEFT_OUT = "column left out of the log"
OF_FILES = ("data file removed", "data file truncated", "one byte flipped")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("whole")) / CLUSTER / NAME.replace(".", "/")


def offsets(rows: pl.DataFrame) -> list[tuple[str, int]]:
    return sorted(zip(rows["file_id"], rows["byte_offset"], strict=True))


def stored(table: Path) -> list[tuple[str, int]]:
    named = data_files(str(table), newest_committed_version(LocalFiles(), str(table)) or 0)
    return sorted(row for one in named for row in offsets(pl.read_parquet(table / one.path)))


@pytest.mark.parametrize("act", sorted(ACTS.keys() - {"table removed", LEFT_OUT}))
def test_rows_that_are_left_are_kept_or_found_again(act: str, whole: Path, tmp_path: Path) -> None:
    table = Path(shutil.copytree(whole, tmp_path / "table"))
    rows = stored(table)
    assert ACTS[act](table, VERSION)
    assert roll_back(table, VERSION, is_log_whole=act in OF_FILES) == VERSION - (act not in OF_FILES)
    bad = give_up_files(table, tmp_path / "aside", "r")
    assert len(bad) == (act in OF_FILES)
    kept, left = stored(table), offsets(rows_left(table, log_record.SPEC))
    assert kept
    assert set(kept) < set(rows)
    is_gone = act in OF_FILES or act == "table one run older"
    assert sorted({*kept, *left}) == (sorted(kept) if is_gone else rows)
    assert all((tmp_path / "aside" / path).is_file() for path in bad) == (act != "data file removed")


def test_a_table_whose_log_has_lost_a_column_is_no_version_of_it(whole: Path, tmp_path: Path) -> None:
    """Nor is one before its first rows: what would be written into it had no such column. Its rows are there."""
    table = Path(shutil.copytree(whole, tmp_path / "table"))
    rows = stored(table)
    assert ACTS[LEFT_OUT](table, VERSION)
    assert roll_back(table, VERSION, is_log_whole=False) is None
    assert set(offsets(rows_left(table, log_record.SPEC))) == set(rows)


def test_a_table_without_any_readable_version_is_left_alone(whole: Path, tmp_path: Path) -> None:
    table = Path(shutil.copytree(whole, tmp_path / "table"))
    for path in (table / "_delta_log").glob("*.json"):
        path.write_bytes(b"")
    assert roll_back(table, VERSION, is_log_whole=False) is None
    assert newest_committed_version(LocalFiles(), str(table)) == VERSION
