"""Records by their places: the line in the whole file, the newest path, and bytes of those alone that are shown."""

from collections.abc import Sequence

import polars as pl
import pyarrow as pa

from pipeline.core.conditions import Condition
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.placed_records import PlacedRecords
from schemas.bronze import log_record, source_file
from schemas.spec import TableSpec
from tests.frames import frame

SEGMENTS = frame(
    source_file.SPEC,
    """
    file_id | load_seq | path | zone          | node_id | start_offset | consumed_bytes
    f       | 1        | old  | UTC           | 1       | 0            | 30
    f       | 3        | new  | Europe/Berlin | 1       | 30           | 50
    g       | 2        | g    | UTC           | 2       | 0            | 10
    """,
)
# The second record of f has two more lines; its third segment begins at 30.
RECORDS = frame(
    log_record.SPEC,
    """
    file_id | load_seq | node_id | byte_offset | byte_length | line_count
    f       | 1        | 1       | 0           | 10          | 1
    f       | 1        | 1       | 10          | 20          | 3
    f       | 3        | 1       | 30          | 10          | 1
    f       | 3        | 1       | 40          | 10          | 1
    g       | 2        | 2       | 0           | 10          | 1
    """,
).with_columns(raw=pl.format("{}@{}", "file_id", "byte_offset").cast(pl.Binary))


class Watched(MemoryTables):
    """Remembers what was read: the columns, and how many rows."""

    def __init__(self) -> None:
        super().__init__()
        self.read_of: list[tuple[tuple[str, ...], int]] = []

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        found = super().read(spec, condition, columns)
        self.read_of.append((tuple(columns or ()), found.num_rows))
        return found


def placed(records: pl.DataFrame = RECORDS) -> tuple[PlacedRecords, Watched]:
    tables = Watched()
    tables.rows = {log_record.SPEC.name: records}
    return PlacedRecords(tables, SEGMENTS), tables


def at(file_id: str, *offsets: int) -> list[dict[str, object]]:
    return [{"file_id": file_id, "byte_offset": one} for one in offsets]


def test_lines_are_counted_in_the_whole_file() -> None:
    one, _ = placed()
    found = one.lines([*at("f", 0, 10, 40), *at("g", 0)], shown=())
    assert {place: (row["path"], row["line"], row["raw"]) for place, row in found.items()} == {
        ("f", 0): ("new", 1, None), ("f", 10): ("new", 2, None), ("f", 40): ("new", 6, None), ("g", 0): ("g", 1, None),
    }  # fmt: skip


def test_bytes_are_read_of_what_is_shown_alone() -> None:
    one, tables = placed()
    found = one.lines(at("f", 0, 10, 30), shown=at("f", 30))
    assert {place: row["raw"] for place, row in found.items()} == {
        ("f", 0): None, ("f", 10): None, ("f", 30): b"f@30",
    }  # fmt: skip
    assert [rows for columns, rows in tables.read_of if "raw" in columns] == [1]


def test_what_stands_behind_the_last_place_is_not_read() -> None:
    one, tables = placed()
    assert one.lines(at("f", 10, 10), shown=())["f", 10]["line"] == 2
    assert [rows for _, rows in tables.read_of] == [2]


def test_a_record_that_is_kept_no_more() -> None:
    """The lines before it are counted; of a file of which nothing is stored nothing is said."""
    one, tables = placed(RECORDS.filter(pl.col("byte_offset") != 30, pl.col("file_id") == "f"))
    places = [*at("f", 30), *at("g", 0), *at("unknown", 0)]
    assert one.lines(places, places) == {
        ("f", 30): {"file_id": "f", "byte_offset": 30, "line": 5, "raw": None, "path": "new", "near": "new"}
    }
    assert one.records(places) == {}
    tables.read_of.clear()
    assert one.lines([], []) == {} and one.records([]) == {} and not tables.read_of


def test_records_come_with_the_zone_of_their_file() -> None:
    one, _ = placed()
    assert one.records([*at("f", 10), *at("g", 0, 1)]) == {
        ("f", 10): {"file_id": "f", "byte_offset": 10, "node_id": 1, "raw": b"f@10", "path": "new", "zone": "Europe/Berlin"},
        ("g", 0): {"file_id": "g", "byte_offset": 0, "node_id": 2, "raw": b"g@0", "path": "g", "zone": "UTC"},
    }  # fmt: skip


def test_offsets_of_one_file_do_not_find_those_of_another() -> None:
    one, _ = placed()
    assert set(one.records([*at("f", 0), *at("g", 0, 10)])) == {("f", 0), ("g", 0)}
