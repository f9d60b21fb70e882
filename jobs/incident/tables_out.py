"""All tables of an answer as files of Parquet, in a folder that held nothing."""

from pathlib import Path

import pyarrow.parquet as pq

from pipeline.catalog.tables import SPECS
from pipeline.core.errors import SettingsError
from pipeline.core.stored_tables import ReadableTables


def require_empty(folder: Path) -> None:
    """Makes the folder. SettingsError: something is in it, or it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        first = next(folder.iterdir(), None)
    except OSError as problem:
        raise tables_folder_error(folder, problem.strerror or str(problem)) from None
    if first is not None:
        raise tables_folder_error(folder, f"{first.name} in it")


def tables_folder_error(folder: Path, found: str) -> SettingsError:
    return SettingsError(
        expected=f"--tables with a folder that is empty or not there yet, {folder}",
        found=found,
        todo="name another",
    )


def write_tables(folder: Path, tables: ReadableTables) -> None:
    """`<folder>/<layer>/<table>.parquet`, with the declared columns; those without rows, too."""
    for spec in SPECS:
        file = folder / spec.layer / f"{spec.table}.parquet"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(tables.read(spec), file, compression="zstd")
        except OSError as problem:
            raise tables_folder_error(folder, problem.strerror or str(problem)) from None
