"""Brings damaged Delta tables of this machine to a state that can be read and written again: no row is made up."""

import shutil
import uuid
from collections.abc import Collection, Iterator
from pathlib import Path

import polars as pl
import pyarrow as pa
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import DeltaError
from polars.exceptions import ComputeError, PolarsError

from pipeline.core.frames import empty_frame
from pipeline.store.files.durable import LOG
from pipeline.store.files.files import Files
from pipeline.store.files.hadoop_sums import is_as_summed, keep_sums
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.runs.damage import file_size
from pipeline.store.runs.published import ASIDE
from pipeline.store.tables.commit_files import SUMMARY, altered_log, drop_from, is_table, versions_of
from pipeline.store.tables.contents import columns_beyond, data_files
from pipeline.store.tables.direct_reading import local_folder
from schemas.spec import TableSpec


def roll_back(table: Path, version: int, *, is_log_whole: bool) -> int | None:
    """The newest version, up to a published one, whose log can be read: what follows it is taken out of the log.

    is_log_whole: the published version itself can be. None: none is left, and nothing is done.
    """
    files = LocalFiles()
    drop_altered_summaries(table)
    asked = [one for one in versions_of(files, str(table)) if one < version + is_log_whole]
    found = next((one for one in reversed(asked) if is_readable(table, one)), None)
    if found is not None:
        drop_from(files, str(table), found + 1)
    return found


def drop_altered_summaries(table: Path) -> None:
    """Takes away what sums up a version in the table's log and has other bytes than written: the log says it all."""
    for path in (table / LOG).glob("*.crc"):
        if SUMMARY.match(path.name) and is_as_summed(path) is False:
            LocalFiles().delete(str(path))


def is_readable(table: Path, version: int) -> bool:
    if altered_log(table, version) is not None:
        return False
    try:
        data_files(str(table), version)
        newest = max(table.glob("*.parquet"), key=lambda one: one.stat().st_mtime_ns, default=None)
        return newest is None or not columns_beyond(DeltaTable(str(table), version=version), newest)
    except (DeltaError, FileNotFoundError):
        return False


def give_up_files(table: Path, kept_in: Path, note: str) -> list[str]:
    """Takes out of the newest version the data files that are gone or not as they were written; what is left of them is
    kept in another folder. Their names."""
    opened = DeltaTable(str(table))
    bad = [
        one.path
        for one in data_files(str(table), opened.version())
        if not is_sound(table, one.path, one.size_bytes)
    ]
    for path in bad:
        set_aside(table / path, kept_in / path)
        LocalFiles().delete(str(table / path))
    if bad:
        opened.repair(commit_properties=CommitProperties({"userMetadata": note}))
        keep_sums(table / LOG / f"{opened.version():020d}.json")
    return bad


def is_sound(table: Path, path: str, size_bytes: int) -> bool:
    return file_size(table / path) == size_bytes and is_as_summed(table / path) is not False


def set_aside(path: Path, to: Path) -> None:
    """Moves a file or a folder, if it is there."""
    if path.exists():
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, to)


def remove_unmade(files: Files, folder: str, spec: TableSpec) -> bool:
    """Whether something lay in the place of a table of which no commit can be read. Data files are put aside on this
    machine, and elsewhere they stay."""
    uri, here = f"{folder}/{spec.layer}/{spec.table}", local_folder(folder)
    if not files.exists(uri) or is_table(files, uri):
        return False
    if any(name.endswith(".parquet") for name in files.names(uri)):
        if here is None:
            return False
        set_aside(here / spec.layer / spec.table, here / ASIDE / uuid.uuid4().hex / spec.name)
    files.delete(uri)
    return True


def rows_left(table: Path, spec: TableSpec) -> pl.DataFrame:
    """Rows, as they are stored, of whole data files in a table's folder that its newest version does not name: of a
    commit that is lost, of a run that died, and of older versions alike. A log that cannot be read names none."""
    return pl.concat(
        [
            empty_frame(spec),
            *readable_file_rows(
                sorted(set(parquet_file_names(table)) - files_of_newest_version(table)), table, spec
            ),
        ]
    )


def files_of_newest_version(table: Path) -> set[str]:
    versions = versions_of(LocalFiles(), str(table))
    try:
        return {one.path for one in data_files(str(table), versions[-1])} if versions else set()
    except (DeltaError, FileNotFoundError):
        return set()


def parquet_file_names(table: Path) -> Iterator[str]:
    return (one.name for one in table.glob("*.parquet")) if table.is_dir() else iter(())


def readable_file_rows(names: Collection[str], table: Path, spec: TableSpec) -> Iterator[pl.DataFrame]:
    """The declared columns of each file that can be read; a file that can't is passed over."""
    none = empty_frame(spec)
    for name in names:
        try:
            if is_as_summed(table / name) is False:
                continue
            rows = pl.read_parquet(table / name)
        except (OSError, ComputeError, PolarsError, pa.ArrowInvalid):
            continue
        later = {one: pl.lit(None, none.schema[one]) for one in spec.columns if one not in rows.columns}
        yield rows.with_columns(**later).select(spec.columns).cast(none.schema)
