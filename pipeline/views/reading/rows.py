"""Rows as questions are answered with: values by column; and places of records in logs."""

from typing import Any

Row = dict[str, Any]
Place = tuple[str, int]


def place_of_row(row: Row) -> Place:
    return row["file_id"], int(row["byte_offset"])
