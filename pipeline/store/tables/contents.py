"""What a Delta table holds at a version, as its log names it: data files, their rows and bytes; nothing is scanned."""

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from pipeline.core.files import URI
from pipeline.store.tables.stated import Contents, DataFile, contents_of_files

AT_ONCE = 4


def data_files(uri: str, version: int) -> list[DataFile]:
    """The data files that a version consists of. DeltaError: the log cannot be read at that version, or names fewer
    columns than the newest file has."""
    table = DeltaTable(uri, version=version)
    files = files_in(table)
    if lost := lost_columns(uri, table, files):
        raise DeltaError(f"its log does not name column {min(lost)}, which its rows have")
    return files


def lost_columns(uri: str, table: DeltaTable, files: Collection[DataFile]) -> set[str]:
    """Columns that the data file of a table has that was written last, and its log has not; of tables on this machine,
    and none where that file cannot be read, which its size and sums tell."""
    if URI.match(uri) or not files:
        return set()
    newest = max(files, key=lambda one: (one.written_ms, one.path))
    return columns_beyond(table, Path(uri, newest.path))


def columns_beyond(table: DeltaTable, path: Path) -> set[str]:
    """Columns of a data file that the table's log does not name; none of a file that cannot be read."""
    with suppress(OSError, pa.ArrowException):
        return set(pq.read_schema(path).names) - {one.name for one in table.schema().fields}
    return set()


def files_in(table: DeltaTable) -> list[DataFile]:
    """The data files of a table at the version that it was opened at."""
    actions = table.get_add_actions(flatten=True)
    names = ("path", "size_bytes", "num_records", "modification_time")
    columns = (actions.column(name).to_pylist() for name in names)
    return [DataFile(unquote(path), int(size), *rest) for path, size, *rest in zip(*columns, strict=True)]


def contents_of(folder: Path, versions: Mapping[str, int]) -> dict[str, Contents]:
    """By table what its version holds."""

    def of(table: str) -> Contents:
        return contents_of_files(data_files(f"{folder}/{table.replace('.', '/')}", versions[table]))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(versions, pool.map(of, versions), strict=True))
