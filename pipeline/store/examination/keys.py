"""Whether no two rows of a table share its key: by a number for each row, so that a large table needs 8 bytes a row."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import polars as pl
from polars import col, lit

from pipeline.store.examination.data_columns import read_data_file
from pipeline.store.tables.stated import DataFile
from schemas.spec import TableSpec

NUMBER = "number"
SPREAD = 0x9E3779B97F4A7C15  # odd, so that no two numbers become one
MOST_COMPARED = 100_000  # rows
SHOWN = 3


@dataclass(frozen=True)
class Keys:
    """rows: that were read. surplus: so many more than there are keys; shown: some of the keys that rows share."""

    rows: int
    surplus: int
    shown: tuple[str, ...]


def keys_of(uri: str, files: Collection[DataFile], spec: TableSpec) -> Keys:
    """One of UNREADABLE (data_columns): a file cannot be read."""
    parts = [key_numbers(uri, one.path, spec) for one in files]
    every = pl.concat([pl.Series(NUMBER, [], pl.UInt64), *parts])
    counts = every.value_counts()
    several = counts.filter(col("count") > 1)[NUMBER]
    if several.is_empty():
        return Keys(len(every), 0, ())
    rows: Counter[str] = Counter()
    for one, part in zip(files, parts, strict=True):
        is_asked = part.is_in(several.implode())
        if is_asked.any() and rows.total() < MOST_COMPARED:
            keys = read_data_file(uri, one.path, spec, spec.key).filter(is_asked)
            rows.update(map(key_text, keys.head(MOST_COMPARED - rows.total()).to_dicts()))
    shared = {key: count for key, count in rows.items() if count > 1}
    surplus = sum(shared.values()) - len(shared)
    if rows.total() >= MOST_COMPARED:  # all that were looked at are: the others are taken to be
        surplus = max(surplus, len(every) - len(counts))
    return Keys(len(every), surplus, tuple(list(shared)[:SHOWN]))


def key_numbers(uri: str, path: str, spec: TableSpec) -> pl.Series:
    """Of each row of a data file a number that its key gives, column by column."""
    found = None
    for name in spec.key:
        one = read_data_file(uri, path, spec, (name,))[name].hash()
        both = pl.DataFrame({NUMBER: one if found is None else found, "column": one})
        mixed = (col(NUMBER) * lit(SPREAD, pl.UInt64)) ^ col("column")
        found = one if found is None else both.select(mixed.alias(NUMBER))[NUMBER]
    return pl.Series(NUMBER, [], pl.UInt64) if found is None else found.alias(NUMBER)


def key_text(key: dict[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in key.items())
