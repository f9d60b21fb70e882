"""Copies of the metadata log among the logs of a night: read once, grown, cut, and told of no line's table."""

import gzip
import os
import shutil
from pathlib import Path

import pytest

from pipeline.catalog.tables import BY_NAME
from tests.jobs.small_logs import contents, run
from tests.mending.plain import plain_nightly
from tests.metadata import FOLDER, SHARED
from tests.published import published_tables

SAMPLE = SHARED / "kafka" / "metadata-samples" / "4.4.0-separate"
SEGMENT = f"{0:020}.log"
OF_RECORDS = [name for name in BY_NAME if ".metadata_" in name]
OF_LINES = [
    name
    for name in BY_NAME
    if name not in (*OF_RECORDS, "bronze.source_file", "bronze.file_sighting", "ops.quality_result")
]
REPLAYED = ["silver.metadata_partition", "silver.metadata_broker"]


def put_logs(folder: Path, nodes: tuple[int, ...] = (103,)) -> None:
    if not SAMPLE.is_dir():
        pytest.skip("no sample")
    for node in nodes:
        home = folder / f"node-{node}"
        home.mkdir(parents=True)
        (home / "controller.log").write_bytes(
            gzip.decompress((SAMPLE / f"node-{node}" / "controller.log.gz").read_bytes())
        )
        os.utime(home / "controller.log", (1e9, 1e9))


def put_copy(folder: Path, node: int, size: int | None = None) -> Path:
    home = folder / f"node-{node}"
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    shutil.copy(SAMPLE / f"node-{node}" / "meta.properties", home)
    data = (SAMPLE / f"node-{node}" / FOLDER / SEGMENT).read_bytes()
    path = home / FOLDER / SEGMENT
    path.write_bytes(data[:size])
    return path


def replayed(warehouse: Path) -> dict[str, list[str]]:
    """Which copy a record was read of first is left out."""
    stored = published_tables(warehouse, "c")
    own = ["file_id", "byte_offset"]
    return {
        name: [str(row) for row in stored(name).drop(own).sort("record_offset").rows()] for name in REPLAYED
    }


@pytest.mark.soak
def test_a_log_that_grows_is_read_once_and_changes_no_table_of_lines(tmp_path: Path) -> None:
    """The first night has no copy at all; copies end in the middle of a batch; a third night brings nothing."""
    logs, grown, at_once = (tmp_path / name for name in ("logs", "grown", "at_once"))
    put_logs(logs)
    assert run(logs, grown, plain_nightly) in (0, 1)
    of_lines = contents(grown, OF_LINES)
    put_copy(logs, 103, 12_345)
    put_copy(logs, 1, 20_001)
    assert run(logs, grown, plain_nightly) in (0, 1)
    first = published_tables(grown, "c")("bronze.metadata_record")
    put_copy(logs, 103)
    put_copy(logs, 2)
    assert run(logs, grown, plain_nightly) in (0, 1)
    stored = published_tables(grown, "c")
    records, parts = (stored(f"bronze.metadata_{name}") for name in ("record", "part"))
    assert 0 < len(first) < len(records) == 292
    assert records.select("controller_epoch", "record_offset").is_unique().all()
    assert records.join(first, on=("file_id", "byte_offset"), how="semi").height == len(first)
    assert contents(grown, OF_LINES) == of_lines
    assert [len(stored(name)) for name in REPLAYED] == [230, 19]
    assert run(logs, grown, plain_nightly) in (0, 1)
    assert published_tables(grown, "c")("bronze.metadata_part").equals(parts)
    assert run(logs, at_once, plain_nightly) in (0, 1)
    assert replayed(at_once) == replayed(grown)
