"""Records by their places, (file_id, byte_offset): path, line number and bytes."""

from collections.abc import Sequence

import polars as pl
from polars import col

from pipeline.core.conditions import Condition, column_before, is_in
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.stored_tables import ReadableTables
from pipeline.views.reading.log_folder import folder_of, path_below
from pipeline.views.reading.rows import Place, Row, place_of_row
from schemas.bronze import log_record

PLACE = ("file_id", "byte_offset")
STORED = (*PLACE, "node_id", "raw")


class PlacedRecords:
    """Looks up records of one cluster. segments: all rows of bronze.source_file."""

    def __init__(self, tables: ReadableTables, segments: pl.DataFrame) -> None:
        self.tables, self.segments = tables, segments

    def lines(self, places: Sequence[Row], shown: Sequence[Row]) -> dict[Place, Row]:
        """path, near (the same below the folder of all logs), line from 1, raw: null but of those shown, and where the
        bytes are not kept.

        Lines are counted in the whole file. A place is left out if nothing of its file is stored up to it.
        """
        raw = self.stored(frame_of_places(shown)).select(*PLACE, "raw")
        found = self.numbered(frame_of_places(places)).join(raw, on=PLACE, how="left")
        folder = folder_of(self.segments["path"].unique())
        rows = by_place(found.join(self.of_files("path"), on="file_id", how="left"))
        return {place: row | {"near": path_below(row["path"], folder)} for place, row in rows.items()}

    def records(self, places: Sequence[Row]) -> dict[Place, Row]:
        """path, zone of local times, node_id, raw; of those that are stored."""
        found = self.stored(frame_of_places(places))
        return by_place(found.join(self.of_files("path", "zone"), on="file_id", how="left"))

    def of_files(self, *names: str) -> pl.DataFrame:
        """By file_id what its newest segment says."""
        return self.segments.sort("load_seq").group_by("file_id").agg(col(names).last())

    def stored(self, wanted: pl.DataFrame) -> pl.DataFrame:
        """The columns STORED of the places that are stored; bytes of no other record are put together."""
        is_within = col("byte_offset").is_between("start_offset", "consumed_bytes", closed="left")
        held = self.segments.join(wanted, on="file_id").filter(is_within)
        if held.is_empty():
            return empty_frame(log_record.SPEC).select(STORED)
        asked = is_value_of_rows(held, "load_seq") & is_value_of_rows(held, "byte_offset")
        found = frame_of(self.tables.read(log_record.SPEC, asked, STORED))
        return found.join(wanted, on=PLACE, how="semi")

    def numbered(self, wanted: pl.DataFrame) -> pl.DataFrame:
        """Adds line: one more than the lines of all records before it in its file."""
        lines = self.lines_through(wanted)
        nearest = wanted.sort(PLACE).join_asof(
            lines, left_on="byte_offset", right_on="stored_at", by="file_id", check_sortedness=False
        )
        own = pl.when(col("stored_at") == col("byte_offset")).then("line_count").otherwise(0)
        return nearest.drop_nulls("stored_at").select(*PLACE, line=col("through") - own + 1)

    def lines_through(self, wanted: pl.DataFrame) -> pl.DataFrame:
        """file_id, stored_at, line_count, and through, the lines of the file through it: of each record up to the last
        place that is wanted in its file."""
        last = wanted.group_by("file_id").agg(last_at=col("byte_offset").max())
        held = self.segments.join(last, on="file_id").filter(col("start_offset") <= col("last_at"))
        # Millions of records may stand before a place: their segment is shorter than the name of their file.
        columns = ("load_seq", "byte_offset", "line_count")
        rows = empty_frame(log_record.SPEC).select(columns)
        if not held.is_empty():
            end = max(held["last_at"].to_list()) + 1
            asked = is_value_of_rows(held, "load_seq") & column_before("byte_offset", end)
            rows = frame_of(self.tables.read(log_record.SPEC, asked, columns))
        placed = rows.join(held.select("load_seq", "file_id"), on="load_seq").sort(PLACE)
        through = col("line_count").cum_sum().over("file_id")
        return placed.select("file_id", "line_count", stored_at="byte_offset", through=through)


def frame_of_places(places: Sequence[Row]) -> pl.DataFrame:
    """Each place once."""
    schema = {"file_id": pl.String, "byte_offset": pl.Int64}
    return pl.DataFrame(sorted(set(map(place_of_row, places))), schema, orient="row")


def by_place(rows: pl.DataFrame) -> dict[Place, Row]:
    return {place_of_row(row): row for row in rows.to_dicts()}


def is_value_of_rows(rows: pl.DataFrame, column: str) -> Condition:
    """The column has a value that one of the rows has."""
    return is_in(column, rows[column].unique().sort().to_list())
