"""What is read is what was planned: a path that another file has got meanwhile is not read as it."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pipeline.bronze.log_record.on_executors import read_ranges

LINE = b"[2024-03-01 12:00:00,123] INFO [Controller id=1] Resigned (kafka.controller.KafkaController)\n"
OTHER = LINE.replace(b",123", b",124")


def ranges(path: Path, codec: str, *bounds: tuple[int, int]) -> list[pa.RecordBatch]:
    row: dict[str, Any] = {
        "cluster_id": "c", "node_id": 1, "log": "controller", "file_id": "f", "load_seq": 1, "zone": "UTC",
        "envelope": "stock", "limit": 3 * len(LINE), "path": str(path), "codec": codec,
        "first_record_hash": hashlib.sha256(LINE).hexdigest(), "max_record_bytes": 1 << 20,
    }  # fmt: skip
    rows = [row | {"start": start, "end": end, "owns_preamble": start == 0} for start, end in bounds]
    return [pa.RecordBatch.from_pylist(rows)]


@pytest.mark.parametrize("codec", ["plain", "gzip"])
def test_what_was_planned_is_read_and_no_more(tmp_path: Path, codec: str) -> None:
    path, content = tmp_path / "x", LINE * 5
    path.write_bytes(gzip.compress(content) if codec == "gzip" else content)
    batches = read_ranges(ranges(path, codec, (0, len(LINE)), (len(LINE), 3 * len(LINE))))
    offsets = [offset for batch in batches for offset in batch["byte_offset"].to_pylist()]
    assert offsets == [0, len(LINE), 2 * len(LINE)]


@pytest.mark.parametrize("codec", ["plain", "gzip"])
def test_another_file_at_its_path_is_not_read(tmp_path: Path, codec: str) -> None:
    path, content = tmp_path / "x", OTHER + LINE * 5
    path.write_bytes(gzip.compress(content) if codec == "gzip" else content)
    assert not list(read_ranges(ranges(path, codec, (0, len(LINE)))))
