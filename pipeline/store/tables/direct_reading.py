"""Delta tables read by delta-rs into memory: no Spark job, no plan."""

import errno
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from pipeline.core.conditions import Condition
from pipeline.core.errors import InputProblem, WarehouseDamaged
from pipeline.core.files import URI
from pipeline.core.frames import empty_frame
from pipeline.core.record_bytes import SAID_IN, raw_record_bytes
from pipeline.store.failures import explain_failure
from pipeline.store.files.hadoop_sums import is_as_summed
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.files.object_files import ObjectFiles
from pipeline.store.tables.commit_files import altered_log, newest_committed_version
from pipeline.store.tables.contents import files_in, lost_columns
from pipeline.store.tables.local_table import LocalTable
from pipeline.store.tables.stated import Contents, contents_of_files
from schemas.ops import run
from schemas.spec import TableSpec

# Of files that are damaged Polars may say nothing but that it ran into something that it takes for impossible.
UNREADABLE = (
    DeltaError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    pa.ArrowException,
    OSError,
)
# Layers whose rows are answers: readers compare their files with the sums beside them, whatever they hold. Of others
# they compare what takes no time: some 30 ms of a processor (560 MB a second). A run goes round the rest (`damage`).
ANSWERS = frozenset({"gold", "ops"})
MOST_SUMMED_BYTES = 16 << 20
MAX_VERSION = 10**20


def local_folder(folder: str) -> Path | None:
    """A cluster's folder, as the store names it, on this machine; None: it is elsewhere."""
    return None if URI.match(folder) else Path(folder)


def read_directly(
    folder: str | Path,
    spec: TableSpec,
    condition: Condition | None,
    columns: Sequence[str] | None,
    version: int | None = None,
    stated: Contents | None = None,
) -> pa.Table:
    """Rows that meet the condition, of the declared types; a column that an older version has not is null.

    folder: a cluster's, a path or a URI of an object store. stated: what the version holds, where a run stated it.
    InputProblem: retention has removed that version, or a file of it. WarehouseDamaged: it is gone otherwise, or not as
    it was published.
    """
    asked = tuple(columns or spec.columns)
    is_rebuilt = any(one.rebuilt for one in spec.fields if one.name in asked)
    needed = tuple(dict.fromkeys([*asked, *(SAID_IN if is_rebuilt else ())]))
    uri = f"{folder}/{spec.layer}/{spec.table}"
    try:
        found = chosen(scan_version(uri, version, spec, stated), condition, needed)
    except UNREADABLE as problem:
        raised = problem
        if isinstance(problem, pl.exceptions.PolarsError):
            raised = failure_of_files(problem, uri, empty_frame(spec).lazy(), condition, needed)
        raise unread_version_error(raised, str(folder), spec, version) from problem
    whole = found.with_columns(raw_record_bytes(found)) if is_rebuilt else found
    return arrow_table_as_declared(whole.select(asked), spec)


def chosen(rows: pl.LazyFrame, condition: Condition | None, needed: Sequence[str]) -> pl.DataFrame:
    return (rows if condition is None else rows.filter(condition.polars())).select(needed).collect()


def failure_of_files(
    problem: pl.exceptions.PolarsError,
    uri: str,
    declared: pl.LazyFrame,
    condition: Condition | None,
    needed: Sequence[str],
) -> Exception:
    """What the files of a table failed with, whatever Polars calls it: asked of no rows the same plan does not fail.
    PolarsError: it does, so it is the plan's."""
    chosen(declared, condition, needed)
    return OSError(errno.EIO, f"Parquet error: {' '.join(str(problem).split())}", uri)


def read_run_rows(folder: str | Path, run_id: str | None) -> list[dict[str, Any]]:
    """The newest row of ops.run of a cluster's folder, or the one of a run_id."""
    rows = read_directly(folder, run.SPEC, None, None).to_pylist(maps_as_pydicts="strict")
    found = [one for one in rows if run_id in (None, one["run_id"])]
    return sorted(found, key=lambda one: int(one["run_seq"]))[-1:]


def files_of_version(
    folder: str, spec: TableSpec, version: int | None, stated: Contents | None = None
) -> list[str]:
    """Paths or URIs of the data files of a version, for what reads Parquet. Fails as read_directly does."""
    try:
        table = open_version(f"{folder}/{spec.layer}/{spec.table}", version, stated)
        if "deletionVectors" in (table.protocol().reader_features or ()) and vectors_in(table):
            raise OSError(errno.EIO, "Files with rows that are marked as deleted", folder)
        return sorted(table.file_uris())
    except UNREADABLE as problem:
        raise unread_version_error(problem, folder, spec, version) from problem


def vectors_in(table: DeltaTable) -> int:
    """How many files name rows of theirs that are deleted: who reads Parquet alone would have them."""
    return len(pa.table(table.deletion_vectors()))


def unread_version_error(
    problem: BaseException, folder: str, spec: TableSpec, version: int | None
) -> BaseException:
    """Why a version cannot be read: removed by retention, damaged, out of reach; else the problem itself."""
    warehouse, _, cluster = folder.rpartition("/")
    found = explain_failure(problem, warehouse, cluster, f"{spec.name} was not read")
    if found is None or not isinstance(found, WarehouseDamaged):
        return found or problem
    named = "the newest version" if version is None else f"version {version}"
    expected = f"{named} of {spec.name} in {folder}"
    files = ObjectFiles() if URI.match(folder) else LocalFiles()
    newest = newest_committed_version(files, f"{folder}/{spec.layer}/{spec.table}") or 0
    if version is None or version >= newest:
        return WarehouseDamaged(
            expected=f"{expected} as it was published", found=found.found, todo=found.todo
        )
    return InputProblem(
        expected=expected,
        found=found.found,
        todo="name a newer run ('runs' lists them); storage.retention_days says how long runs stay readable",
    )


def scan_version(
    uri: str, version: int | None, spec: TableSpec, stated: Contents | None = None
) -> pl.LazyFrame:
    """The declared columns; what Delta's statistics rule out is not opened."""
    table = open_version(uri, version, stated)
    rows = pl.scan_delta(table)
    there, types = rows.collect_schema(), empty_frame(spec).schema
    absent = [name for name in spec.columns if name not in there]
    require_later(uri, table, absent)
    return rows.with_columns(**{name: pl.lit(None, types[name]) for name in absent})


def require_later(uri: str, table: DeltaTable, absent: Sequence[str]) -> None:
    """OSError: a column that the table's log does not name is none that was declared after it was written: its newest
    data file has it."""
    lost = set(absent) & lost_columns(uri, table, files_in(table)) if absent else set()
    if lost:
        said = f"Not found: in the table's log the column {min(lost)}, which its rows have"
        raise OSError(errno.EIO, said, uri)


def open_version(uri: str, version: int | None, stated: Contents | None) -> DeltaTable:
    if URI.match(uri):
        return DeltaTable(uri, version=version)
    odd = altered_log(Path(uri), MAX_VERSION if version is None else version)
    if odd is not None:
        raise OSError(errno.EIO, f"Checksum of the log differs, or it is empty: {odd}", uri)
    table = LocalTable(uri, version=version)
    require_as_logged(Path(uri), table, stated)
    return table


def require_as_logged(folder: Path, table: DeltaTable, stated: Contents | None) -> None:
    """OSError: a data file is gone, or cut off, which a reader of Parquet says by a riddle; it has other bytes than
    were written, or the table's log holds less than it did, which is said by nobody else."""
    files = files_in(table)
    if stated is not None and contents_of_files(files) != stated:
        found = contents_of_files(files)
        said = f"Not found: {found.rows:,} of {stated.rows:,} rows, {found.files} of {stated.files} files"
        raise OSError(errno.EIO, said, str(folder))
    for one in files:
        size = (folder / one.path).stat().st_size
        if size != one.size_bytes:
            said = f"Unexpected end after {size:,} of {one.size_bytes:,} bytes"
            raise OSError(errno.EIO, said, str(folder / one.path))
    if is_answer(folder) or sum(one.size_bytes for one in files) <= MOST_SUMMED_BYTES:
        require_as_summed(folder / one.path for one in files)


def is_answer(table: Path) -> bool:
    return table.parent.name in ANSWERS


def require_as_summed(paths: Iterable[Path]) -> None:
    """OSError: a file has other bytes than were written. One beside which no sums are kept is taken as it is."""
    for path in paths:
        if is_as_summed(path) is False:
            raise OSError(errno.EIO, "Checksum differs: other bytes than were written", str(path))


def arrow_table_as_declared(rows: pl.DataFrame, spec: TableSpec) -> pa.Table:
    found = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    wanted = [spec.arrow.field(name).with_nullable(True) for name in found.column_names]
    return pa.Table.from_arrays(
        [found.column(one.name).cast(one.type) for one in wanted], schema=pa.schema(wanted)
    )
