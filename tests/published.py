"""What the newest run of a cluster published, read without Spark: tests/jobs/test_published.py holds both ways of reading
against one another."""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from pipeline.catalog.tables import BY_NAME
from pipeline.core.frames import frame_of
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse


def published_tables(warehouse: str | Path, cluster: str) -> Callable[[str], pl.DataFrame]:
    """Gives the rows of `layer.table`, all of one run, whatever goes on. KeyError: it published no such table."""
    files = LocalFiles()
    at = DirectWarehouse(files.qualified(str(warehouse)), files)
    seen = at.published(cluster)
    tables = at.tables(cluster, seen)

    def rows_of(name: str) -> pl.DataFrame:
        if name not in seen.versions:
            raise KeyError(name)
        return frame_of(tables.read(BY_NAME[name].spec))

    return rows_of


def texts(rows: pl.DataFrame) -> list[str]:
    """Each row as text, in an order that no run changes."""
    return sorted(map(str, rows.select(sorted(rows.columns)).iter_rows()))
