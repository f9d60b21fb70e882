"""Tables read in parts of their files: every row that meets the condition, once, and no file that can have none."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable, Field
from deltalake.schema import PrimitiveType

from pipeline.core.conditions import Condition, IsNull, Not, column_before, column_equals, column_since, is_in
from pipeline.core.errors import WarehouseDamaged
from pipeline.core.frames import empty_frame, frame_of
from pipeline.store.tables.direct_reading import read_directly
from pipeline.store.tables.file_parts import (
    ROWS_OF_A_PART,
    FilePart,
    parts_of_file,
    parts_of_table,
    rows_of_part,
)
from pipeline.store.tables.local_writing import LocalWriter
from pipeline.store.tables.part_tasks import shared_out
from pipeline.store.tables.record_parts import with_bytes_of_torn, without_copies
from schemas.bronze import duplicate_record, log_record
from schemas.spec import TableSpec, nullable_field, required_field
from schemas.types import LONG, STRING, TIMESTAMP

OLD = TableSpec(
    name="silver.thing",
    grain="One thing.",
    key=("load_seq",),
    fields=(
        required_field("load_seq", LONG, "Its number."),
        nullable_field("logged_at", TIMESTAMP, "When."),
    ),
)
SPEC = TableSpec(
    name=OLD.name,
    grain=OLD.grain,
    key=OLD.key,
    fields=(*OLD.fields, nullable_field("name", STRING, "Its name.")),
)
BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
FILES, ROWS = 12, 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of FILES files of some microseconds each; the first knows no names."""
    writer, chance = LocalWriter(tmp_path_factory.mktemp("w") / "c", 30, 9), Random(1)  # noqa: S311 - any rows
    writer.create(OLD, "run 0")
    for number in range(FILES):
        spec = OLD if not number else SPEC
        rows = [
            (number * 3 + chance.randrange(4), some_time(chance, number), "a b"[chance.randrange(3)])
            for _ in range(ROWS)
        ]
        given = [dict(zip(SPEC.columns, one, strict=True)) for one in rows]
        schema = pa.schema([one.with_nullable(True) for one in spec.arrow])
        if number == 1:
            table = DeltaTable(f"{writer.folder}/{SPEC.layer}/{SPEC.table}")
            table.alter.add_columns([Field("name", PrimitiveType("string"))])
        writer.append(spec, pa.Table.from_pylist(given, schema=schema), f"run {number}")
    return writer.folder


def some_time(chance: Random, number: int) -> datetime | None:
    at = BEGIN + timedelta(hours=number, microseconds=chance.randrange(3_000))
    return None if chance.random() < 0.1 else at


def some_condition(chance: Random, depth: int = 2) -> Condition:
    number, at = chance.randrange(3 * FILES), some_time(chance, chance.randrange(FILES)) or BEGIN
    if depth and chance.random() < 0.6:
        one, other = some_condition(chance, depth - 1), some_condition(chance, depth - 1)
        return chance.choice([one & other, one | other, Not(one)])
    return chance.choice(
        [
            column_since("load_seq", number),
            column_before("load_seq", number),
            column_equals("load_seq", number),
            is_in("load_seq", [number, number + 7]),
            is_in("load_seq", []),
            column_since("logged_at", at),
            column_before("logged_at", at),
            column_equals("name", "a"),
            IsNull("logged_at"),
        ]
    )


@pytest.mark.parametrize("seed", range(40))
def test_parts_give_each_row_that_is_asked_for_once(folder: Path, seed: int) -> None:
    condition = some_condition(Random(seed)) if seed else None  # noqa: S311
    parts = parts_of_table(folder, SPEC, condition) or []
    rows = [rows_of_part(one, SPEC, condition, SPEC.columns) for one in parts]
    found = pl.concat([empty_frame(SPEC), *rows])
    expected = frame_of(read_directly(folder, SPEC, condition, None))
    assert found.sort(pl.all()).equals(expected.sort(pl.all()))


def test_files_that_cannot_have_a_row_are_no_part(folder: Path) -> None:
    asked = column_since("logged_at", BEGIN + timedelta(hours=FILES - 2)) & is_in(
        "load_seq", range(3 * FILES)
    )
    assert len(parts_of_table(folder, SPEC, asked) or []) == 2
    assert len(parts_of_table(folder, SPEC, column_before("load_seq", 1)) or []) == 1
    assert not parts_of_table(folder, SPEC, is_in("load_seq", []))


def test_a_large_file_is_several_parts(tmp_path: Path) -> None:
    rows = pl.DataFrame({"load_seq": range(10)}).cast({"load_seq": pl.Int64})
    path = tmp_path / "one.parquet"
    rows.write_parquet(path)
    parts = parts_of_file("f", 2 * ROWS_OF_A_PART + 1)
    assert [(one.first, one.count) for one in parts] == [
        (number * ROWS_OF_A_PART, ROWS_OF_A_PART) for number in range(3)
    ]
    assert parts_of_file("f", ROWS_OF_A_PART) == parts_of_file("f", None) == [FilePart("f")]
    odd = Not(is_in("load_seq", [2, 4, 6, 8]))
    found = [rows_of_part(FilePart(str(path), first, 4), SPEC, odd, ["load_seq"]) for first in (0, 4, 8)]
    assert [one["load_seq"].to_list() for one in found] == [[0, 1, 3], [5, 7], [9]]
    shares = shared_out([*parts, FilePart("g")], 2)
    assert sorted(map(len, shares)) == [2, 2]


def test_a_file_of_other_bytes_is_damage(folder: Path, tmp_path: Path) -> None:
    cluster = tmp_path / "c"
    shutil.copytree(folder, cluster)
    (part, *_) = parts_of_table(cluster, SPEC, None) or []
    path = Path(part.path)
    whole = path.read_bytes()
    path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
    with pytest.raises(OSError, match="other bytes than were written"):
        rows_of_part(part, SPEC, None, SPEC.columns)
    path.with_name(f".{path.name}.crc").unlink()
    path.write_bytes(whole[:-9])
    with pytest.raises(OSError, match="Parquet error"):
        rows_of_part(part, SPEC, None, SPEC.columns)
    with pytest.raises(WarehouseDamaged, match="Unexpected end"):
        parts_of_table(cluster, SPEC, None)


def test_records_that_another_file_brought_before_are_left_out(tmp_path: Path) -> None:
    lines = [(1, "f", 0), (1, "f", 7), (2, "f", 7), (2, "g", 0)]
    copies = [(1, "f", 7), (3, "g", 0)]
    columns = ("load_seq", "file_id", "byte_offset")
    records, copied = (pl.DataFrame(one, schema=list(columns), orient="row") for one in (lines, copies))
    with_all_columns(duplicate_record.SPEC, copied).write_parquet(tmp_path / "copies.parquet")
    found = without_copies(records, [FilePart(str(tmp_path / "copies.parquet"))])
    # A line is one of a file, whatever load brought it: that of another load than the copy's stays.
    assert found.rows() == [(1, "f", 0), (2, "g", 0)]
    assert without_copies(records, []).equals(records)


def test_bytes_stay_where_nothing_else_tells_what_a_record_says() -> None:
    said = {
        "not_understood_reason": [None, "cut", "no_template"],
        "raw": [b"a", b"b", b"c"],
        "byte_offset": [1, 2, 3],
    }
    found = with_bytes_of_torn(with_all_columns(log_record.SPEC, pl.DataFrame(said)))
    kept = dict(found.select("byte_offset", "raw").rows())
    assert kept == {1: None, 2: b"b", 3: None}


def with_all_columns(spec: TableSpec, rows: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([empty_frame(spec), rows], how="diagonal_relaxed")
