"""The bytes of a record, put together from what its other columns say."""

import re
from collections.abc import Iterator

import polars as pl
from polars import col, lit

from schemas.bronze.log_record import NAMES_OF_FIELDS

BRACES = re.compile("[{}]")
TIME = "[%Y-%m-%d %H:%M:%S,%3f] "
# What they are put together from.
SAID_IN = ("template", "logged_local", "level", "logger", "fields", *NAMES_OF_FIELDS)


def raw_record_bytes(records: pl.DataFrame) -> pl.Series:
    """raw of each record (raw and SAID_IN among the columns), put together where a file does not hold it.

    It says in frames what RAW of schemas.bronze.log_record says in SQL.
    """
    numbered = records.with_row_index("number")
    missing = numbered.filter(col("raw").is_null() & col("template").is_not_null())
    given = [
        some.select("number", given=whole_record(some["template"][0]))
        for some in missing.partition_by("template")
    ]
    if not given:
        return records["raw"]
    found = numbered.select("number", "raw").join(
        pl.concat(given), on="number", how="left", maintain_order="left"
    )
    return found.select(raw=pl.coalesce("raw", "given"))["raw"]


def whole_record(template: str) -> pl.Expr:
    """`[time] LEVEL message (logger)` and a line end, as most records of a template are; null where a part is."""
    parts: tuple[pl.Expr, ...] = (
        col("logged_local").dt.strftime(TIME),
        col("level"),
        lit(" "),
        *message_of(template),
    )
    return pl.concat_str(*parts, lit(" ("), col("logger"), lit(")\n")).cast(pl.Binary)


def message_of(template: str) -> Iterator[pl.Expr]:
    """The message of a wording in pieces: what is fixed, and the values by their names."""
    for place, piece in enumerate(BRACES.split(template)):
        if place % 2 == 0:
            yield lit(piece)
            continue
        value = col("fields").map.get(piece)
        own = [col(piece).cast(pl.String)] if piece in NAMES_OF_FIELDS else []
        yield pl.coalesce(value, *own, lit(""))
