"""A compressed file that breaks off, or has rubbish behind it: its beginning is seen where it proves itself."""

import gzip
from pathlib import Path

import pyarrow as pa

from tests.bronze.looking import STATE, seen


def test_of_a_zstd_that_breaks_off_its_whole_blocks_are_seen(tmp_path: Path) -> None:
    """Zstandard tells a block, 128 KiB, once all of it is there: before that there is nothing to be seen."""
    stored = pa.compress(STATE * 9, "zstd", asbytes=True)
    for end in range(4, len(stored)):
        row = seen(tmp_path, "a.log", stored[:end])
        assert row["problem"] and row["envelope"] is None, end
    assert seen(tmp_path, "a.log", stored)["size"] == len(STATE) * 9
    many = pa.compress(STATE * 9_000, "zstd", asbytes=True)
    row = seen(tmp_path, "a.log", many[:-1])
    assert (row["problem"], row["envelope"]) == (None, "stock")
    assert row["breaks_off"] and 128 << 10 <= row["size"] < len(STATE) * 9_000


def test_of_a_gzip_that_breaks_off_anywhere_the_beginning_is_seen(tmp_path: Path) -> None:
    stored = gzip.compress(STATE * 9)
    for end in range(4, len(stored), 5):
        row = seen(tmp_path, "a.log", stored[:end])
        assert row["problem"] if row["envelope"] is None else row["breaks_off"], end
    for rubbish in (b"rubbish", STATE, b"\x1f\x8bx"):
        row = seen(tmp_path, "a.log", stored + rubbish)
        assert (row["size"], row["problem"]) == (len(STATE) * 9, None)
        assert row["breaks_off"]


def test_half_of_an_archive_has_the_name_that_its_beginning_tells(tmp_path: Path) -> None:
    lines = b"".join(STATE.replace(b":00:", b":%02d:" % second) for second in range(60)) * 500
    for codec in ("gzip", "zstd"):
        stored = pa.compress(lines, codec, asbytes=True)
        whole, half = seen(tmp_path, "a.log", stored), seen(tmp_path, "b.log", stored[: len(stored) // 2])
        assert half["breaks_off"]
        assert half["first_record_hash"] == whole["first_record_hash"]
        assert half["node_ids"] == whole["node_ids"]
